package gate

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// evidenceKey names the record of a fact about one thing.
func evidenceKey(fact policy.Fact, join string) string {
	return strconv.Quote(fact.Key) + "/" + fact.ID + "/" + join
}

// record is how evidence is kept: as JSON, so that a later version can read it.
type record struct {
	At     int64                      `json:"at"` // Unix nanoseconds
	Agent  string                     `json:"agent,omitempty"`
	Tool   string                     `json:"tool"`
	Values map[string]json.RawMessage `json:"v"`
}

// pastOf gives the members of a kept record.
func pastOf(kept gjson.Result) func(policy.Member) gjson.Result {
	values := map[string]gjson.Result{}
	kept.Get("v").ForEach(func(k, v gjson.Result) bool {
		values[k.Str] = v
		return true
	})
	return func(m policy.Member) gjson.Result { return values[m.Name] }
}

// proved reports whether a fact holds for this call.
func (c *call) proved(f policy.Fact) bool {
	join, ok := f.Where.ArgsKey(c.args)
	if !ok {
		return false
	}
	kept := gjson.ParseBytes(c.facts.Evidence[evidenceKey(f, join)])
	if !kept.IsObject() {
		return false
	}
	age := c.facts.Now.Sub(time.Unix(0, kept.Get("at").Int()))
	if f.TTL > 0 && age.Abs() >= f.TTL {
		return false // a record from the future, too: the clock was set back
	}
	return f.Where.Holds(pastOf(kept), c.args) == exact.True
}

// maxKept bounds what one call may leave behind, in bytes.
const maxKept = 256 << 10

// wantFacts looks for a fact that the finished tool feeds.
func wantFacts(c *call, w *Wants) {
	for _, f := range c.layer.Facts {
		w.Record = w.Record || policy.AnyGrants(f.From, c.caller())
	}
}

// learnFacts keeps what a successful call shows. It is kept even if it does not
// prove the fact: a later "verified: false" must close what an earlier result
// opened.
func learnFacts(l *lesson) {
	for _, f := range l.layer.Facts {
		if !policy.AnyGrants(f.From, l.caller()) {
			continue
		}
		if why := l.unproven(f); why != "" {
			l.note("fact " + f.ID + " not recorded: " + why)
			continue
		}
		l.keep(f)
	}
}

// unproven says why the finished call is no evidence for f, or nothing.
func (l *lesson) unproven(f policy.Fact) string {
	switch {
	case l.changed:
		return "the arguments changed after the check"
	case l.result().Unproven != "":
		return l.result().Unproven
	case l.ev.Client == "codex" && l.ev.Tool == "Bash" && !f.Where.ReadsText():
		return "a shell's exit code is not reported"
	}
	return ""
}

func (l *lesson) keep(f policy.Fact) {
	past := l.past()
	join, ok := f.Where.PastKey(past)
	if !ok {
		l.note("fact " + f.ID + " not recorded: the result does not say what it is about")
		return
	}
	values := map[string]json.RawMessage{}
	for _, t := range f.Where.Terms {
		if v := past(t.Past); v.Exists() {
			values[t.Past.Name] = json.RawMessage(v.Raw)
		}
	}
	newest := record{l.now.UnixNano(), l.ev.AgentID, l.ev.Tool, values}
	kept := hooks.EncodeJSON(newest)
	if len(kept) == 0 || len(kept) > maxKept {
		// The empty record proves nothing, but it replaces an older proof.
		l.note("fact " + f.ID + " not proved: its members are too large")
		newest.Values = nil
		kept = hooks.EncodeJSON(newest)
	}
	l.Evidence = append(l.Evidence, Evidence{evidenceKey(f, join), kept})
}

// past gives the members of the finished call.
func (l *lesson) past() func(policy.Member) gjson.Result {
	result := gjson.ParseBytes(l.result().Value)
	return func(m policy.Member) gjson.Result {
		switch {
		case !m.Result:
			return policy.One(m.Path, l.args)
		case m.Path.Whole():
			return result
		}
		return policy.One(m.Path, result)
	}
}
