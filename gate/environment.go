package gate

import (
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// holds evaluates a condition of a table. An expression that cannot be compiled is
// a fault of the policy, which denies.
func (c *call) holds(e *policy.Expression) exact.Truth {
	p, ok := c.program(e)
	if !ok {
		return exact.Unknown
	}
	return p.Holds(c.environment(p))
}

// program compiles an expression.
func (c *call) program(e *policy.Expression) (*expression.Program, bool) {
	p, err := e.Program()
	if err != nil {
		c.broken(err)
	}
	return p, err == nil
}

// sound compiles all that a table would read, so that a fault is found whatever the
// call is.
func (c *call) sound(list ...*policy.Expression) bool {
	ok := true
	for _, e := range list {
		if e != nil {
			_, good := c.program(e)
			ok = ok && good
		}
	}
	return ok
}

// soundFacts does the same for facts, and those that they are joined to.
func (c *call) soundFacts(ids []string) bool {
	facts, err := c.layer.FactsBehind(ids)
	if err != nil {
		c.broken(err)
	}
	ok := err == nil
	for _, f := range facts {
		ok = c.sound(f.Where, f.Value, f.By) && ok
	}
	return ok
}

// environment is the call and the facts that an expression reads.
func (c *call) environment(p *expression.Program) expression.Env {
	env := expression.Env{Names: map[string]expression.Value{}, Now: c.facts.Now, Zone: c.layer.Zone, Tables: c.layer.Tables()}
	for name := range p.Reads() {
		if name != pastName {
			env.Names[name] = c.named(name)
		}
	}
	return env
}

// named is the value of a name that every expression knows, or of a fact.
func (c *call) named(name string) expression.Value {
	switch name {
	case "args":
		return expression.FromJSON(c.args)
	case "tool":
		return expression.NewText(c.ev.Tool)
	case "client":
		return expression.NewText(c.ev.Client)
	case "now":
		return expression.NewTime(c.facts.Now)
	case "user":
		return c.facts.User.value()
	}
	f, known := c.layer.Fact(name)
	if !known {
		return expression.NewUnknown()
	}
	v, state := c.fact(f)
	switch {
	case state == there:
		return v
	case state == notThere && f.Optional:
		return expression.Value{} // absent, which ?? can answer
	}
	return expression.NewUnknown()
}

// broken objects to a policy whose expression cannot be compiled.
func (c *call) broken(err error) {
	for _, f := range c.findings {
		if f.ID == rulePolicy {
			return
		}
	}
	c.findings = append(c.findings, Broken(err.Error()).Findings[0])
}
