package gate

import (
	"slices"

	"gatewright/hooks"
	"gatewright/policy"
)

// Objections lists what every table says to a call, those that need memory even if
// the call is already denied without them: for `gatewright replay`, which asks what
// each rule would have done.
func Objections(set *policy.Set, ctx Context, facts Facts, ev hooks.Event) []Finding {
	c := newCall(ctx, ev)
	c.facts = facts
	c.screen(set)
	c.each(set, func(k kind) func(*call) { return k.second })
	slices.SortStableFunc(c.findings, leading)
	return c.findings
}
