package gate

import (
	"fmt"
	"slices"
	"strings"

	"gatewright/errorsctx"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// requires are the requirements of the layer that match the tool.
func (c *call) requires() []policy.Require {
	var out []policy.Require
	for _, r := range c.layer.Requires {
		if policy.AnyRestricts(r.Tools, c.ev.Tool) {
			out = append(out, r)
		}
	}
	return out
}

// checkRequires judges the requirements that read the arguments alone.
func checkRequires(c *call) {
	for _, r := range c.requires() {
		if !remembers(r) {
			c.require(r)
		}
	}
}

// remembers reports a requirement that reads what the session did.
func remembers(r policy.Require) bool {
	if len(r.Use) > 0 {
		return true
	}
	for _, list := range [][]*policy.Expression{{r.If}, r.All, r.Any} {
		for _, e := range list {
			if e != nil && e.ReadsUser() {
				return true
			}
		}
	}
	return false
}

func needRequires(c *call, n *Needs) {
	for _, r := range c.requires() {
		if remembers(r) {
			n.Any = true
			c.needUses(n)
		}
	}
}

func judgeRequires(c *call) {
	for _, r := range c.requires() {
		if remembers(r) {
			c.require(r)
		}
	}
}

// require judges one requirement. What cannot be decided asks: it neither lets the
// call through nor says that it is wrong.
func (c *call) require(r policy.Require) {
	if !c.sound(slices.Concat(r.All, r.Any, []*policy.Expression{r.If})...) || !c.soundFacts(r.Use) {
		return // the policy is broken, which denies
	}
	applies := exact.True
	if r.If != nil {
		applies = c.holds(r.If)
	}
	if applies == exact.False {
		return
	}
	if missing, ok := c.missing(r); ok {
		if f, objects := missingFinding(r, missing); objects {
			c.find(r.Source, f)
		}
		return
	}
	switch met := c.met(r); {
	case met == exact.True:
	case met == exact.False && applies == exact.True:
		c.find(r.Source, unmet(r, r.ElseAsks))
	default:
		f := unmet(r, true)
		f.Detail, f.Undecided = "a condition could not be decided", true
		c.find(r.Source, f)
	}
}

// missing is the first fact that the requirement uses and that is not there. One in
// doubt is missing only where that denies: elsewhere it makes conditions unknown.
func (c *call) missing(r policy.Require) (policy.Fact, bool) {
	for _, id := range r.Use {
		f, ok := c.layer.Fact(id)
		if !ok {
			return f, true
		}
		_, state := c.fact(f)
		if f.Keep == policy.Latest && !f.Optional && (state == notThere || state == inDoubt && r.Missing == policy.MissingGates) {
			return f, true
		}
	}
	return policy.Fact{}, false
}

func missingFinding(r policy.Require, f policy.Fact) (Finding, bool) {
	switch r.Missing {
	case policy.MissingSkips:
		return Finding{}, false
	case policy.MissingAsks:
		found := unmet(r, true)
		found.Detail = "the fact " + f.ID + " is not there"
		return found, true
	}
	found := Finding{Decision: Deny, Category: errorsctx.Validation, Retryable: true, Closed: true, Message: "Something must be looked up before this call."}
	if len(f.From) > 0 && f.From[0].Literal() {
		found.Required = f.From[0].String()
	}
	return found, true
}

// met evaluates all and any: in the one a false branch wins over an unknown one, in
// the other a true one does.
func (c *call) met(r policy.Require) exact.Truth {
	t := exact.True
	for _, e := range r.All {
		t = min(t, c.holds(e))
	}
	if len(r.Any) == 0 {
		return t
	}
	some := exact.False
	for _, e := range r.Any {
		some = max(some, c.holds(e))
	}
	return min(t, some)
}

func unmet(r policy.Require, asks bool) Finding {
	f := Finding{Decision: Deny, Category: r.Category, Message: r.Reason, Redirect: r.Redirect}
	if f.Message == "" {
		f.Message = fmt.Sprintf("Requirement %q is not met.", r.ID)
	}
	if asks {
		f.Decision = Ask
	}
	return f
}

func explainRequires(c *call) []Explained {
	var out []Explained
	for _, r := range c.requires() {
		x := Explained{Source: r.Source, Kind: "require", Says: "met"}
		for _, id := range r.Use {
			x.fact(c, "use ", id)
		}
		if r.If != nil {
			x.expression(c, "if ", r.If)
		}
		for _, e := range r.All {
			x.expression(c, "all ", e)
		}
		for _, e := range r.Any {
			x.expression(c, "any ", e)
		}
		x.Matched = c.met(r)
		out = append(out, x)
	}
	return out
}

func (x *Explained) expression(c *call, prefix string, e *policy.Expression) {
	x.Tests = append(x.Tests, Test{prefix + strings.Join(strings.Fields(e.Text), " "), c.holds(e).String()})
}
