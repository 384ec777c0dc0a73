package policy

import (
	"fmt"
	"slices"
	"strings"

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
	g.Opens = opening(g, proving)
	if call, err := ParsePattern(g.Call); g.Announce && (err != nil || !call.Literal()) {
		t.problem("announce", "announce names the tool in call, which must be one tool's name", `write call = "mcp__SERVER__TOOL"`)
	}
	return g
}

// opening is what a gate never closes: the tool that it is opened by, where the gate is
// for all tools, or all of a server. One that proves nothing of what the gate needs is
// closed like every other, and so is one that a narrower pattern means.
func opening(g Gate, proving []Pattern) []Pattern {
	if len(g.Needs) == 0 && len(g.AnyOf) == 0 {
		return nil
	}
	var opens []Pattern
	for _, p := range proving {
		isCall := SameName(p.String(), g.Call)
		meant := slices.ContainsFunc(g.Tools, func(tool Pattern) bool { return !tool.catchesAll() && tool.Restricts(p.String()) })
		taken := slices.ContainsFunc(opens, func(o Pattern) bool { return o.String() == p.String() })
		if (isCall || len(g.Needs) == 0) && !meant && !taken {
			opens = append(opens, p)
		}
	}
	return opens
}

// catchesAll reports a pattern for every tool, or for every tool of some servers.
func (p Pattern) catchesAll() bool {
	rest := strings.TrimRight(p.glob, "*")
	return p.names == nil && rest != p.glob && (rest == "" || strings.HasSuffix(rest, "__"))
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
