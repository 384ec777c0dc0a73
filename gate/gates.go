package gate

import (
	"gatewright/policy"
	"gatewright/policy/exact"
	"slices"
)

// needGates: a gate reads what the session has proved.
func needGates(c *call, n *Needs) {
	for _, g := range c.layer.Gates {
		if policy.AnyRestricts(g.Tools, c.ev.Tool) {
			n.Any = true
			c.needUses(n, slices.Concat(g.Needs, g.AnyOf))
		}
	}
}

// judgeGates denies where a fact is missing. A gate never asks: a person at a
// prompt cannot prove a fact either.
func judgeGates(c *call) {
	for _, g := range c.layer.Gates {
		if !policy.AnyRestricts(g.Tools, c.ev.Tool) || c.open(g) {
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

func (c *call) open(g policy.Gate) bool {
	for _, id := range g.Needs {
		if !c.proved(id) {
			return false
		}
	}
	for _, id := range g.Unless {
		if c.proved(id) {
			return false
		}
	}
	if g.Where != nil && c.holds(g.Where, nil) != exact.True {
		return false
	}
	if len(g.AnyOf) == 0 {
		return true
	}
	for _, id := range g.AnyOf {
		if c.proved(id) {
			return true
		}
	}
	return false
}

// proved reports whether a fact is there for this call. A count is if it is not
// zero, and a list if it is not empty.
func (c *call) proved(id string) bool {
	f, ok := c.layer.Fact(id)
	if !ok {
		return false
	}
	v, there := c.fact(f)
	return there && (f.Keep == policy.Latest || !v.Empty())
}

// needUses notes that a proof may be used up, which is written.
func (c *call) needUses(n *Needs, ids []string) {
	for _, id := range ids {
		f, ok := c.layer.Fact(id)
		n.Uses = n.Uses || ok && f.MaxUses > 0
	}
}
