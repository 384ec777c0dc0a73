package errorsctx

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// glob knows a star at either end, which is enough here.
func glob(pattern, name string) bool {
	switch {
	case pattern == "*":
		return true
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(name, pattern[1:])
	case strings.HasSuffix(pattern, "*"):
		return strings.HasPrefix(name, pattern[:len(pattern)-1])
	}
	return pattern == name
}

func digest(string) string { return "0123456789abcdef" }

func on(paths string, c Change) Change {
	c.ID = "t"
	for text := range strings.SplitSeq(paths, " ") {
		s, err := ParseSelector(text)
		if err != nil {
			panic(err)
		}
		c.Paths = append(c.Paths, s)
	}
	return c
}

func normalized(text string, changes ...Change) Document {
	return Normalizer{Changes: changes, Glob: glob, Digest: digest}.Document(text)
}

var auto = &TimeForm{Unit: "auto"}

// TestDocument: what is named changes, everything else stays byte for byte.
func TestDocument(t *testing.T) {
	const odd = `{ "z" : 9007199254740993 , "a":"\u00e9\/ && <b>","n":1e400,"é":[ ] ,"dup":1,"dup":2}`
	state := map[string]string{"1": `"active"`, "2": `"closed"`, "true": `"yes"`}
	for _, tt := range []struct {
		from, want string
		left       int
		changes    []Change
	}{
		{odd, odd, 0, []Change{on("x **.y q[].z", Change{Drop: true})}},
		{odd, strings.Replace(odd, `"z"`, `"id"`, 1), 0, []Change{on("z", Change{Rename: "id"})}},
		{odd, odd, 1, []Change{on("z", Change{Rename: "a"})}},
		{odd, `{ "z" : 9007199254740993 , "a":"\u00e9\/ && <b>","n":1e400,"é":[ ]}`, 0, []Change{on("dup", Change{Drop: true})}},
		{`{"a":1,"b":2,"c":3}`, `{"b":2,"c":3}`, 0, []Change{on("a", Change{Drop: true})}},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, 0, []Change{on("b", Change{Drop: true})}},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"b":2}`, 0, []Change{on("c", Change{Drop: true})}},
		{`{"a":1,"b":2,"c":3}`, `{"c":3}`, 0, []Change{on("a b", Change{Drop: true})}},
		{`{ "a":1 , "b":2 }`, `{  }`, 0, []Change{on("*", Change{Drop: true})}},
		{`{"SSN":1}`, `{}`, 0, []Change{on("ssn", Change{Drop: true})}},
		{`{"T":1}`, `{"T":1}`, 0, []Change{on("t", Change{Time: auto})}},
		{`{"l":[1,2,3]}`, `{"l":[]}`, 0, []Change{on("l[]", Change{Drop: true})}},
		{`[{"t":1},{"t":2},7]`, `[{"t":"1970-01-01T00:00:01Z"},{"t":"1970-01-01T00:00:02Z"},7]`, 0, []Change{on("[].t", Change{Time: auto})}},
		{`{"a":{"b":[{"t":1,"u":{"t":2}}]},"t":3}`, `{"a":{"b":[{"t":"1970-01-01T00:00:01Z","u":{"t":"1970-01-01T00:00:02Z"}}]},"t":"1970-01-01T00:00:03Z"}`, 0, []Change{on("**.t", Change{Time: auto})}},
		{`{"a":{"t":1},"b":{"t":1}}`, `{"a":{"t":"1970-01-01T00:00:01Z"},"b":{"t":1}}`, 0, []Change{on("a.*", Change{Time: auto})}},
		{`{"at_unix":1}`, `{"at":"1970-01-01T00:00:01Z"}`, 0, []Change{on("at_unix", Change{Time: auto, Rename: "at"})}},
		{`{"at_unix":"soon"}`, `{"at_unix":"soon"}`, 1, []Change{on("at_unix", Change{Time: auto, Rename: "at"})}},
		{`{"at_unix":null}`, `{"at":null}`, 0, []Change{on("at_unix", Change{Time: auto, Rename: "at"})}},
		{`{"at":0,"at_unix":1}`, `{"at":0,"at_unix":1}`, 1, []Change{on("at_unix", Change{Time: auto, Rename: "at"})}},
		{`{"x_unix":1,"y_unix":2}`, `{"at":"1970-01-01T00:00:01Z","y_unix":2}`, 1, []Change{on("*_unix", Change{Time: auto, Rename: "at"})}},
		{`{"at_unix":1,"b":2}`, `{"at_unix":1,"at":"1970-01-01T00:00:01Z","b":2}`, 0, []Change{on("at_unix", Change{Time: auto, Rename: "at", Keep: true})}},
		{`{"o":{"t":1},"b":2}`, `{"o":{"t":"1970-01-01T00:00:01Z"},"p":{"t":"1970-01-01T00:00:01Z"},"b":2}`, 0, []Change{on("o", Change{Rename: "p", Keep: true}), on("**.t", Change{Time: auto})}},
		{`{"s":1,"t":"2","u":3,"v":true,"w":null,"x":{}}`, `{"s":"active","t":"closed","u":3,"v":"yes","w":null,"x":{}}`, 2, []Change{on("*", Change{Map: state})}},
		{`{"n":"1,234.50","m":"12","o":7,"p":"007","q":"1,23","r":"-0.5","s":"12,345,678"}`, `{"n":1234.50,"m":12,"o":7,"p":"007","q":"1,23","r":-0.5,"s":12345678}`, 2, []Change{on("*", Change{Number: "1,234.56"})}},
		{`{"n":"1.234,50","m":"1,5"}`, `{"n":1234.50,"m":1.5}`, 0, []Change{on("*", Change{Number: "1.234,56"})}},
		{`{"n":"12345678901234567890.10","m":"1,5"}`, `{"n":12345678901234567890.10,"m":"1,5"}`, 1, []Change{on("*", Change{Number: "1234.56"})}},
		{`{"n":"1,5","m":"1.5","o":"1,","p":"--1","q":true}`, `{"n":1.5,"m":"1.5","o":"1,","p":"--1","q":true}`, 4, []Change{on("*", Change{Number: "1234,56"})}},
		{`{"ssn":"123","o":{"ssn":{"a":1}},"n":null}`, `{"ssn":"redacted:0123456789abcdef","o":{"ssn":"redacted:0123456789abcdef"},"n":null}`, 0, []Change{on("**.ssn n", Change{Redact: true})}},
		{`{"ssn":"123"}`, `{"who":"redacted:0123456789abcdef"}`, 0, []Change{on("ssn", Change{Redact: true, Rename: "who"})}},
		{`{"ssn":"123","who":1}`, `{"ssn":"redacted:0123456789abcdef","who":1}`, 1, []Change{on("ssn", Change{Redact: true, Rename: "who"})}},
		{`{"ssn":1}`, `{"ssn":"redacted:0123456789abcdef"}`, 0, []Change{on("ssn", Change{Time: auto}), on("ssn", Change{Redact: true})}},
		{`{"ssn":1}`, `{}`, 0, []Change{on("ssn", Change{Rename: "x"}), on("ssn", Change{Drop: true})}},
		{`{"t":"1,772,452,800"}`, `{"t":"2026-03-02T12:00:00Z"}`, 0, []Change{on("t", Change{Number: "1,234.56"}), on("t", Change{Time: auto})}},
		{`{"a":1}`, `{"c":1}`, 0, []Change{on("b", Change{Rename: "c"}), on("a", Change{Rename: "b"})}},
		{`{"o":{"ssn":1}}`, `{"p":{"ssn":"redacted:0123456789abcdef"}}`, 0, []Change{on("o", Change{Rename: "p"}), on("**.ssn", Change{Redact: true})}},
	} {
		d := normalized(tt.from, tt.changes...)
		if d.Text != tt.want || len(d.Left) != tt.left || (d.Text != tt.from) != (len(d.Changed) > 0) {
			t.Errorf("%s: %+v, want %s with %d left", tt.from, d, tt.want, tt.left)
		}
	}
	if d := normalized(`{"a":1}`, on("a", Change{Rename: "b"}), on("b", Change{Rename: "a"})); len(d.Left) == 0 {
		t.Error("a circle is not noticed")
	}
}

// TestSelectors: what is no path.
func TestSelectors(t *testing.T) {
	for _, text := range []string{"", ".", "a.", ".a", "a..b", "a[0]", "$", "$.a", "**", "a.**", "**.a.**.b", "a**", "**[]", "a b", `"a"`, "a[][]", "a[]b"} {
		if s, err := ParseSelector(text); err == nil {
			t.Errorf("%q was read as %+v", text, s)
		}
	}
	for _, text := range []string{"a", "a.b", "a[].b", "[]", "[].a", "a[]", "*", "*_at", "**.a", "a.**.b[].c"} {
		if s, err := ParseSelector(text); err != nil || s.String() != text {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// someDocument makes a random document of names and values that changes are about.
func someDocument(r *rand.Rand, depth int) string {
	scalars := []string{`1`, `1772452800`, `"1772452800000"`, `null`, `true`, `"x"`, `"1,234"`, `9007199254740993`, `"2026-03-02T13:00:00+01:00"`, `1e400`, `"redacted"`, `-1.50`}
	names := []string{"a", "b", "a_unix", "t_ms", "ssn", "A"}
	if depth == 0 || r.IntN(3) == 0 {
		return scalars[r.IntN(len(scalars))]
	}
	var parts []string
	object := r.IntN(3) > 0
	for range r.IntN(4) {
		part := someDocument(r, depth-1)
		if object {
			part = `"` + names[r.IntN(len(names))] + `"` + strings.Repeat(" ", r.IntN(2)) + ":" + part
		}
		parts = append(parts, part)
	}
	text := strings.Join(parts, " ,")
	if object {
		return "{" + text + "}"
	}
	return "[ " + text + "]"
}

func someChanges(r *rand.Rand) []Change {
	paths := []string{"a", "**.a", "*_unix", "**.t_ms", "b.*", "[].a", "**.ssn", "a[].b", "*"}
	var changes []Change
	for i := range 1 + r.IntN(4) {
		var c Change
		switch r.IntN(7) {
		case 0:
			c.Time = auto
		case 1:
			c.Map = map[string]string{"1": `"one"`, "x": "2"}
		case 2:
			c.Number = NumberForms[r.IntN(len(NumberForms))]
		case 3:
			c.Drop = true
		case 4:
			c.Redact = true
		case 5:
			c.Time, c.Keep, c.Rename = auto, true, "n"+string(rune('0'+i))
		case 6:
			c.Rename = "n" + string(rune('0'+i))
		}
		changes = append(changes, on(paths[r.IntN(len(paths))], c))
	}
	return changes
}

// TestTwiceIsOnce: a document that was changed stays as it is, is JSON, and has no
// value under a name of which it is hidden.
func TestTwiceIsOnce(t *testing.T) {
	for seed := range uint64(30_000) {
		r := rand.New(rand.NewPCG(seed, 6))
		from, changes := someDocument(r, 4), someChanges(r)
		once := normalized(from, changes...)
		twice := normalized(once.Text, changes...)
		if twice.Text != once.Text || len(twice.Changed) > 0 {
			t.Fatalf("seed %d: %+v\n%s\n%s\n%s", seed, changes, from, once.Text, twice.Text)
		}
		if !json.Valid([]byte(once.Text)) {
			t.Fatalf("seed %d: %+v\n%s\n%s is no JSON", seed, changes, from, once.Text)
		}
		for _, c := range changes {
			if c.hides() && c.Paths[0].String() == "**.ssn" {
				checkHidden(t, gjson.Parse(once.Text), from, once.Text)
			}
		}
	}
}

func checkHidden(t *testing.T, v gjson.Result, texts ...string) {
	v.ForEach(func(k, m gjson.Result) bool {
		if strings.EqualFold(k.Str, "ssn") && m.Type != gjson.Null && !isRedacted(m.Str) {
			t.Fatalf("%s is shown: %q", m.Raw, texts)
		}
		if m.IsObject() || m.IsArray() {
			checkHidden(t, m, texts...)
		}
		return true
	})
}

// TestUntouched: a document without anything that is named stays byte for byte, and
// so does everything around what changes.
func TestUntouched(t *testing.T) {
	for seed := range uint64(5_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		from := someDocument(r, 4)
		if d := normalized(from, on("q **.zz n[].a", Change{Drop: true})); d.Text != from || d.Changed != nil || d.Left != nil {
			t.Fatalf("seed %d: %s %+v", seed, from, d)
		}
		whole := `{"keep":` + from + `,"t":1, "also" : ` + from + `}`
		d := normalized(whole, on("t", Change{Time: auto}))
		if want := strings.Replace(whole, `"t":1,`, `"t":"1970-01-01T00:00:01Z",`, 1); !strings.Contains(whole, `{"t":1`) && d.Text != want {
			t.Fatalf("seed %d: %s, want %s", seed, d.Text, want)
		}
	}
}
