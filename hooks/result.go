package hooks

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Result is what a finished call left, whichever of the clients' shapes it came
// in.
type Result struct {
	// Value is the one value that policies call past.result, as JSON: the
	// structured content; else the only text block, parsed if it is JSON; else
	// an array with one value per block. Nil if there is none.
	Value []byte
	// Failed says that the server or the client called the result an error, and
	// Error gives its text.
	Failed bool
	Error  string
	// Unproven says why the result is no evidence of anything, or is empty.
	Unproven string
}

// Result reads the event's result. It costs a scan of the whole response, so
// only call it for an event that some table reads.
func (e Event) Result() Result {
	if e.Kind == PostToolUseFailure {
		return Result{Failed: true, Error: e.Error, Unproven: "the call failed"}
	}
	response := gjson.ParseBytes(e.Response)
	r := readResult(response, strings.HasPrefix(e.Tool, "mcp__") || strings.HasPrefix(e.Through, "mcp__"))
	if r.Unproven == "" {
		r.Unproven = unfinished(response, gjson.ParseBytes(r.Value))
	}
	return r
}

// readResult knows the shapes in which an MCP result arrives: a wrapper with
// content, a list of blocks, one block, a string holding the structured
// content, or that content itself. Built-in tools have shapes of their own.
func readResult(response gjson.Result, mcp bool) Result {
	switch {
	case !response.Exists() || response.Type == gjson.Null:
		return Result{Unproven: "there is no result"}
	case response.Type == gjson.String:
		return textResult(response.Str)
	case mcp && response.IsObject() && response.Get("content").IsArray():
		return wrapperResult(response)
	case mcp && isBlock(response):
		return blocksResult([]gjson.Result{response})
	case mcp && response.IsArray() && allBlocks(response.Array()):
		return blocksResult(response.Array())
	}
	return Result{Value: []byte(response.Raw)}
}

func wrapperResult(w gjson.Result) Result {
	blocks := w.Get("content").Array()
	if saysFailed(w) {
		// Only the flag itself is the server's word that it refused.
		failed := w.Get("isError").Type == gjson.True
		return Result{Failed: failed, Error: blockTexts(blocks), Unproven: "the call failed"}
	}
	if s := w.Get("structuredContent"); s.Exists() && s.Type != gjson.Null {
		return Result{Value: []byte(s.Raw)}
	}
	if !allBlocks(blocks) {
		return Result{Value: []byte(w.Raw)}
	}
	return blocksResult(blocks)
}

func blocksResult(blocks []gjson.Result) Result {
	if len(blocks) == 1 {
		return blockResult(blocks[0])
	}
	var r Result
	values := make([]string, len(blocks))
	for i, b := range blocks {
		one := blockResult(b)
		values[i] = string(one.Value)
		if one.Unproven != "" {
			r.Unproven = one.Unproven
		}
	}
	r.Value = []byte("[" + strings.Join(values, ",") + "]")
	return r
}

func blockResult(b gjson.Result) Result {
	if b.Get("type").Str != "text" {
		return Result{Value: []byte(b.Raw)}
	}
	return textResult(b.Get("text").String())
}

// textResult parses text that is JSON. Text that two parsers could read
// differently is kept as text and proves nothing.
func textResult(text string) Result {
	switch Strict([]byte(text)) {
	case nil:
		return Result{Value: []byte(strings.TrimSpace(text))}
	case ErrGrammar:
		return Result{Value: gjson.AppendJSONString(nil, text)}
	case ErrDuplicate:
		return Result{Value: gjson.AppendJSONString(nil, text), Unproven: "the result holds the same key twice"}
	}
	return Result{Value: gjson.AppendJSONString(nil, text), Unproven: "the result nests too deeply"}
}

func isBlock(v gjson.Result) bool {
	return v.IsObject() && v.Get("type").Type == gjson.String
}

func allBlocks(list []gjson.Result) bool {
	for _, b := range list {
		if !isBlock(b) {
			return false
		}
	}
	return true
}

func blockTexts(blocks []gjson.Result) string {
	var texts []string
	for _, b := range blocks {
		if t := b.Get("text"); t.Type == gjson.String {
			texts = append(texts, t.Str)
		}
	}
	return strings.Join(texts, "\n")
}

// unfinished recognises a call that goes on in the background, was interrupted,
// or whose own value says that it failed.
func unfinished(response, value gjson.Result) string {
	switch {
	case response.Get("backgroundTaskId").Exists(), response.Get("status").Str == "async_launched":
		return "the call goes on in the background"
	case response.Get("interrupted").Type == gjson.True:
		return "the call was interrupted"
	case saysFailed(value):
		return "the result says that it is an error"
	}
	return ""
}

// saysFailed reports whether an object calls itself an error, in whatever type:
// what is not plainly false is no success.
func saysFailed(v gjson.Result) bool {
	for _, name := range []string{"isError", "is_error"} {
		if flag := v.Get(name); v.IsObject() && flag.Exists() && flag.Type != gjson.False {
			return true
		}
	}
	return false
}
