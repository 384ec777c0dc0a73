package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// Calls that a fact counts, adds up or lists lie in groups: one for each thing that
// they are joined by, and one for those that do not say what they are about.
func gatheredPrefix(f policy.Fact) string { return factPrefix(f) + "r" }

func groupPrefix(f policy.Fact, joinKey string) string {
	return fmt.Sprintf("%sg%d:%s/", gatheredPrefix(f), len(joinKey), joinKey)
}

func oddPrefix(f policy.Fact) string { return gatheredPrefix(f) + "o/" }

// formPrefix begins the notes of what groups have been joined by.
func formPrefix(f policy.Fact) string { return factPrefix(f) + "f" }

func totalKey(f policy.Fact, joinKey string) string { return factPrefix(f) + "t" + joinKey }

// gathered is a fact of several calls: those about the same thing.
func (c *call) gathered(f policy.Fact) (expression.Value, presence) {
	j, t := c.judgeOf(f), newTotal()
	c.addAll(&t, j, latestPrefix(f), "") // from before the policy was changed
	key, ok := c.joinKey(f, func(j expression.Join) expression.Value { return j.Other.Eval(c.environment(j.Other)) })
	if !ok || c.otherForms(f, key) {
		c.addAll(&t, j, gatheredPrefix(f), "") // they have to be compared one by one
		return t.value(f)
	}
	if kept, known := c.total(f, key); known {
		t = t.and(kept)
	} else {
		c.addAll(&t, j, groupPrefix(f, key), "")
	}
	c.addAll(&t, j, oddPrefix(f), "")
	return t.value(f)
}

// form is what a group is joined by: other expressions, and a 7 where this call says
// "7", make keys that cannot be compared.
func (c *call) form(f policy.Fact, key string) string {
	text := sorts(key)
	if f.Where != nil {
		if p, ok := c.program(f.Where); ok {
			for _, join := range p.Joins(pastName) {
				text += "\n" + join.Of.String() + " == " + join.Other.String()
			}
		}
	}
	return formPrefix(f) + digestOf(text)
}

func (c *call) otherForms(f policy.Fact, key string) bool {
	own, others := c.form(f, key), false
	c.facts.each(formPrefix(f), func(k string, _ []byte) { others = others || k != own })
	return others
}

// total is what the calls of a group come to.
type total struct {
	Made  string `json:"made"` // digest of the expressions that say what counts
	Count int    `json:"count"`
	Sum   string `json:"sum,omitempty"`
	Doubt bool   `json:"doubt,omitempty"` // one may count or not

	values []expression.Value // of a list
	sum    expression.Value
}

func newTotal() total { return total{sum: expression.NewInt(0)} }

// total reads a total that was kept. One that was made by other expressions is none.
func (c *call) total(f policy.Fact, key string) (total, bool) {
	t := newTotal()
	stale := f.ResetOnCompact && !c.ctx.Compacted.IsZero() // in part
	if stale || !summable(f) || json.Unmarshal(c.facts.record(totalKey(f, key)), &t) != nil || t.Made != c.madeBy(f) {
		return newTotal(), false
	}
	if f.Keep == policy.Sum && !t.Doubt {
		sum, err := exact.ParseKept(t.Sum)
		if err != nil {
			return newTotal(), false
		}
		t.sum = expression.NewNumber(sum)
	}
	return t, true
}

// kept is the form in which it is kept. A sum such as 1/3 has none: it is added up
// each time.
func (t total) kept(made string) total {
	sum, _ := t.sum.Number()
	t.Made = made
	t.Sum, _ = sum.Finite()
	return t
}

// addAll adds the records under a prefix, but for one.
func (c *call) addAll(t *total, j recordJudge, prefix, but string) {
	c.facts.each(prefix, func(key string, kept []byte) {
		if key != but {
			t.add(j.fact, kept, j)
		}
	})
}

// add counts one call in.
func (t *total) add(f policy.Fact, kept []byte, j recordJudge) {
	v, state := j.judge(kept)
	if state == notThere {
		return
	}
	t.Count++
	t.Doubt = t.Doubt || state == inDoubt
	switch f.Keep {
	case policy.All:
		t.values = append(t.values, v)
	case policy.Sum:
		t.sum = expression.Total([]expression.Value{t.sum, v})
		t.Doubt = t.Doubt || t.sum.Kind() == expression.Unknown
	}
}

// and adds a total to another, but for lists, of which none is kept.
func (t total) and(o total) total {
	t.Count += o.Count
	t.Doubt = t.Doubt || o.Doubt
	t.sum = expression.Total([]expression.Value{t.sum, o.sum})
	return t
}

// value is the fact's value.
func (t total) value(f policy.Fact) (expression.Value, presence) {
	v := t.sum
	switch f.Keep {
	case policy.Count:
		v = expression.NewInt(t.Count)
	case policy.All:
		v = expression.NewList(t.values)
	}
	if t.Doubt || v.Kind() == expression.Unknown {
		return expression.NewUnknown(), inDoubt
	}
	return v, there
}

// summable reports a fact whose calls count or not whatever call asks, and whenever,
// its joins aside: what they come to can be kept.
func summable(f policy.Fact) bool {
	if f.Keep == policy.All || f.TTL > 0 {
		return false
	}
	where, err := others(f)
	if err != nil || !onlyPast(where) {
		return false
	}
	if f.Value == nil {
		return true
	}
	value, err := f.Value.Program()
	return err == nil && onlyPast(value)
}

// others is what a fact's `where` says besides its joins; nil if that is nothing.
func others(f policy.Fact) (*expression.Program, error) {
	if f.Where == nil {
		return nil, nil
	}
	p, err := f.Where.Program()
	if err != nil {
		return nil, err
	}
	return p.Others(pastName), nil
}

func onlyPast(p *expression.Program) bool {
	if p == nil {
		return true
	}
	for name := range p.Reads() {
		if name != pastName {
			return false
		}
	}
	return len(p.Lookups()) == 0 && !strings.Contains(p.String(), "age(")
}

// madeBy tells apart what a fact says counts.
func (c *call) madeBy(f policy.Fact) string {
	text := fmt.Sprintf("%s %q %s", f.Keep, f.From, c.layer.Zone)
	for _, e := range []*policy.Expression{f.Where, f.Value} {
		if e != nil {
			text += fmt.Sprintf(" %q", e.Text)
		}
	}
	return digestOf(text)
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
