package policy

import (
	"fmt"
	"slices"

	"gatewright/errorsctx"
)

// readGate reads a [[gate]].
func readGate(t *table) Gate {
	t.need("tools")
	g := Gate{
		Source:   t.source(),
		Tools:    t.patterns("tools", false),
		Needs:    t.texts("needs"),
		AnyOf:    t.texts("any_of"),
		Unless:   t.texts("unless"),
		Call:     t.text("call"),
		Reason:   t.text("reason"),
		Category: t.category(errorsctx.Validation),
	}
	if !t.has("needs") && !t.has("any_of") && !t.has("unless") {
		t.problem("", "[[gate]] has neither needs, any_of nor unless, so it would never open or never close",
			`add needs = ["FACT"]`)
	}
	t.checkFacts("needs", g.Needs)
	t.checkFacts("any_of", g.AnyOf)
	t.checkFacts("unless", g.Unless)
	g.Where = t.expression("where", true, func() []string { return slices.Concat(g.Needs, g.AnyOf) })
	if g.Call == "" {
		g.Call = t.provingTool(append(g.Needs, g.AnyOf...))
	}
	return g
}

func (t *table) checkFacts(key string, ids []string) {
	for _, id := range ids {
		if _, ok := t.file.layer.Fact(id); !ok {
			t.problem(key, fmt.Sprintf("there is no [[fact]] with the id %q", id), "add it, or correct the name")
		}
	}
}

// provingTool names the tool that proves the first fact, if it is one tool.
func (t *table) provingTool(ids []string) string {
	for _, id := range ids {
		f, ok := t.file.layer.Fact(id)
		if ok && len(f.From) > 0 && f.From[0].Literal() {
			return f.From[0].String()
		}
	}
	return ""
}
