package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// factPrefix begins the keys of all records of a fact.
func factPrefix(f policy.Fact) string { return strconv.Quote(f.Key) + "/" + f.ID + "/" }

// record is how evidence is kept: as JSON, so that a later version can read it.
type record struct {
	At     int64           `json:"at"` // Unix nanoseconds
	Agent  string          `json:"agent,omitempty"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// pastOf is the value that expressions call past.
func pastOf(args, result gjson.Result) map[string]expression.Value {
	members := map[string]expression.Value{"args": expression.FromJSON(args), "result": expression.FromJSON(result)}
	return map[string]expression.Value{"past": expression.NewObject(members)}
}

// fact gives a fact's value for this call, and whether it is there. It is read
// once; one that needs itself is not there.
func (c *call) fact(f policy.Fact) (expression.Value, bool) {
	key := factPrefix(f)
	if known, ok := c.read[key]; ok {
		return known.value, known.there
	}
	if c.read == nil {
		c.read = map[string]factValue{}
	}
	c.read[key] = factValue{}
	value, there := c.readFact(f)
	c.read[key] = factValue{value, there}
	return value, there
}

type factValue struct {
	value expression.Value
	there bool
}

func (c *call) readFact(f policy.Fact) (expression.Value, bool) {
	if f.Keep == policy.Latest {
		return c.latest(f)
	}
	var values []expression.Value
	c.facts.each(factPrefix(f), func(_ string, kept []byte) {
		if v, ok := c.counts(f, kept); ok {
			values = append(values, v)
		}
	})
	switch f.Keep {
	case policy.Count:
		return expression.NewInt(len(values)), true
	case policy.Sum:
		return expression.Total(values), true
	}
	return expression.NewList(values), true
}

// latest is the newest record about what this call is about.
func (c *call) latest(f policy.Fact) (expression.Value, bool) {
	key, ok := c.joinKey(f, func(j expression.Join) expression.Value { return c.eval(j.Other, nil) })
	if !ok {
		return expression.Value{}, false
	}
	key = factPrefix(f) + key
	v, ok := c.counts(f, c.facts.record(key))
	if ok && f.MaxUses > 0 {
		others := slices.DeleteFunc(c.facts.uses(key), func(call string) bool { return call == c.id() })
		ok = len(others) < f.MaxUses
		c.uses = append(c.uses, key)
	}
	return v, ok
}

// id tells this call from others, announced twice or not.
func (c *call) id() string {
	if c.ev.ToolUseID == "" {
		return c.facts.Now.Format(time.RFC3339Nano)
	}
	return c.ev.ToolUseID + ":" + c.facts.Digest
}

// useProofs adds this call to those that its proofs have carried.
func (c *call) useProofs() []Evidence {
	var out []Evidence
	for _, key := range c.uses {
		calls := c.facts.uses(key)
		if !slices.Contains(calls, c.id()) {
			out = append(out, Evidence{usePrefix + key, hooks.EncodeJSON(append(calls, c.id()))})
		}
	}
	return out
}

// counts reports a record that makes the fact's whole `where` true now, and gives
// its value.
func (c *call) counts(f policy.Fact, kept []byte) (expression.Value, bool) {
	rec := gjson.ParseBytes(kept)
	if !rec.IsObject() {
		return expression.Value{}, false
	}
	age := c.facts.Now.Sub(time.Unix(0, rec.Get("at").Int()))
	if f.TTL > 0 && age.Abs() >= f.TTL {
		return expression.Value{}, false // a record from the future, too: the clock was set back
	}
	past := pastOf(rec.Get("args"), rec.Get("result"))
	if f.Where != nil && c.holds(f.Where, past) != exact.True {
		return expression.Value{}, false
	}
	if f.Value == nil {
		return expression.FromJSON(rec.Get("result")), true
	}
	return c.value(f.Value, past), true
}

// joinKey identifies what a record is about: the values of the members that join it
// to a call. It fails if one is not a text, a number, true or false.
func (c *call) joinKey(f policy.Fact, side func(expression.Join) expression.Value) (string, bool) {
	if f.Where == nil {
		return "", true
	}
	p, err := f.Where.Program()
	if err != nil {
		c.broken(err)
		return "", false
	}
	key := ""
	for _, join := range p.Joins("past") {
		part, ok := side(join).Key()
		if !ok || len(part) > exact.MaxKey {
			return "", false
		}
		key += fmt.Sprintf("%d:%s", len(part), part)
	}
	return key, true
}
