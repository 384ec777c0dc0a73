package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Classify reads the category of a failed call from its error text, and from
// doc, the same text parsed, if it is JSON (the zero Result if it is not). It
// trusts structure only: our own contract, a status member, or a client's
// prefix for a JSON-RPC error. Prose decides nothing: the second result is
// false for it, and an unclassified failure may have had its effect.
func Classify(text string, doc gjson.Result) (Category, bool) {
	if category, ok := classifyRPC(text); ok {
		return category, true
	}
	if !doc.IsObject() || doc.Get("isRetryable").Type == gjson.True {
		return Transient, doc.IsObject()
	}
	for _, c := range Categories {
		if doc.Get("errorCategory").Str == string(c) {
			return c, true
		}
	}
	return classifyStatus(doc)
}

// rpcPrefix begins the text that older clients show for a JSON-RPC error.
const rpcPrefix = "MCP error "

// classifyRPC knows the codes with which a JSON-RPC server refuses a request that
// it cannot even route (JSON-RPC 2.0, section 5.1). -32600 and -32602 are
// missing on purpose: MCP libraries also use them after a tool has run, when
// its result does not fit its schema.
func classifyRPC(text string) (Category, bool) {
	code, found := strings.CutPrefix(text, rpcPrefix)
	if !found {
		return "", false
	}
	code, _, _ = strings.Cut(code, ":")
	return Validation, code == "-32601" || code == "-32700"
}

// classifyStatus reads an HTTP status (RFC 9110, section 15) from the members
// that servers use for nothing else. All that are there must agree.
func classifyStatus(doc gjson.Result) (Category, bool) {
	var agreed Category
	clear := true
	doc.ForEach(func(k, v gjson.Result) bool {
		switch strings.ToLower(k.Str) {
		case "status", "statuscode", "status_code":
			category, known := httpCategory(v.Raw)
			clear = clear && known && (agreed == "" || agreed == category)
			agreed = category
		}
		return clear
	})
	return agreed, clear && agreed != ""
}

func httpCategory(status string) (Category, bool) {
	switch status {
	case "400", "404", "405", "406", "410", "411", "413", "414", "415", "422":
		return Validation, true
	case "401", "403", "407", "451":
		return Permission, true
	case "402", "412": // 409 is missing on purpose: it can mean "already done"
		return Business, true
	case "408", "423", "425", "429", "500", "502", "503", "504":
		return Transient, true
	}
	return "", false
}
