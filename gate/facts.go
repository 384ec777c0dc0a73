package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// factPrefix begins the keys of all records of a fact, and of no other: ids hold no
// quotes.
func factPrefix(f policy.Fact) string { return fmt.Sprintf("%q %q ", f.Key, f.ID) }

// latestPrefix begins the newest records of what a fact is about.
func latestPrefix(f policy.Fact) string { return factPrefix(f) + "l" }

// pastName is what expressions call a past call.
const pastName = "past"

// record is how evidence is kept: as JSON, so that a later version can read it.
type record struct {
	At    int64  `json:"at"` // Unix nanoseconds
	Agent string `json:"agent,omitempty"`
	Tool  string `json:"tool"`
	Call  string `json:"call,omitempty"` // which call made it
	// Odd says that nothing can be said of the call: it was too large, or it does
	// not tell what it is about.
	Odd    bool            `json:"odd,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	// Kept names the members that were kept of both; null is all of them.
	Kept map[string][]string `json:"kept,omitempty"`
}

// presence is whether a fact is there for a call.
type presence uint8

const (
	notThere presence = iota
	inDoubt           // there may be one
	there
)

type factValue struct {
	value expression.Value
	state presence
}

// fact gives a fact's value for this call, and whether it is there. It is read
// once, with what its own layer says; one that needs itself is in doubt.
func (c *call) fact(f policy.Fact) (expression.Value, presence) {
	key := factPrefix(f)
	if known, ok := c.read[key]; ok {
		return known.value, known.state
	}
	if c.read == nil {
		c.read = map[string]factValue{}
	}
	c.read[key] = factValue{expression.NewUnknown(), inDoubt}
	outer := c.layer
	c.layer = f.Owner()
	value, state := c.readFact(f)
	c.layer = outer
	c.read[key] = factValue{value, state}
	return value, state
}

func (c *call) readFact(f policy.Fact) (expression.Value, presence) {
	if !c.sound(f.Where, f.Value, f.By) {
		return expression.NewUnknown(), inDoubt
	}
	if f.Keep == policy.Latest {
		return c.latest(f)
	}
	return c.gathered(f)
}

// latest is the newest record about what this call is about. A call that does not
// tell what it is about may be about any.
func (c *call) latest(f policy.Fact) (expression.Value, presence) {
	key, ok := c.joinKey(f, func(j expression.Join) expression.Value { return j.Other.Eval(c.environment(j.Other)) })
	if !ok {
		return c.anyOther(f, func(other string) bool { return strings.HasPrefix(other, c.contextKey(f)) })
	}
	kept := c.facts.record(latestPrefix(f) + key)
	if kept == nil {
		return c.anyOther(f, func(other string) bool {
			return strings.HasPrefix(other, c.contextKey(f)) && sorts(other) != sorts(key)
		})
	}
	v, state := c.judgeOf(f).judge(kept)
	if state == there && f.MaxUses > 0 {
		c.uses = append(c.uses, latestPrefix(f)+key)
		if c.usedBy(latestPrefix(f)+key) >= f.MaxUses {
			return expression.Value{}, notThere
		}
	}
	return v, state
}

// anyOther is a fact in doubt if there is a record under another key of some sort:
// 7 and "7" cannot be compared, nor can what another policy kept in another way.
func (c *call) anyOther(f policy.Fact, sort func(key string) bool) (expression.Value, presence) {
	state := notThere
	c.facts.each(latestPrefix(f), func(key string, _ []byte) {
		if sort(key[len(latestPrefix(f)):]) {
			state = inDoubt
		}
	})
	c.facts.each(gatheredPrefix(f), func(string, []byte) { state = inDoubt })
	if state == inDoubt {
		return expression.NewUnknown(), state
	}
	return expression.Value{}, state
}

// recordJudge says what records are to a call. What does not depend on the record
// is prepared once.
type recordJudge struct {
	fact         policy.Fact
	now          time.Time
	compacted    time.Time
	agent        string
	where, value *expression.Program
	whereEnv     expression.Env
	valueEnv     expression.Env
}

func (c *call) judgeOf(f policy.Fact) recordJudge {
	j := recordJudge{fact: f, now: c.facts.Now, compacted: c.ctx.Compacted, agent: c.ev.AgentID}
	if f.Where != nil {
		j.where, _ = f.Where.Program()
		j.whereEnv = c.environment(j.where)
	}
	if f.Value != nil {
		j.value, _ = f.Value.Program()
		j.valueEnv = c.environment(j.value)
	}
	return j
}

// judge reports whether a record makes the fact's whole `where` true now, and gives
// its value.
func (j recordJudge) judge(kept []byte) (expression.Value, presence) {
	rec := gjson.ParseBytes(kept)
	if !rec.IsObject() || !policy.AnyGrants(j.fact.From, policy.Caller{Tool: rec.Get("tool").Str}) {
		return expression.Value{}, notThere
	}
	at := time.Unix(0, rec.Get("at").Int())
	age := j.now.Sub(at)
	switch {
	case j.fact.ResetOnCompact && !at.After(j.compacted):
		return expression.Value{}, notThere
	case j.fact.PerAgent && rec.Get("agent").Str != j.agent:
		return expression.Value{}, notThere
	case j.fact.TTL > 0 && age.Abs() >= j.fact.TTL:
		return expression.Value{}, notThere // a record from the future, too: the clock was set back
	case rec.Get("odd").Bool():
		return expression.NewUnknown(), inDoubt
	}
	if j.where == nil && j.fact.Keep == policy.Count {
		return expression.Value{}, there // nothing of it is read
	}
	past := pastOf(rec.Get("args"), rec.Get("result"), rec.Get("kept"))
	if j.where != nil {
		j.whereEnv.Names[pastName] = past
		switch j.where.Holds(j.whereEnv) {
		case exact.False:
			return expression.Value{}, notThere
		case exact.Unknown:
			return expression.NewUnknown(), inDoubt
		}
	}
	if j.value == nil {
		return past.Member("result"), there
	}
	j.valueEnv.Names[pastName] = past
	return j.value.Eval(j.valueEnv), there
}

// pastOf is the value that expressions call past. Of a member that was not kept
// nothing is known.
func pastOf(args, result, kept gjson.Result) expression.Value {
	side := func(name string, v gjson.Result) expression.Value {
		members := kept.Get(name)
		if !members.IsArray() {
			return expression.FromJSON(v)
		}
		var names []string
		for _, m := range members.Array() {
			names = append(names, m.Str)
		}
		return expression.NewPartial(v, names)
	}
	return expression.NewObject(map[string]expression.Value{"args": side("args", args), "result": side("result", result)})
}

// joinKey identifies what a record is about: the values of the members that join it
// to a call. It fails if one is not a text, a number, true or false.
func (c *call) joinKey(f policy.Fact, side func(expression.Join) expression.Value) (string, bool) {
	key := c.contextKey(f)
	if f.Where == nil {
		return key, true
	}
	p, ok := c.program(f.Where)
	if !ok {
		return "", false
	}
	for _, join := range p.Joins(pastName) {
		part, ok := side(join).Key()
		if !ok {
			return "", false
		}
		key += keyPart(part)
	}
	return key, true
}

func keyPart(part string) string {
	part = shorter(part, maxKeyPart)
	return fmt.Sprintf("%d:%s", len(part), part)
}

// contextKey begins the keys of what one context has shown, if a fact is bound to it.
func (c *call) contextKey(f policy.Fact) string {
	if !f.PerAgent {
		return ""
	}
	return keyPart("a" + c.ev.AgentID)
}

// maxKeyPart is how much of a key one text may take, in bytes: many of them make one
// key of the ledger, which takes 32 KiB.
const maxKeyPart = 100

// shortKey replaces a long text by its digest: a model chooses how long it is. The
// first letter, which is its kind, stays. No text is written like a digest.
func shortKey(part string) string { return shorter(part, exact.MaxKey) }

func shorter(part string, longest int) string {
	if len(part) <= longest && !(len(part) > 1 && part[1] == '#') {
		return part
	}
	sum := sha256.Sum256([]byte(part))
	return part[:1] + "#" + hex.EncodeToString(sum[:])
}

// sorts lists the kinds of a key's parts.
func sorts(key string) string {
	out := ""
	for key != "" {
		n := 0
		i := 0
		for ; i < len(key) && key[i] != ':'; i++ {
			n = n*10 + int(key[i]-'0')
		}
		if i+1+n > len(key) || n < 1 {
			return out + "?"
		}
		out += key[i+1 : i+2]
		key = key[i+1+n:]
	}
	return out
}
