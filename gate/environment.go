package gate

import (
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// holds evaluates a condition of a table. An expression that cannot be compiled is
// a fault of the policy, which denies.
func (c *call) holds(e *policy.Expression, more map[string]expression.Value) exact.Truth {
	return c.value(e, more).Truth()
}

// value evaluates an expression over the call, facts and what else is given.
func (c *call) value(e *policy.Expression, more map[string]expression.Value) expression.Value {
	p, err := e.Program()
	if err != nil {
		c.broken(err)
		return expression.NewUnknown()
	}
	return c.eval(p, more)
}

func (c *call) eval(p *expression.Program, more map[string]expression.Value) expression.Value {
	env := expression.Env{Names: map[string]expression.Value{}, Now: c.facts.Now, Zone: c.layer.Zone, Tables: c.layer.Tables()}
	for name := range p.Reads() {
		if v, given := more[name]; given {
			env.Names[name] = v
		} else {
			env.Names[name] = c.named(name)
		}
	}
	return p.Eval(env)
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
	if f, ok := c.layer.Fact(name); ok {
		v, _ := c.fact(f)
		return v
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
