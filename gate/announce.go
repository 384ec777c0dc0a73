package gate

import (
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/policy"
)

// Announce tells a model at the beginning of its conversation what to call first. A
// sub-agent hears of what it must prove for itself, a shortened conversation of what
// it has to prove again, and one that goes on of nothing.
func Announce(set *policy.Set, ev hooks.Event) string {
	var lines []string
	for _, layer := range set.Layers {
		for _, g := range layer.Gates {
			if g.Announce && begins(layer, g, ev) {
				lines = append(lines, announcement(g))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// begins reports that a gate is closed because a conversation begins.
func begins(layer *policy.Layer, g policy.Gate, ev hooks.Event) bool {
	of := func(has func(policy.Fact) bool) bool {
		return slices.ContainsFunc(slices.Concat(g.Needs, g.AnyOf), func(id string) bool {
			f, known := layer.Fact(id)
			return known && has(f)
		})
	}
	switch {
	case ev.Kind == hooks.SubagentStart:
		return of(func(f policy.Fact) bool { return f.PerAgent })
	case ev.Source == hooks.Compact:
		return of(func(f policy.Fact) bool { return f.ResetOnCompact })
	}
	return ev.Source != "resume"
}

func announcement(g policy.Gate) string {
	var tools []string
	for _, p := range g.Tools {
		tools = append(tools, p.String())
	}
	what := "calls of " + strings.Join(tools, ", ") + " are"
	if slices.Contains(tools, "*") {
		what = "every other tool call is"
	}
	text := "Call " + g.Call + " first: until it has succeeded, " + what + " refused."
	if g.Reason != "" {
		text += " " + g.Reason
	}
	return text
}
