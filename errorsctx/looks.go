package errorsctx

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// errorMembers are the members of an object that holds an error and nothing else
// (RFC 9457, JSON-RPC 2.0, and what the large interfaces send besides).
var errorMembers = []string{"error", "errors", "errorcode", "errortype", "errorkind", "errormessage", "errordescription", "code", "status", "statuscode",
	"httpstatus", "httpstatuscode", "grpcstatus", "grpccode", "message", "msg", "detail", "details", "title", "type", "kind", "reason", "instance", "success", "ok",
	"iserror", "isretryable", "retryable", "errorcategory", "timestamp", "path", "requestid", "traceid", "correlationid", "documentationurl", "helpurl", "moreinfo",
	"hint", "retryafter", "jsonrpc", "id", "data", "result", "domain", "metadata", "param", "locations", "extensions"}

// plain makes the spellings of a name or word one: errorCode, error_code, ERROR-CODE.
func plain(word string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, word)
}

// looksFailed reports a result that is nothing but an error, although the server
// calls it a success.
func looksFailed(doc gjson.Result) bool {
	if !doc.IsObject() {
		return false
	}
	s := signsOf(doc)
	switch {
	case s.flagged:
		return true
	case s.unsuccessful:
		return s.error || s.message
	case s.error:
		return !s.other
	}
	return s.badStatus && s.message && !s.other && !s.thing
}

// HoldsError reports a list of which one element, or one block, is nothing but an error.
func HoldsError(doc gjson.Result) bool {
	holds := looksFailed(doc)
	if doc.IsArray() {
		doc.ForEach(func(_, v gjson.Result) bool { holds = looksFailed(v); return !holds })
	}
	return holds
}

// onlyOneError reports an object in which there is one error, and nothing besides.
func onlyOneError(doc gjson.Result) bool {
	if s := signsOf(doc); s.other || memberOf(doc, "errors").Get("#").Int() > 1 {
		return false
	}
	for _, inner := range errorsIn(doc) {
		if signsOf(inner).other || len(errorsIn(inner)) > 0 {
			return false
		}
	}
	return true
}

// signs are what the members of an object say about an error.
type signs struct {
	flagged      bool // isError
	unsuccessful bool // "success": false
	error        bool // a member that holds an error
	badStatus    bool // an HTTP status of 400 and above, or "status": "error"
	message      bool
	thing        bool // a member by which things are told apart, or are of a kind
	other        bool // a member that is no part of an error
}

func signsOf(doc gjson.Result) signs {
	var s signs
	doc.ForEach(func(k, v gjson.Result) bool { s.read(plain(k.Str), v, doc); return true })
	return s
}

func (s *signs) read(name string, v, doc gjson.Result) {
	switch name {
	case "iserror":
		s.flagged = s.flagged || v.Type == gjson.True
	case "success", "ok":
		s.unsuccessful = s.unsuccessful || v.Type == gjson.False
		s.other = s.other || v.Type == gjson.True // it says that all is well
	case "error":
		s.error = s.error || says(v) && v.Type != gjson.Number
	case "errors":
		// A list of errors alone may be what was asked for: a compiler's.
		first := v.Get("0")
		s.error = s.error || says(v) && (memberOf(doc, "data").Type == gjson.Null && memberOf(doc, "data").Exists() || memberOf(first, "extensions").Exists())
		s.other = s.other || says(v) && !s.error
	case "errorcode", "errormessage":
		s.error = s.error || says(v)
	case "status", "statuscode", "httpstatus", "httpstatuscode", "code":
		n := v.Int()
		s.badStatus = s.badStatus || v.Type == gjson.Number && n >= 400 && n <= 599 || name == "status" && badWord(v.Str)
	case "message", "msg", "detail":
		s.message = s.message || v.Type == gjson.String && v.Str != ""
	case "title":
		s.message = s.message || v.Type == gjson.String && v.Str != "" && memberOf(doc, "status").Type == gjson.Number
	case "type", "kind":
		s.thing = s.thing || !strings.Contains(v.Str, ":") // a URI in a problem's own form
	case "id":
		s.thing = true
	case "data", "result":
		s.other = s.other || says(v)
	}
	s.other = s.other || !slices.Contains(errorMembers, name)
}

// says reports a value that is not a way to say nothing.
func says(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.String:
		return !slices.Contains([]string{"", "0", "none", "null", "ok", "success", "false"}, strings.ToLower(strings.TrimSpace(v.Str)))
	case gjson.Number:
		return v.Num != 0
	}
	return v.Type == gjson.True || v.IsArray() && v.Get("#").Int() > 0 || v.IsObject() && strings.Trim(v.Raw, "{} \t\r\n") != ""
}

// badWord is what the JSend form says of a failure. That something has failed may be
// what was asked for: a job's status.
func badWord(word string) bool {
	return slices.Contains([]string{"error", "fail"}, strings.ToLower(word))
}
