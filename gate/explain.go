package gate

import (
	"fmt"

	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// Explanation is a verdict with all that led to it.
type Explanation struct {
	Verdict Verdict
	// Later holds what the tables that need memory object to a call that is
	// already denied without them. The client never hears of it.
	Later  []Finding
	Tables []Explained // every table that is about the tool
	Unlist []policy.Source
}

// Explained is how one table judged the call.
type Explained struct {
	policy.Source
	Kind    string // rule, gate or limit
	Says    string // what Matched is the value of
	Matched exact.Truth
	Tests   []Test
}

// Test is one condition and its value.
type Test struct{ Name, Value string }

// Explain judges a call as Decide does and keeps what every table said.
func Explain(set *policy.Set, ctx Context, facts Facts, ev hooks.Event) Explanation {
	e := Explanation{Verdict: Decide(set, ctx, facts, ev)}
	c := newCall(ctx, ev)
	c.facts = facts
	if c.screen(set).Decision == Deny {
		c.findings = nil
		c.each(set, func(k kind) func(*call) { return k.second })
		e.Later = c.findings
	}
	c.each(set, func(k kind) func(*call) {
		if k.explain == nil {
			return nil
		}
		return func(c *call) { e.Tables = append(e.Tables, k.explain(c)...) }
	})
	for _, layer := range set.Layers {
		for _, r := range Unlisted(layer, ev) {
			e.Unlist = append(e.Unlist, r.Source)
		}
	}
	return e
}

// explainRules shows the rules that are about the tool, those that do not apply
// included: why they do not is what one wants to know.
func explainRules(c *call) []Explained {
	var out []Explained
	for _, r := range c.layer.Rules {
		if !r.OnCall() {
			continue
		}
		x := Explained{Source: r.Source, Kind: "rule", Says: string(r.Effect) + " applies", Matched: c.matches(r)}
		subject := c.as(r.Match, r.Effect.Admits())
		about := x.add("", subject.matcher(r.Match, r.Effect.Admits()))
		if r.Except != nil {
			x.add("except ", subject.matcher(*r.Except, !r.Effect.Admits()))
		}
		x.add("when ", c.when(r.When))
		if about {
			out = append(out, x)
		}
	}
	return out
}

// add evaluates all tests. It reports whether they are about this tool.
func (x *Explained) add(prefix string, list tests) bool {
	about := true
	for name, t := range list {
		x.Tests = append(x.Tests, Test{prefix + name.String(), t.String()})
		if k, isKey := name.(key); isKey && (k == "tool" || k == "server") && t == exact.False {
			about = false
		}
	}
	return about
}

func explainGates(c *call) []Explained {
	var out []Explained
	for _, g := range c.layer.Gates {
		if !c.closes(g) {
			continue
		}
		x := Explained{Source: g.Source, Kind: "gate", Says: "closed", Matched: exact.Of(!c.open(g))}
		for _, id := range g.Needs {
			x.fact(c, "needs ", id)
		}
		for _, id := range g.AnyOf {
			x.fact(c, "any_of ", id)
		}
		for _, id := range g.Unless {
			x.fact(c, "unless ", id)
		}
		if g.Where != nil {
			x.expression(c, "where ", g.Where)
		}
		out = append(out, x)
	}
	return out
}

func (x *Explained) fact(c *call, prefix, id string) {
	value := map[exact.Truth]string{exact.True: "proved", exact.False: "not proved", exact.Unknown: "in doubt"}[c.proved(id)]
	x.Tests = append(x.Tests, Test{prefix + id, value})
}

func explainLimits(c *call) []Explained {
	var out []Explained
	for _, l := range c.limits() {
		x := Explained{Source: l.Source, Kind: "limit", Says: "exceeded"}
		ch, problem := c.charge(l)
		if problem != "" {
			x.Matched, x.Tests = exact.Unknown, []Test{{l.Amount.String(), problem}}
			out = append(out, x)
			continue
		}
		sum := ch.amount
		x.Tests = []Test{{l.Amount.String(), ch.amount.String()}}
		if !l.Per.PerCall() {
			spent := c.facts.Spent[ch.window.Name]
			sum = sum.Add(spent)
			x.Tests = append(x.Tests, Test{"before in this " + l.Per.String(), spent.String()})
		}
		x.Tests = append(x.Tests, Test{"max", l.Max.String()})
		x.Matched = exact.Of(sum.Cmp(l.Max) > 0)
		out = append(out, x)
	}
	return out
}

// Callable says whether the call may run, if need be after a person agreed.
func (e Explanation) Callable() string { return yesNo(e.Verdict.Decision != Deny) }

// Visible says whether the policy leaves the tool on the client's lists.
func (e Explanation) Visible() string {
	if len(e.Unlist) == 0 {
		return "yes"
	}
	s := e.Unlist[0]
	return fmt.Sprintf("no, once synced (rule %s, %s policy)", s.ID, s.Layer)
}

// Approval says whose approval the call needs.
func (e Explanation) Approval() string {
	switch e.Verdict.Decision {
	case Ask:
		return "a person's"
	case Approve:
		return "waived"
	case Pass:
		return "as the client decides"
	}
	return "does not help"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
