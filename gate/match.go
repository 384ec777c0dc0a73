package gate

import (
	"fmt"
	"iter"
	"slices"

	"gatewright/policy"
	"gatewright/policy/exact"
)

// tests are conditions and their values, evaluated one after the other.
type tests = iter.Seq2[fmt.Stringer, exact.Truth]

// every is true if all tests are. After the first false one there is nothing to
// evaluate.
func every(list tests) exact.Truth {
	all := exact.True
	for _, t := range list {
		if all = min(all, t); all == exact.False {
			break
		}
	}
	return all
}

// key names a test by the key of the policy that asks for it.
type key string

func (k key) String() string { return string(k) }

// matcher evaluates all that a match sets; cheap tests first.
func (c *call) matcher(m policy.Match, admits bool) tests {
	return func(yield func(fmt.Stringer, exact.Truth) bool) {
		if len(m.Tools) > 0 && !yield(key("tool"), exact.Of(c.matchTool(m.Tools, admits))) {
			return
		}
		if len(m.Servers) > 0 && !yield(key("server"), exact.Of(c.matchServer(m.Servers, admits))) {
			return
		}
		for name, t := range c.described(m, admits) {
			if !yield(name, t) {
				return
			}
		}
		if len(m.Commands) > 0 && !yield(key("command"), c.matchCommands(m.Commands, admits)) {
			return
		}
		if len(m.Paths) > 0 && !yield(key("path"), c.matchPaths(m, admits)) {
			return
		}
		for _, condition := range m.Args {
			if !yield(condition, condition.Holds(c.args)) {
				return
			}
		}
	}
}

func (c *call) matchTool(patterns []policy.Pattern, admits bool) bool {
	if admits {
		return policy.AnyGrants(patterns, c.caller())
	}
	return policy.AnyRestricts(patterns, c.ev.Tool)
}

func (c *call) caller() policy.Caller {
	return policy.Caller{Tool: c.ev.Tool, Server: c.ev.Server, Source: c.ev.ServerSource}
}

func (c *call) matchServer(servers []policy.Server, admits bool) bool {
	return slices.ContainsFunc(servers, func(s policy.Server) bool {
		if admits {
			return s.Grants(c.ev.Tool, c.ev.Server)
		}
		return s.Restricts(c.ev.Tool, c.ev.Server)
	})
}

// property is one thing that a match says about a tool.
type property struct {
	key   key
	asked bool
	value func(policy.Description) exact.Truth
	// stated reports that a layer says something about it.
	stated func(policy.Description) bool
}

func properties(m policy.Match, admits bool) []property {
	tagged := func(d policy.Description) exact.Truth {
		return exact.Of(slices.ContainsFunc(m.Tags, func(glob string) bool { return d.HasTag(glob, admits) }))
	}
	byName := func(policy.Description) bool { return false }
	return []property{
		{"tag", len(m.Tags) > 0, tagged, func(policy.Description) bool { return !admits }},
		{"family", len(m.Families) > 0, func(d policy.Description) exact.Truth { return d.InFamily(m.Families) }, byName},
		{"category", len(m.Categories) > 0, func(d policy.Description) exact.Truth { return some(m.Categories, d.InCategory) }, byName},
		{"exposure", len(m.Exposures) > 0, func(d policy.Description) exact.Truth {
			return known(d.Exposure != "", slices.Contains(m.Exposures, d.Exposure))
		}, func(d policy.Description) bool { return d.Exposure != "" }},
		{"operation", len(m.Operations) > 0, func(d policy.Description) exact.Truth {
			return known(d.Operation != "", slices.Contains(m.Operations, d.Operation))
		}, func(d policy.Description) bool { return d.Operation != "" }},
		{"risk_at_least", m.RiskAtLeast > 0, func(d policy.Description) exact.Truth { return known(d.Risk > 0, d.Risk >= m.RiskAtLeast) }, hasRisk},
		{"risk_at_most", m.RiskAtMost > 0, func(d policy.Description) exact.Truth { return known(d.Risk > 0, d.Risk <= m.RiskAtMost) }, hasRisk},
	}
}

func hasRisk(d policy.Description) bool { return d.Risk > 0 }

// described evaluates what a match says about the tool's registered properties.
// Tags are a closed world; operation, risk and exposure of a tool that nobody
// described are unknown. What a broader layer states counts where it narrows.
func (c *call) described(m policy.Match, admits bool) tests {
	return func(yield func(fmt.Stringer, exact.Truth) bool) {
		if !m.Describes() {
			return
		}
		if c.saidBy != c.layer {
			c.said, c.saidBy = c.layer.Describe(c.caller()), c.layer
		}
		for _, p := range properties(m, admits) {
			if p.asked && !yield(p.key, p.of(c.said, admits)) {
				return
			}
		}
	}
}

func (p property) of(said []policy.Description, admits bool) exact.Truth {
	t := p.value(said[0])
	for _, d := range said[1:] {
		switch {
		case !p.stated(d):
		case admits:
			t = min(t, p.value(d))
		default:
			t = max(t, p.value(d))
		}
	}
	return t
}

// some is true if the test of one value is.
func some[T any](values []T, test func(T) exact.Truth) exact.Truth {
	t := exact.False
	for _, v := range values {
		t = max(t, test(v))
	}
	return t
}

func known(isKnown, value bool) exact.Truth {
	if !isKnown {
		return exact.Unknown
	}
	return exact.Of(value)
}
