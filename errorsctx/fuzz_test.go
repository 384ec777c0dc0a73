package errorsctx

import (
	"encoding/json"
	"testing"

	"github.com/tidwall/gjson"
)

// FuzzShape: whatever a result is, what becomes of it is JSON, and stays as it is when it
// comes again.
func FuzzShape(f *testing.F) {
	for _, text := range []string{`[{"type":"text","text":"{\"t\":1,\"ssn\":2}"}]`, `{"content":[],"structuredContent":{"t":1}}`, `"{\"t\":1}"`, `{"a":{"t":"2026-01-01T00:00:00+01:00","n":"1,234"}}`} {
		f.Add(text)
	}
	z := Normalizer{Glob: glob, Digest: digest, Changes: []Change{
		on("**.ssn", Change{Redact: true}), on("**.t", Change{Time: auto, Rename: "at"}), on("**.n", Change{Number: "1,234.56"}), on("a[].x b", Change{Drop: true}),
		on("**.k", Change{Rename: "m", Keep: true}),
	}}
	shape := func(text string) []byte {
		return Shape([]byte(text), func(s string) string { return z.Document(s).Text }, func(string) {})
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) || !shallow(text) {
			return
		}
		e := Ending{Failed: len(text)%2 == 0, Text: text, Doc: gjson.Parse(text)}
		if o := Classify(e); o.Failure && (o.Message == "" || !known(o.Category)) {
			t.Fatalf("%s: %+v", text, o)
		}
		once := shape(text)
		if once == nil {
			return
		}
		if !json.Valid(once) {
			t.Fatalf("%s became %s", text, once)
		}
		if twice := shape(string(once)); twice != nil {
			t.Fatalf("%s became %s and then %s", text, once, twice)
		}
	})
}
