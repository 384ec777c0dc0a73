package gate

import "gatewright/policy"

// needGates asks for the records that could prove what matching gates need.
func needGates(c *call, n *Needs) {
	for _, g := range c.layer.Gates {
		if !policy.AnyRestricts(g.Tools, c.ev.Tool) {
			continue
		}
		n.Any = true
		for _, id := range append(append([]string(nil), g.Needs...), g.AnyOf...) {
			f, _ := c.layer.Fact(id)
			if join, ok := f.Where.ArgsKey(c.args); ok {
				n.Evidence = append(n.Evidence, evidenceKey(f, join))
			}
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
			Retryable: true,
			Message:   message,
			Required:  g.Call,
		})
	}
}

func (c *call) open(g policy.Gate) bool {
	for _, id := range g.Needs {
		if f, ok := c.layer.Fact(id); !ok || !c.proved(f) {
			return false
		}
	}
	if len(g.AnyOf) == 0 {
		return true
	}
	for _, id := range g.AnyOf {
		if f, ok := c.layer.Fact(id); ok && c.proved(f) {
			return true
		}
	}
	return false
}
