package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

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
		return httpCategory(text), isNumber(text)
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

func fromRPC(text string) (category Category, sure bool) {
	code, isRPC := strings.CutPrefix(text, rpcPrefix)
	if !isRPC {
		return "", false
	}
	code, _, _ = strings.Cut(code, ":")
	return rpcCategory(code)
}

// rpcCategory knows the codes of JSON-RPC 2.0, section 5.1, and those that MCP
// libraries add; what an internal error is its text has to tell. Only two of them say
// for certain that nothing ran: the libraries use -32600 and -32602 also for a result
// that does not fit its schema.
func rpcCategory(code string) (category Category, sure bool) {
	switch strings.TrimSpace(code) {
	case "-32601", "-32700":
		return Validation, true
	case "-32600", "-32602", "-32002":
		return Validation, false
	case "-32001": // a request timed out
		return Transient, false
	}
	return "", false
}

// proseOf is what a failure says in prose, without the number that stands before it.
func proseOf(message string) string {
	if rest, isRPC := strings.CutPrefix(message, rpcPrefix); isRPC {
		if _, text, cut := strings.Cut(rest, ":"); cut {
			return text
		}
	}
	return message
}
