package errorsctx

import (
	"testing"

	"github.com/tidwall/gjson"
)

func TestLookup(t *testing.T) {
	const doc = `{"a":{"b":1},"a.b":2,"list":[{"x":1},{"x":2}],"mixed":[{"x":1},{}],"odd":[{"x":1},3],"empty":[],"null":null,"s":"t","K":1,"dup":1,"DUP":2,"nest":[{"l":[{"y":1}]},{"l":[]}]}`
	tests := map[string]struct {
		count    int
		presence Presence
	}{
		"a":            {1, Found},
		"a.b":          {1, Found},
		"a.c":          {0, Absent},
		"a.b.c":        {0, Mistyped},
		"gone.b":       {0, Absent},
		"null":         {1, Found},
		"null.x":       {0, Mistyped},
		"list":         {1, Found},
		"list[].x":     {2, Found},
		"list.x":       {0, Mistyped},
		"s[]":          {0, Mistyped},
		"mixed[].x":    {1, Absent},
		"odd[].x":      {1, Mistyped},
		"empty[].x":    {0, Found},
		"nest[].l[].y": {1, Found},
		"dup":          {0, Ambiguous},
		"Dup":          {0, Ambiguous},
		"\u212a":       {0, Ambiguous}, // the Kelvin sign folds to k
		"k":            {0, Ambiguous},
		"\u017f":       {0, Ambiguous}, // the long s folds to s
	}
	for path, want := range tests {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		values, presence := p.Lookup(gjson.Parse(doc))
		if len(values) != want.count || presence != want.presence {
			t.Errorf("%s: %v %v, want %v", path, values, presence, want)
		}
	}
	for _, bad := range []string{"", ".", "a.", ".a", "a..b", "a[0]", "a[", "[]", "a[][]", "a b", "a*", `"a"`} {
		if p, err := ParsePath(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, p)
		}
	}
	p, _ := ParsePath("a")
	if _, presence := p.Lookup(gjson.Result{}); presence != Absent {
		t.Errorf("nothing at all: %v", presence)
	}
}
