package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

// kindNames are the members in which servers name the kind of an error by a word,
// the most telling first.
var kindNames = []string{"error_kind", "errorKind", "error_code", "errorCode", "error_type", "errorType", "code", "type", "kind", "reason", "status", "error"}

// fromMembers reads the category from a document's members. Words beat numbers, and
// what stands inside beats what stands around it. clear reports that nothing in the
// document says otherwise.
func fromMembers(doc gjson.Result) (category Category, found, clear bool) {
	if !doc.IsObject() {
		return "", false, false
	}
	var all []Category
	unknown := false
	inner := errorsIn(doc)
	for i, object := range append(inner, doc) {
		for _, name := range kindNames {
			if v := memberOf(object, name); v.Type == gjson.String && wordCategory(v.Str) != "" {
				all = append(all, wordCategory(v.Str))
				unknown = unknown || i == len(inner) && vague(name)
			}
		}
	}
	for _, object := range append(inner, doc) {
		object.ForEach(func(k, v gjson.Result) bool {
			category, isCode := numberCategory(plain(k.Str), v, object)
			unknown = unknown || isCode != (category != "")
			if category != "" {
				all = append(all, category)
			}
			return true
		})
	}
	if len(all) == 0 {
		return "", false, false
	}
	clear = !unknown
	for _, c := range all {
		clear = clear && c == all[0]
	}
	return all[0], true, clear
}

// vague reports a name under which a server may also speak of its own things.
func vague(name string) bool {
	return name == "type" || name == "kind" || name == "reason" || name == "status"
}

// Statuses lists the HTTP statuses that an ending names: in its members, and a
// failure's in its text.
func Statuses(e Ending) []string {
	var found []string
	for _, object := range append(errorsIn(e.Doc), e.Doc) {
		object.ForEach(func(k, v gjson.Result) bool {
			switch plain(k.Str) {
			case "status", "statuscode", "httpstatus", "httpstatuscode", "httpcode", "code", "errorcode":
				found = append(found, v.String())
			}
			return true
		})
	}
	if status := statusInText().FindStringSubmatch(e.Text); e.Failed && status != nil {
		found = append(found, status[1])
	}
	return found
}

// Codes lists the words and numbers by which an ending names the kind of its error,
// spelt without marks and capitals.
func Codes(e Ending) []string {
	var found []string
	for _, object := range append(errorsIn(e.Doc), e.Doc) {
		for _, name := range kindNames {
			if v := memberOf(object, name); v.Type == gjson.String || v.Type == gjson.Number {
				found = append(found, Code(v.String()))
			}
		}
	}
	if code, isRPC := strings.CutPrefix(e.Text, rpcPrefix); isRPC {
		code, _, _ = strings.Cut(code, ":")
		found = append(found, Code(code))
	}
	return found
}

// Code spells a word or number as Codes does.
func Code(word string) string {
	if minus, isNegative := strings.CutPrefix(strings.TrimSpace(word), "-"); isNegative {
		return "-" + plain(minus)
	}
	return plain(word)
}

// numberCategory reads an HTTP status, a JSON-RPC code or a gRPC code. isCode
// reports a member that can only be one of them; others may speak of anything.
func numberCategory(name string, v, object gjson.Result) (category Category, isCode bool) {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	} else if v.Type != gjson.Number {
		return "", false
	}
	switch name {
	case "status", "statuscode", "httpstatus", "httpstatuscode", "httpcode":
		return httpCategory(text), v.Type == gjson.Number
	case "grpcstatus", "grpccode":
		return grpcCategory(text), true
	case "code", "errorcode":
		if strings.HasPrefix(text, "-32") {
			return rpcCategory(text)
		}
		if memberOf(object, "details").IsArray() && len(text) < 3 {
			return grpcCategory(text), true
		}
		return httpCategory(text), false
	}
	return "", false
}

// httpCategory knows the statuses of RFC 9110, section 15, and RFC 6585.
func httpCategory(status string) Category {
	switch status {
	case "400", "404", "405", "406", "410", "411", "413", "414", "415", "422", "431", "501":
		return Validation
	case "401", "403", "407", "451", "511":
		return Permission
	case "402", "412", "507": // 409 is missing on purpose: it can mean "already done"
		return Business
	case "408", "423", "425", "429", "500", "502", "503", "504", "529":
		return Transient
	}
	return ""
}

// grpcCategory knows the codes of the gRPC status list. 1, 2, 6, 10 and 15 are
// missing on purpose: they say nothing of what to do.
func grpcCategory(code string) Category {
	switch code {
	case "3", "5", "11", "12":
		return Validation
	case "7", "16":
		return Permission
	case "9":
		return Business
	case "4", "8", "13", "14":
		return Transient
	}
	return ""
}

// rpcPrefix begins the text that older clients show for a JSON-RPC error.
const rpcPrefix = "MCP error "

func fromRPC(text string) (category Category, found, clear bool) {
	code, isRPC := strings.CutPrefix(text, rpcPrefix)
	if !isRPC {
		return "", false, false
	}
	code, _, _ = strings.Cut(code, ":")
	category, clear = rpcCategory(code)
	return category, category != "", clear
}

// rpcCategory knows the codes of JSON-RPC 2.0, section 5.1, and those that MCP
// libraries add. Only two of them say for certain that nothing ran: the libraries
// use -32600 and -32602 also for a result that does not fit its schema.
func rpcCategory(code string) (category Category, clear bool) {
	switch strings.TrimSpace(code) {
	case "-32601", "-32700":
		return Validation, true
	case "-32600", "-32602", "-32002":
		return Validation, false
	case "-32603", "-32000", "-32001": // internal error, connection closed, timeout
		return Transient, false
	}
	return "", false
}
