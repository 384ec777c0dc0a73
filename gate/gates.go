package gate

import (
	"gatewright/policy"
	"gatewright/policy/exact"
	"slices"
)

// needGates: a gate reads what the session has proved.
func needGates(c *call, n *Needs) {
	for _, g := range c.layer.Gates {
		if c.closes(g) {
			n.Any = true
			c.needUses(n)
		}
	}
}

// judgeGates denies where a fact is missing. A gate never asks: a person at a
// prompt cannot prove a fact either.
func judgeGates(c *call) {
	for _, g := range c.layer.Gates {
		if !c.closes(g) || c.open(g) {
			continue
		}
		message := g.Reason
		if message == "" {
			message = "Something must be proved before this call."
		}
		c.find(g.Source, Finding{
			Decision:  Deny,
			Category:  g.Category,
			Retryable: len(g.Unless) == 0,
			Message:   message,
			Required:  g.Call,
			Closed:    true,
		})
	}
}

// closes reports a gate on the tool: not on those that prove its facts, and not on
// the search by which a client finds them, or it could never be opened.
func (c *call) closes(g policy.Gate) bool {
	return policy.AnyRestricts(g.Tools, c.ev.Tool) && !policy.AnyGrants(g.Opens, c.caller()) && !policy.FindsTools(c.ev.Tool)
}

func (c *call) open(g policy.Gate) bool {
	if !c.sound(g.Where) || !c.soundFacts(slices.Concat(g.Needs, g.AnyOf, g.Unless)) {
		return false
	}
	for _, id := range g.Needs {
		if c.proved(id) != exact.True {
			return false
		}
	}
	for _, id := range g.Unless {
		if c.proved(id) != exact.False {
			return false
		}
	}
	if g.Where != nil && c.holds(g.Where) != exact.True {
		return false
	}
	if len(g.AnyOf) == 0 {
		return true
	}
	return slices.ContainsFunc(g.AnyOf, func(id string) bool { return c.proved(id) == exact.True })
}

// proved says whether a fact is there for this call. A count is if it is not zero,
// and a list if it is not empty.
func (c *call) proved(id string) exact.Truth {
	f, ok := c.layer.Fact(id)
	if !ok {
		return exact.Unknown
	}
	v, state := c.fact(f)
	switch {
	case state == inDoubt:
		return exact.Unknown
	case state == notThere:
		return exact.False
	case f.Keep == policy.Latest:
		return exact.True
	}
	return exact.Of(!v.Empty())
}
