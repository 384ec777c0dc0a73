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
		Announce: t.yes("announce"),
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
	proving := t.provingTools(slices.Concat(g.Needs, g.AnyOf))
	if g.Call == "" && len(proving) > 0 {
		g.Call = proving[0].String()
	}
	g.Opens = opening(g.Tools, g.Call, proving)
	if g.Announce && g.Call == "" {
		t.problem("announce", "announce has no tool to name", `add call = "mcp__SERVER__TOOL"`)
	}
	return g
}

// opening are the tools that a gate never closes, because only they open it. One
// that the gate names itself, and not by a wildcard, is closed all the same.
func opening(tools []Pattern, call string, proving []Pattern) []Pattern {
	if p, err := ParsePattern(call); err == nil && p.Literal() {
		proving = append(proving, p)
	}
	var opens []Pattern
	for _, p := range proving {
		named := slices.ContainsFunc(tools, func(tool Pattern) bool { return tool.Literal() && tool.Restricts(p.String()) })
		if !named && !slices.ContainsFunc(opens, func(o Pattern) bool { return o.String() == p.String() }) {
			opens = append(opens, p)
		}
	}
	return opens
}

func (t *table) checkFacts(key string, ids []string) {
	for _, id := range ids {
		if _, ok := t.file.layer.Fact(id); !ok {
			t.problem(key, fmt.Sprintf("there is no [[fact]] with the id %q", id), "add it, or correct the name")
		}
	}
}

// provingTools are the tools that feed facts, where they are named one by one.
func (t *table) provingTools(ids []string) []Pattern {
	var tools []Pattern
	for _, id := range ids {
		f, ok := t.file.layer.Fact(id)
		for _, p := range f.From {
			if ok && p.Literal() {
				tools = append(tools, p)
			}
		}
	}
	return tools
}
