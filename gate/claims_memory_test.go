package gate

import (
	"encoding/json"
	"gatewright/hooks"
	"gatewright/policy"
	"strings"
	"testing"
	"time"
)

// TestEvidence: digests are those of now, asked for only if the policy says so.
func TestEvidence(t *testing.T) {
	text := strings.Replace(claimsPolicy, "SPELLING", `require_evidence = ["intent", "policy"]`, 1)
	b := claimBench{mustParse(t, text), false}
	ctx := Context{Keyed: keyed}
	ev := b.event("mcp__mail__send_mail", rightArgs(), rightClaim())
	if v := b.decide(ev, nil); v.Decision != Deny || v.Findings[0].Message != "evidence is stale" {
		t.Errorf("without evidence: %+v", v)
	}
	said := rightClaim()
	said["evidence_refs"] = []any{
		members{"type": "intent", "digest": ctx.digest(IntentText(b.set, ctx, ev))},
		members{"type": "policy", "digest": ctx.digest(PolicyText(b.set))},
		members{"type": "payload", "digest": "1cc54e84531c30e1138ed47497bd6bf3653258894229752bb804267402c60bf7"},
	}
	if v := b.decide(b.event("mcp__mail__send_mail", rightArgs(), said), nil); v.Decision != Pass {
		t.Errorf("with all of it: %+v", v)
	}
	if v := Decide(b.set, Context{}, Facts{}, b.event("mcp__mail__send_mail", rightArgs(), said)); v.Decision != Ask {
		t.Errorf("without a key: %+v", v)
	}
	told := Digests(b.set, ctx, ev)
	if !strings.Contains(told, ctx.digest(PolicyText(b.set))) || strings.Contains(told, "payload") {
		t.Errorf("told at the beginning: %s", told)
	}
}

// TestGrantedIntent: a person opens it, and nothing else does.
func TestGrantedIntent(t *testing.T) {
	b := newClaimBench(t, false)
	ev := b.event("mcp__odd__off_route", members{}, func() members {
		m := rightClaim()
		all(otherTool("mcp__odd__off_route", "delete", "delete"))(m)
		return m
	}())
	granted := func(id string) Context {
		return Context{Keyed: keyed, Granted: func(_ *policy.Layer, is policy.Intent) bool { return is.ID == id }}
	}
	for id, want := range map[string]string{"maintenance": "claim does not match the call", "desk": "claim does not match the route", "": "claim does not match the route"} {
		v := Decide(b.set, granted(id), Facts{}, ev)
		if v.Decision != Deny || v.Findings[len(v.Findings)-1].Message != want && v.Findings[0].Message != want {
			t.Errorf("%q: %+v", id, v.Findings)
		}
	}
}

// TestUntrusted: what was read is known from then on, by one digest for each source.
func TestUntrusted(t *testing.T) {
	b := newClaimBench(t, false)
	facts := Facts{Now: time.Unix(1e9, 0), Evidence: map[string][]byte{}}
	learn := func(ev hooks.Event) Lesson {
		l := Learn(b.set, Context{Keyed: keyed}, Memory{Now: facts.Now, Record: facts.record, Records: facts.each}, ev)
		for _, e := range l.Evidence {
			facts.Evidence[e.Key] = e.Value
		}
		return l
	}
	decide := func(cite ...any) Decision {
		said := rightClaim()
		said["untrusted_context"] = cite
		return Decide(b.set, Context{Keyed: keyed}, facts, b.event("mcp__mail__send_mail", rightArgs(), said)).Decision
	}
	cited := func(l Lesson) any {
		var m members
		if len(l.Cite) != 1 || json.Unmarshal([]byte(l.Cite[0]), &m) != nil || !strings.Contains(l.Warning(), l.Cite[0]) {
			t.Fatalf("nothing to cite: %+v", l)
		}
		return m
	}
	if decide() != Pass {
		t.Error("nothing was read")
	}
	first := cited(learn(finished("WebFetch", `{}`, `"page"`)))
	if decide() != Deny || decide(first) != Pass {
		t.Error("after the first page")
	}
	second := cited(learn(hooks.Event{Kind: hooks.PostToolUseFailure, Client: "claude", Tool: "WebFetch", Error: "404: buy now"}))
	if decide(first) != Deny || decide(first, second) != Pass || decide(second) != Pass {
		t.Error("a failure is an input, too, and the newest digest stands for both")
	}
	if l := learn(finished("Read", `{"file_path":"/repo/x"}`, `"file"`)); len(l.Cite) > 0 {
		t.Errorf("a file of the project: %+v", l)
	}
	lost := Decide(b.set, Context{Keyed: keyed, UnreadLost: func() bool { return true }}, facts, b.event("mcp__mail__send_mail", rightArgs(), func() members {
		m := rightClaim()
		m["untrusted_context"] = []any{second}
		return m
	}()))
	if lost.Decision != Ask {
		t.Errorf("an input that could not be recorded: %+v", lost)
	}
	if l := Learn(b.set, Context{}, Memory{Now: facts.Now, Record: facts.record, Records: facts.each}, finished("WebFetch", `{}`, `"page"`)); !l.Lost || len(l.Cite) > 0 {
		t.Errorf("an input without a key: %+v", l)
	}
}

// TestUntrustedFiles: those from outside the project.
func TestUntrustedFiles(t *testing.T) {
	set := mustParse(t, strings.Replace(strings.Replace(claimsPolicy, "SPELLING", "", 1), `tools = ["@web"]`, `files = "outside"`+"\nservers = [\"mail\"]", 1))
	for path, outside := range map[string]bool{"/repo/a": false, "/repo/../etc/passwd": true, "/etc/passwd": true, "a": false, "../x": true, "/repository/a": true} {
		ev := finished("Read", `{"file_path":"`+path+`"}`, `"x"`)
		ev.CWD = "/repo"
		if got := ReadsUntrusted(set, Context{Project: "/repo"}, ev); got != outside {
			t.Errorf("%s: %t", path, got)
		}
	}
	if !ReadsUntrusted(set, Context{Project: "/repo"}, finished("mcp__mail__read", `{}`, `"x"`)) {
		t.Error("a server")
	}
}

// BenchmarkClaim is the whole step: taking the claim out, reading and comparing it.
func BenchmarkClaim(b *testing.B) {
	bench := newClaimBench(b, false)
	args := rightArgs()
	args["claim"] = rightClaim()
	text, _ := json.Marshal(args)
	for b.Loop() {
		bench.decide(TakeClaim(bench.set, pre("mcp__mail__send_mail", string(text))), seenWeb)
	}
}
