package gate

import (
	"encoding/json"
	"fmt"

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
// opened.
func learnFacts(l *lesson) {
	for _, f := range l.layer.Facts {
		feeds, spoils := policy.AnyGrants(f.From, l.caller()), policy.AnyRestricts(f.InvalidatedBy, l.ev.Tool)
		if !feeds && !spoils {
			continue
		}
		why := l.unproven(f)
		if spoils && (why == "" || l.ev.Stopped) {
			l.Stale = append(l.Stale, factPrefix(f))
		}
		switch {
		case feeds && why != "":
			l.note("fact " + f.ID + " not recorded: " + why)
		case feeds:
			l.keep(f)
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
	args, result := l.args, gjson.ParseBytes(l.result().Value)
	key, ok := l.recordKey(f, args, result)
	if !ok {
		l.note("fact " + f.ID + " not recorded: the result does not say what it is about")
		return
	}
	reads := l.reads(f)
	newest := record{l.now.UnixNano(), l.ev.AgentID, l.ev.Tool, only(args, reads["args"]), only(result, reads["result"])}
	kept := hooks.EncodeJSON(newest)
	if len(kept) == 0 || len(kept) > maxKept {
		// The empty record proves nothing, but it replaces an older proof.
		l.note("fact " + f.ID + " not proved: its members are too large")
		kept = []byte("null")
	}
	l.Evidence = append(l.Evidence, Evidence{factPrefix(f) + key, kept})
}

// recordKey is where a record goes: by what it is about, by what tells things
// apart, or in a place of its own for each call.
func (l *lesson) recordKey(f policy.Fact, args, result gjson.Result) (string, bool) {
	past := pastOf(args, result)
	switch {
	case f.Keep == policy.Latest:
		return l.joinKey(f, func(j expression.Join) expression.Value { return l.eval(j.Of, past) })
	case f.By != nil:
		return l.value(f.By, past).Key()
	case l.ev.ToolUseID != "":
		return fmt.Sprintf("%d:%s%s", len(l.ev.ToolUseID), l.ev.ToolUseID, l.digest), true
	}
	return fmt.Sprintf("%020d", l.now.UnixNano()), true
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

// only keeps some members of an object. What is no object is kept whole, and so is
// one in which a member is ambiguous: it must stay so.
func only(doc gjson.Result, members []string) json.RawMessage {
	if !doc.Exists() {
		return nil
	}
	if members == nil || !doc.IsObject() {
		return json.RawMessage(doc.Raw)
	}
	kept := map[string]json.RawMessage{}
	for _, name := range members {
		v, presence := errorsctx.Member(doc, name)
		switch presence {
		case errorsctx.Found:
			kept[name] = json.RawMessage(v.Raw)
		case errorsctx.Ambiguous:
			return json.RawMessage(doc.Raw)
		}
	}
	return hooks.EncodeJSON(kept)
}
