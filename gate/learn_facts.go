package gate

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/expression"
)

// maxKept bounds what one call may leave behind, in bytes.
const maxKept = 256 << 10

// wantFacts looks for a fact that the finished tool feeds or makes stale.
func wantFacts(c *call, w *Wants) {
	for _, f := range c.layer.Facts {
		w.Record = w.Record || policy.AnyGrants(f.From, c.caller()) || policy.AnyRestricts(f.InvalidatedBy, c.ev.Tool)
	}
}

// learnFacts keeps what a successful call shows. It is kept even if it does not
// prove the fact: a later "verified: false" must close what an earlier result
// opened. What was seen before a call that makes it stale is forgotten, unless that
// call was refused for certain.
func learnFacts(l *lesson) {
	for _, f := range l.layer.Facts {
		feeds, spoils := policy.AnyGrants(f.From, l.caller()), policy.AnyRestricts(f.InvalidatedBy, l.ev.Tool)
		if spoils && !l.answeredNo() {
			l.forget(f)
		}
		if !feeds {
			continue
		}
		if why := l.unproven(f); why != "" {
			l.note("fact " + f.ID + " not recorded: " + why)
			continue
		}
		l.keep(f)
	}
}

// answeredNo reports that a server has said why it did not do it. That is enough to go
// on with what was seen before, and not enough to give money back: a failure on the way
// there, one that may pass, or one that tells nothing, may be one of something done.
func (l *lesson) answeredNo() bool {
	m := l.meaning(l.depth)
	if l.refused(m) {
		return true
	}
	if !m.failed || !m.Known || m.Retryable || l.ev.Stopped || !l.ofServer() || m.Category == errorsctx.Transient {
		return false
	}
	text := strings.ToLower(l.result().Error)
	return !errorsctx.MayHavePassed(l.ending()) && !slices.ContainsFunc(inPart, func(sign string) bool { return strings.Contains(text, sign) })
}

// inPart are signs of a failure after something was done.
var inPart = []string{"succe", "complet", " but ", "partial", "traceback"}

func (l *lesson) forget(f policy.Fact) {
	l.Stale = append(l.Stale, factPrefix(f), usePrefix+factPrefix(f))
}

// compacted forgets what a shortened conversation no longer holds. Sub-agents lose
// it, too: to prove something twice does no harm.
func (l *lesson) compacted(set *policy.Set) {
	for _, layer := range set.Layers {
		for _, f := range layer.Facts {
			if f.ResetOnCompact {
				l.forget(f)
			}
		}
	}
}

// unproven says why the finished call is no evidence for f, or nothing.
func (l *lesson) unproven(f policy.Fact) string {
	switch {
	case l.changed:
		return "the arguments changed after the check"
	case l.result().Unproven != "":
		return l.result().Unproven
	case errorsctx.HoldsError(gjson.ParseBytes(l.result().Value)):
		return "the result holds an error"
	case l.meaning(l.depth).nothing(): // a narrower layer must not keep a fact from closing something
		return "the result is a failure, or empty"
	case l.ev.Client == "codex" && l.ev.Tool == "Bash" && !readsText(f):
		return "a shell's exit code is not reported"
	}
	return ""
}

// readsText reports a fact that looks at the whole result: what a shell printed.
func readsText(f policy.Fact) bool {
	if f.Where == nil {
		return false
	}
	p, err := f.Where.Program()
	if err != nil {
		return false
	}
	for _, path := range p.Paths("past") {
		if path == [2]string{"result", ""} {
			return true
		}
	}
	return false
}

func (l *lesson) keep(f policy.Fact) {
	if !l.sound(f.Where, f.Value, f.By) {
		l.note("fact " + f.ID + " not recorded: its policy is broken")
		return
	}
	args, result := l.args, gjson.ParseBytes(l.result().Value)
	past := pastOf(args, result, gjson.Result{})
	join, ok := l.joinKey(f, func(j expression.Join) expression.Value { return l.evalPast(j.Of, past) })
	newest := l.recordOf(f, args, result)
	if f.Keep != policy.Latest {
		l.gather(f, join, ok, past, newest)
		return
	}
	if !ok {
		l.note("fact " + f.ID + ": the result does not say what it is about")
		l.forget(f) // it may be about anything that was proved
		return
	}
	key := latestPrefix(f) + join
	if f.MaxUses > 0 && !l.toldAgain(key, newest.Call) {
		l.Evidence = append(l.Evidence, Evidence{usePrefix + key, []byte("[]")})
	}
	l.Evidence = append(l.Evidence, Evidence{key, hooks.EncodeJSON(newest)})
}

func (l *lesson) evalPast(p *expression.Program, past expression.Value) expression.Value {
	env := l.environment(p)
	env.Names[pastName] = past
	return p.Eval(env)
}

// recordOf is what is kept of the call. Of one that is too large nothing can be said
// but that it was there: that proves nothing, and replaces an older proof.
func (l *lesson) recordOf(f policy.Fact, args, result gjson.Result) record {
	r := record{At: l.now.UnixNano(), Agent: l.ev.AgentID, Tool: l.ev.Tool}
	if f.MaxUses > 0 && l.ev.ToolUseID != "" {
		r.Call = l.id()
	}
	small := r
	small.Odd = true
	r.Args, r.Result, r.Kept = l.members(f, args, result)
	if kept := hooks.EncodeJSON(r); len(kept) == 0 || len(kept) > maxKept {
		l.note("fact " + f.ID + " not proved: its members are too large")
		return small
	}
	return r
}

// sameEnd is how long a second report of a call's end counts as the first one.
const sameEnd = 10 * time.Second

// toldAgain reports that the record under a key is of this very call, whose end is
// told a second time: that renews no proof.
func (l *lesson) toldAgain(key, call string) bool {
	before := gjson.ParseBytes(l.facts.record(key))
	return call != "" && before.Get("call").Str == call && l.now.Sub(time.Unix(0, before.Get("at").Int())).Abs() < sameEnd
}

// members are those of the arguments and the result that some expression reads.
func (l *lesson) members(f policy.Fact, args, result gjson.Result) (keptArgs, keptResult json.RawMessage, names map[string][]string) {
	reads := l.reads(f)
	names = map[string][]string{}
	keptArgs, names["args"] = only(args, reads["args"])
	keptResult, names["result"] = only(result, reads["result"])
	for of, list := range names {
		if list == nil {
			delete(names, of)
		}
	}
	return keptArgs, keptResult, names
}

// reads lists the members of args and result that some expression reads of a fact's
// records; nil is all of them, and an absent entry none.
func (l *lesson) reads(f policy.Fact) map[string][]string {
	found, whole := map[string][]string{"args": {}, "result": {}}, map[string]bool{}
	add := func(of string, member string) {
		if found[of] = append(found[of], member); member == "" {
			whole[of] = true
		}
	}
	for _, e := range []*policy.Expression{f.Where, f.Value, f.By} {
		if e == nil {
			continue
		}
		p, err := e.Program()
		if err != nil {
			continue
		}
		for _, path := range p.Paths("past") {
			if path[0] == "" {
				whole["args"], whole["result"] = true, true
			} else {
				add(path[0], path[1])
			}
		}
	}
	if f.Value == nil && f.Keep != policy.Count {
		for _, member := range l.set.Reads(f) {
			add("result", member)
		}
	}
	for of := range whole {
		found[of] = nil
	}
	return found
}

// only keeps some members of an object, and says which; no names are all. What is no
// object is kept whole, and so is one in which a member is ambiguous: it must stay
// so.
func only(doc gjson.Result, members []string) (json.RawMessage, []string) {
	if !doc.Exists() {
		return nil, nil
	}
	if members == nil || !doc.IsObject() {
		return json.RawMessage(doc.Raw), nil
	}
	kept := map[string]json.RawMessage{}
	for _, name := range members {
		v, presence := errorsctx.Member(doc, name)
		switch presence {
		case errorsctx.Found:
			kept[name] = json.RawMessage(v.Raw)
		case errorsctx.Ambiguous:
			return json.RawMessage(doc.Raw), nil
		}
	}
	return hooks.EncodeJSON(kept), members
}
