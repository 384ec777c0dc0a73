package gate

import (
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// Unlisted finds the rules of a layer that take the event's tool off a client's
// lists. What is not known of a tool leaves it there, because the call is judged
// all the same.
func Unlisted(layer *policy.Layer, ev hooks.Event) []policy.Rule {
	c := newCall(Context{}, ev)
	c.layer = layer
	var out []policy.Rule
	for _, r := range layer.Rules {
		if r.TakesOff() && c.matches(r) == exact.True {
			out = append(out, r)
		}
	}
	return out
}
