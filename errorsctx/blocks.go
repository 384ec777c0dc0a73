package errorsctx

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Shape changes the JSON documents in a tool's result, in whichever of its shapes
// it comes: a list of content blocks, one block, a wrapper with content and
// structured content, a text that is JSON, or an object. Everything around the
// documents stays byte for byte. It returns nil if nothing changes. A text that is no
// document is given to other.
func Shape(response []byte, document func(text string) string, other func(text string)) []byte {
	s := &shaping{document: document, other: other}
	s.result(gjson.ParseBytes(response))
	if len(s.edits) == 0 {
		return nil
	}
	return []byte(apply(string(response), s.edits))
}

type shaping struct {
	document func(string) string
	other    func(string)
	edits    []edit
}

func (s *shaping) result(v gjson.Result) {
	content, isWrapper := wrapped(v)
	switch {
	case v.Type == gjson.String:
		s.text(v)
	case isWrapper:
		content.ForEach(func(_, block gjson.Result) bool { s.block(block); return true })
		if structured, _ := memberAt(v, "structuredContent"); structured.IsObject() || structured.IsArray() {
			s.raw(structured)
		} else if structured.Type == gjson.String {
			s.text(structured)
		}
	case IsBlock(v):
		s.block(v)
	case AreBlocks(v):
		v.ForEach(func(_, block gjson.Result) bool { s.block(block); return true })
	case v.IsObject() || v.IsArray():
		s.raw(v)
	}
}

// wrapped gives the content of a whole MCP result, which has no members but its own.
func wrapped(v gjson.Result) (gjson.Result, bool) {
	content, found := memberAt(v, "content")
	if !found || !AreBlocks(content) {
		return content, false
	}
	v.ForEach(func(k, _ gjson.Result) bool {
		found = found && slices.Contains([]string{"content", "structuredContent", "isError", "_meta", "_truncated"}, k.Str)
		return found
	})
	return content, found
}

// memberAt finds a member with its place in the text.
func memberAt(v gjson.Result, name string) (found gjson.Result, ok bool) {
	if !v.IsObject() {
		return gjson.Result{}, false
	}
	v.ForEach(func(k, m gjson.Result) bool {
		if k.Str == name {
			found, ok = m, true
		}
		return !ok
	})
	return found, ok
}

// IsBlock reports a content block: an object that names its type.
func IsBlock(v gjson.Result) bool {
	return v.IsObject() && v.Get("type").Type == gjson.String
}

// AreBlocks reports a list of content blocks, an empty one included.
func AreBlocks(v gjson.Result) bool {
	all := v.IsArray()
	if all {
		v.ForEach(func(_, block gjson.Result) bool { all = IsBlock(block); return all })
	}
	return all
}

func (s *shaping) block(b gjson.Result) {
	switch b.Get("type").Str {
	case "text":
	case "image", "audio", "resource_link":
		return
	case "resource":
		b, _ = memberAt(b, "resource")
	default: // an object that happens to have a type
		s.raw(b)
		return
	}
	if text, found := memberAt(b, "text"); found && text.Type == gjson.String {
		s.text(text)
	}
}

// text changes a document that a JSON string holds. A string that cannot be written
// again as it was is left.
func (s *shaping) text(v gjson.Result) {
	if !isDocument(v.Str) || strings.ContainsRune(v.Str, utf8.RuneError) && !strings.ContainsRune(v.Raw, utf8.RuneError) {
		s.other(v.Str)
		return
	}
	if changed := s.document(v.Str); changed != v.Str {
		s.edits = append(s.edits, edit{v.Index, v.Index + len(v.Raw), quote(changed)})
	}
}

func (s *shaping) raw(v gjson.Result) {
	if changed := s.document(v.Raw); changed != v.Raw {
		s.edits = append(s.edits, edit{v.Index, v.Index + len(v.Raw), changed})
	}
}

// maxDepth is how deep a document may nest to be changed.
const maxDepth = 512

// isDocument reports a text that is a JSON object or array.
func isDocument(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	if start == "" || start[0] != '{' && start[0] != '[' {
		return false
	}
	return shallow(text) && json.Valid([]byte(text))
}

// shallow counts brackets before anything recursive reads the text. Those in texts
// count, too: a document with hundreds of them in a row is left.
func shallow(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return false
			}
		case '}', ']':
			depth--
		}
	}
	return true
}

// Replace puts one text in the place of a result, in the same outer shape.
func Replace(response []byte, text string) []byte {
	v := gjson.ParseBytes(response)
	block := `{"type":"text","text":` + quote(text) + `}`
	content, isWrapper := wrapped(v)
	switch {
	case v.Type == gjson.String:
		return []byte(quote(text))
	case isWrapper:
		whole := Normalizer{Changes: []Change{{Drop: true, Paths: []Selector{{steps: []pick{{glob: "structuredContent"}}}}}}, Glob: same}
		changed := apply(v.Raw, []edit{{content.Index - v.Index, content.Index - v.Index + len(content.Raw), "[" + block + "]"}})
		return []byte(whole.Document(changed).Text)
	case AreBlocks(v):
		return []byte("[" + block + "]")
	case IsBlock(v):
		return []byte(block)
	}
	return []byte(text)
}

func same(a, b string) bool { return strings.EqualFold(a, b) }

// OnlyText reports that a result holds nothing that a text cannot stand for, such
// as an image.
func OnlyText(response []byte) bool {
	v := gjson.ParseBytes(response)
	if content, isWrapper := wrapped(v); isWrapper {
		v = content
	}
	if !AreBlocks(v) {
		return !IsBlock(v) || v.Get("type").Str == "text"
	}
	only := true
	v.ForEach(func(_, b gjson.Result) bool { only = only && b.Get("type").Str == "text"; return only })
	return only
}

// Text is what a model reads of a result: the structured content, or else the texts
// of its blocks, one after the other.
func Text(response []byte) string {
	v := gjson.ParseBytes(response)
	content, isWrapper := wrapped(v)
	if isWrapper {
		if structured, _ := memberAt(v, "structuredContent"); structured.IsObject() || structured.IsArray() {
			return structured.Raw
		}
		v = content
	}
	switch {
	case v.Type == gjson.String:
		return v.Str
	case IsBlock(v):
		return v.Get("text").Str
	case !AreBlocks(v):
		return v.Raw
	}
	var texts []string
	v.ForEach(func(_, b gjson.Result) bool { texts = append(texts, b.Get("text").Str); return true })
	return strings.Join(texts, "\n")
}
