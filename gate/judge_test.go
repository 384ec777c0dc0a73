package gate

import (
	"fmt"
	"slices"
	"testing"
)

// checkJudge: Judge decides as Decide does, misses no objection, and knows each
// table that objects.
func checkJudge(t testing.TB, b bench, c *choices) {
	w, ctx, ev := c.world(), c.context(), c.event()
	set := b.load(w)
	facts := c.remembered(set, ctx, ev)
	if c.n(4) == 0 {
		facts.Frozen = "other arguments ran"
	}
	want := Decide(set, ctx, facts, ev)
	got, about := Judge(set, ctx, facts, ev)
	if got.Decision != want.Decision || fmt.Sprint(got.Reserve, got.Uses) != fmt.Sprint(want.Reserve, want.Uses) {
		t.Errorf("%v, want %v\n%v\n%s", got, want, ev, w)
	}
	for _, f := range want.Findings {
		if !slices.ContainsFunc(got.Findings, func(g Finding) bool { return g.Source == f.Source && g.Decision == f.Decision }) {
			t.Errorf("%v is missing in %v\n%s", f, got, w)
		}
	}
	tables := Tables(set)
	for _, f := range got.Findings {
		if f.Layer != ownLayer && (!slices.Contains(about, f.Source) || !slices.Contains(tables, f.Source)) {
			t.Errorf("%v objects and is not about the call: %v, %v", f.Source, about, tables)
		}
	}
}

func TestJudgeAgreesWithDecide(t *testing.T) { repeat(t, checkJudge) }

// TestJudgeSaysAll: a call that is denied without memory is judged by what needs it,
// too, and a table about another tool is not among those that judged.
func TestJudgeSaysAll(t *testing.T) {
	set := mustParse(t, `
default = "deny"
[[rule]]
id = "no"
effect = "deny"
match = { tool = ["pay"] }
[[rule]]
id = "shell"
effect = "deny"
match = { tool = ["@shell"] }
[[fact]]
id = "f"
from = ["mcp__x__look"]
[[gate]]
id = "g"
tools = ["pay"]
needs = ["f"]
[[limit]]
id = "l"
tools = ["ship"]
amount = "a"
max = "1"
`)
	v, about := Judge(set, Context{}, Facts{}, pre("mcp__x__pay", `{}`))
	var said, judged []string
	for _, f := range v.Findings {
		said = append(said, f.ID)
	}
	for _, s := range about {
		judged = append(judged, s.ID)
	}
	if fmt.Sprint(said) != "[default no g]" || fmt.Sprint(judged) != "[default no g]" || v.Decision != Deny {
		t.Errorf("%q said, %q judged", said, judged)
	}
	if n := len(Tables(set)); n != 5 {
		t.Errorf("%d tables, want 5", n)
	}
}
