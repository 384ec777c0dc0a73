package errorsctx

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// TestShape: documents in every shape of a result, with all around them as it was.
func TestShape(t *testing.T) {
	const from, to = `{\"t\":1,\"id\":9007199254740993,\"note\":\"a && b <c>\"}`, `{\"t\":\"1970-01-01T00:00:01Z\",\"id\":9007199254740993,\"note\":\"a && b <c>\"}`
	plain := func(text string) string { return strings.ReplaceAll(text, `\"`, `"`) }
	block := `{"type":"text","text":"` + from + `"}`
	image := `{"type":"image", "data":"AAAA","mimeType":"image/png"}`
	for _, shape := range []string{
		`[` + block + `]`, block, `"` + from + `"`, plain(from),
		`{"content":[` + block + `],"isError":false}`,
		`{"content":[` + block + `],"structuredContent":` + plain(from) + `,"_meta":{"t":1}}`,
		`[` + block + `, ` + image + `,{"type":"text","text":"# not json"},` + block + `]`,
		`[{"annotations":{"t":1},"type":"text","text":"` + from + `"}]`,
	} {
		got := Shape([]byte(shape), func(text string) string { return normalized(text, on("t", Change{Time: auto})).Text }, func(string) {})
		want := strings.ReplaceAll(strings.ReplaceAll(shape, from, to), plain(from), plain(to))
		if !sameJSON(string(got), want) || strings.Count(string(got), "9007199254740993") != strings.Count(shape, "9007199254740993") {
			t.Errorf("%s:\n%s, want\n%s", shape, got, want)
		}
	}
	for _, shape := range []string{`null`, `[]`, `"plain"`, `[{"type":"text","text":"prose {\"t\":1}"}]`, `[{"type":"resource","resource":{"t":1}}]`, image, `7`, `"{\"t\":1,}"`,
		`"{\"t\":1}\ud800"`, `"` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `"`} {
		if got := Shape([]byte(shape), func(text string) string { return normalized(text, on("**.t", Change{Time: auto})).Text }, func(string) {}); got != nil {
			t.Errorf("%s: %s", shape, got)
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// TestReplace: one text in the place of any result, in its shape.
func TestReplace(t *testing.T) {
	const block = `{"type":"text","text":"<c>"}`
	for from, want := range map[string]string{
		`"x"`:                        `"<c>"`,
		`[{"type":"text","text":1}]`: `[` + block + `]`,
		`[]`:                         `[` + block + `]`,
		`{"type":"text","text":"x"}`: block,
		`{"content":[],"structuredContent":{"a":1},"isError":false}`: `{"content":[` + block + `],"isError":false}`,
		` {"structuredContent":{"a":1} , "content":[ ] }`:            `{"content":[` + block + `]}`,
	} {
		if got := Replace([]byte(from), "<c>"); !sameJSON(string(got), want) {
			t.Errorf("%s: %s, want %s", from, got, want)
		}
		if got := Replace([]byte(from), "<c>"); Text(got) != "<c>" || !OnlyText(got) {
			t.Errorf("%s: reads %q", got, Text(got))
		}
	}
	if got := string(Replace([]byte(`{"a":1}`), `{"isError":true}`)); got != `{"isError":true}` {
		t.Errorf("an object: %s", got)
	}
}
