package errorsctx

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// errorMembers are the members of an object that holds an error and nothing else
// (RFC 9457, JSON-RPC 2.0, and what the large interfaces send besides).
var errorMembers = []string{"error", "errors", "errorcode", "errortype", "errorkind", "errormessage", "errordescription", "code", "status", "statuscode",
	"httpstatus", "message", "msg", "detail", "details", "title", "type", "kind", "reason", "instance", "success", "ok", "iserror", "isretryable", "errorcategory",
	"timestamp", "path", "requestid", "traceid", "correlationid", "documentationurl", "helpurl", "moreinfo", "hint", "retryafter", "jsonrpc", "id", "data", "result"}

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
	var s signs
	doc.ForEach(func(k, v gjson.Result) bool { s.read(plain(k.Str), v); return true })
	switch {
	case s.flagged:
		return true
	case s.unsuccessful:
		return s.error || s.message
	}
	return !s.other && (s.error || s.badStatus && s.message)
}

// signs are what the members of an object say about an error.
type signs struct {
	flagged      bool // isError, in whatever type
	unsuccessful bool // "success": false
	error        bool // a member that holds an error
	badStatus    bool // an HTTP status of 400 and above, or "status": "error"
	message      bool
	other        bool // a member that is no part of an error
}

func (s *signs) read(name string, v gjson.Result) {
	switch name {
	case "iserror":
		s.flagged = s.flagged || v.Type != gjson.False
	case "success", "ok":
		s.unsuccessful = s.unsuccessful || v.Type == gjson.False
		s.other = s.other || v.Type != gjson.False // it says that all is well
	case "error", "errors", "errorcode", "errormessage":
		s.error = s.error || says(v)
	case "status", "statuscode", "httpstatus", "code":
		n := v.Int()
		s.badStatus = s.badStatus || v.Type == gjson.Number && n >= 400 && n <= 599 || name == "status" && badWord(v.Str)
	case "message", "msg", "detail", "title", "reason":
		s.message = s.message || v.Type == gjson.String && v.Str != ""
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
		return v.Str != ""
	case gjson.Number:
		return v.Num != 0
	}
	return v.Type == gjson.True || v.IsArray() && v.Get("#").Int() > 0 || v.IsObject() && v.Raw != "{}"
}

func badWord(word string) bool {
	return slices.Contains([]string{"error", "fail", "failed", "failure"}, strings.ToLower(word))
}
