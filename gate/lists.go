package gate

import (
	"gatewright/hooks"
	"gatewright/policy"
)

// Unlisted finds the rules of a layer that take the event's tool off a client's
// lists: those that hide or deny it whatever the call. What depends on a call or
// its surroundings stays listed, because some calls may pass; and so does what is
// not known of a tool, because the call is judged all the same.
func Unlisted(layer *policy.Layer, ev hooks.Event) []policy.Rule {
	c := newCall(Context{}, ev)
	c.layer = layer
	var out []policy.Rule
	for _, r := range layer.Rules {
		takes := r.Effect == policy.Deny || r.Effect == policy.Hide
		if takes && r.OnLists() && !r.Conditional() && c.matches(r) == policy.True {
			out = append(out, r)
		}
	}
	return out
}
