package gate

import (
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// Judge judges a call as Decide does, but asks every table, those that need memory
// even if the call is already denied without them: for `gatewright replay`, which
// counts what each rule would have done. The sources are those tables that judge
// calls of this tool.
func Judge(set *policy.Set, ctx Context, facts Facts, ev hooks.Event) (Verdict, []policy.Source) {
	c := newCall(ctx, ev)
	c.facts = facts
	c.screen(set)
	c.each(set, func(k kind) func(*call) { return k.second })
	if facts.Frozen != "" && !Required(set, ctx, ev).Empty() {
		c.findings = append(c.findings, frozen(facts.Frozen))
	}
	v := combine(c.findings, c.obstacle)
	if v.Decision != Deny {
		v.Reserve, v.Uses = c.reserve, c.useProofs()
	}
	return v, c.about(set)
}

// Tables lists the tables of a policy that judge calls.
func Tables(set *policy.Set) []policy.Source {
	var out []policy.Source
	for _, layer := range set.Layers {
		eachTable(layer, func(s policy.Source, _ func(*call) bool) { out = append(out, s) })
	}
	return out
}

func (c *call) about(set *policy.Set) []policy.Source {
	var out []policy.Source
	for c.depth, c.layer = range set.Layers {
		eachTable(c.layer, func(s policy.Source, about func(*call) bool) {
			if about(c) {
				out = append(out, s)
			}
		})
	}
	return out
}

// eachTable visits the tables of a layer that judge calls, each with a test that
// reports whether it is about a call's tool.
func eachTable(layer *policy.Layer, visit func(policy.Source, func(*call) bool)) {
	restricts := func(tools []policy.Pattern) func(*call) bool {
		return func(c *call) bool { return policy.AnyRestricts(tools, c.ev.Tool) }
	}
	if layer.DefaultDeny {
		visit(defaultOf(layer), func(*call) bool { return true })
	}
	for _, r := range layer.Rules {
		if r.OnCall() {
			visit(r.Source, func(c *call) bool { return c.names(r) })
		}
	}
	for _, g := range layer.Gates {
		visit(g.Source, func(c *call) bool { return c.closes(g) })
	}
	for _, r := range layer.Requires {
		visit(r.Source, restricts(r.Tools))
	}
	for _, l := range layer.Limits {
		visit(l.Source, restricts(l.Tools))
	}
	for _, r := range layer.Retries {
		visit(r.Source, func(c *call) bool { return r.Covers(c.ev.Tool) })
	}
}

// defaultOf is where a layer says that it denies what no rule of it allows.
func defaultOf(layer *policy.Layer) policy.Source {
	return policy.Source{Layer: layer.Name, ID: policy.DefaultID, File: layer.File, Line: layer.DefaultLine}
}

// names reports a rule that is about the call's tool or its server, whatever else it
// asks for.
func (c *call) names(r policy.Rule) bool {
	m := policy.Match{Tools: r.Match.Tools, Servers: r.Match.Servers}
	return every(c.as(r.Match, r.Effect.Admits()).matcher(m, r.Effect.Admits())) == exact.True
}
