package jsontext

import (
	"bytes"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	const value = `{"a":1}`
	tests := []struct{ name, text, want string }{
		{"two spaces", "{\n  \"x\": 1\n}\n", "{\n  \"x\": 1,\n  \"hooks\": {\n    \"E\": [\n      {\n        \"a\": 1\n      }\n    ]\n  }\n}\n"},
		{"tabs", "{\n\t\"hooks\": {\n\t\t\"F\": []\n\t}\n}", "{\n\t\"hooks\": {\n\t\t\"F\": [],\n\t\t\"E\": [\n\t\t\t{\n\t\t\t\t\"a\": 1\n\t\t\t}\n\t\t]\n\t}\n}"},
		{"one line", `{"hooks":{"E":[{"b":2}]},"z":0}`, `{"hooks":{"E":[{"b":2},{"a":1}]},"z":0}`},
		{"one line with blanks", `{ "x": 1 }`, `{ "x": 1, "hooks": {"E":[{"a":1}]} }`},
		{"CRLF", "{\r\n  \"hooks\": {}\r\n}", "{\r\n  \"hooks\": {\r\n    \"E\": [\r\n      {\r\n        \"a\": 1\r\n      }\r\n    ] }\r\n}"},
		{"empty", "{}", "{\n  \"hooks\": {\n    \"E\": [\n      {\n        \"a\": 1\n      }\n    ]\n  } }"},
		{"null", "{\n  \"hooks\": null\n}", "{\n  \"hooks\": {\n    \"E\": [\n      {\n        \"a\": 1\n      }\n    ]\t}\n}"},
		{"an empty array on one line", `{"hooks":{"E":[ ]}}`, `{"hooks":{"E":[{"a":1}  ]}}`},
	}
	for _, test := range tests {
		got, err := Append([]byte(test.text), []string{"hooks", "E"}, []byte(value))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", test.name, err, got, test.want)
		}
	}
	fresh, err := Append(nil, []string{"hooks", "E"}, []byte(value))
	if want := "{\n  \"hooks\": {\n    \"E\": [\n      {\n        \"a\": 1\n      }\n    ]\n  }\n}\n"; err != nil || string(fresh) != want {
		t.Errorf("%v %q", err, fresh)
	}
	if rest, err := Remove(fresh, "hooks", "E", 0); rest != nil || err != nil {
		t.Errorf("a file that was made is not gone: %q %v", rest, err)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		text, message string
		line, column  int
	}{
		{"{\n  // no\n}", "invalid character '/'", 2, 3},
		{"{\"é\": 1,}", "invalid character '}'", 1, 9},
		{"{\n", "unexpected end", 2, 1},
		{"", "unexpected end", 1, 1},
		{"{} x", "invalid character 'x'", 1, 4},
		{"[]", "the document is not an object", 1, 1},
		{"{\"hooks\": []}", "hooks is not an object", 1, 11},
		{"{\"hooks\": {\r\n\"E\": 1}}", "hooks.E is not an array", 2, 6},
	}
	for _, test := range tests {
		_, err := Append([]byte(test.text), []string{"hooks", "E"}, []byte("1"))
		place, ok := err.(*Error)
		if !ok || place.Line != test.line || place.Column != test.column || !strings.HasPrefix(place.Message, test.message) || strings.ContainsAny(place.Text, "\r\n") {
			t.Errorf("%q: %#v", test.text, err)
		}
	}
}

// FuzzRemoveAppend: what was appended, to several arrays and in any layout,
// leaves no trace when it is removed again.
func FuzzRemoveAppend(f *testing.F) {
	for _, seed := range []string{
		"{}", "{ }", "{\n}", `{"hooks":null}`, "{\n  \"hooks\": {\n    \"E\":  null\n  }\n}", "{\"hooks\": {\t}}", "{\n\n}\n", `{"a":1}`, `{ "a" : 1 }`, "{\n\t\"a\": [1,\n2]\n}", `{"hooks":{}}`, `{"hooks":{ }}`,
		"{\n  \"hooks\": {\n  }\n}\n", `{"hooks":{"E":[]}}`, `{"hooks":{"E":[ 1 , 2 ],"F":[{}]}}`, "{\r\n  \"hooks\" : {\r\n}\r\n}",
		"{\"hooks\":\n{\"E\":\n[\n]}}", "{\n  \"hooks\": {\n    \"E\": [\n      1\n    ]\n  }\n}", `{"a":1,"a":{},"hooks":{"G":"E"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := []byte(text)
		now := before
		var done []string
		for _, event := range []string{"E", "F", "G"} {
			next, err := Append(now, []string{"hooks", event}, []byte(`{"x":[{"command":"a <b> & 'c'"}]}`))
			if err != nil {
				continue
			}
			now, done = next, append(done, event)
		}
		for _, event := range done {
			root, err := Parse(now)
			if err != nil {
				t.Fatalf("%q became %q: %v", before, now, err)
			}
			n := root.Members[root.Index("hooks")].Value
			n = n.Members[n.Index(event)].Value
			if now, err = Remove(now, "hooks", event, len(n.Members)-1); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(now, before) {
			t.Errorf("%q\ncame back as\n%q", before, now)
		}
	})
}
