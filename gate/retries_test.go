package gate

import (
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
)

const (
	busy    = `{"status":503,"message":"The system is offline"}`
	refusal = `{"status":422,"message":"No such order"}`
)

// ended is a call that failed with a text.
func (m *memo) ended(tool, args, text string) *memo {
	m.calls++
	return m.learn(hooks.Event{Kind: hooks.PostToolUseFailure, Name: "PostToolUseFailure", Client: "claude", Tool: tool, ToolUseID: strings.Repeat("f", m.calls), Args: []byte(args), Error: text})
}

func retryOf(lines ...string) string {
	return "[retry]\ntools = [\"do\"]\n" + strings.Join(lines, "\n") + "\n"
}

// TestRetry: the same call again, until something changes.
func TestRetry(t *testing.T) {
	m := newMemo(t, retryOf(`until = ["edit"]`))
	m.want("a first try", `{"id":1}`, "").ended(toolDo, `{"id":1}`, refusal)
	m.want("again", `{"id":1}`, "retry deny").want("spelt otherwise", `{ "id" : 1.0 }`, "retry deny").want("another", `{"id":2}`, "")
	m.did("mcp__s__other", `{}`, `1`).want("nothing has changed", `{"id":1}`, "retry deny")
	m.ended(toolEdit, `{}`, refusal).want("a change that failed", `{"id":1}`, "retry deny")
	m.did(toolEdit, `{}`, `1`).want("a change", `{"id":1}`, "")
	m.ended(toolDo, `{"id":1}`, refusal).said("try again").want("the user said something", `{"id":1}`, "")
	m.ended(toolDo, `{"id":1}`, refusal).did(toolDo, `{"id":1}`, `1`).want("it worked", `{"id":1}`, "")
	m.ended(toolDo, `{"id":1}`, "boom").want("a failure that says nothing", `{"id":1}`, "retry deny")
	m.did(toolDo, `{"id":3}`, `{"success":false,"error":"no such order"}`).want("a failure in disguise", `{"id":3}`, "retry deny")
	m.in("a1").want("a sub-agent", `{"id":3}`, "retry deny")
}

// TestBrokenRecords: what is kept and cannot be read opens nothing.
func TestBrokenRecords(t *testing.T) {
	m := newMemo(t, retryOf()).ended(toolDo, `{}`, busy).want("may pass", `{}`, "")
	for key := range m.evidence {
		m.evidence[key] = []byte("{")
	}
	m.want("unread", `{}`, "retry deny")

	m = newMemo(t, factNamed("f", fromGet, `max_uses = 2`)+gateNamed("g", `needs = "f"`)).did(toolGet, `{}`, `1`).want("first", `{}`, "")
	for key := range m.evidence {
		if strings.HasPrefix(key, usePrefix) {
			m.evidence[key] = []byte("{")
		}
	}
	m.want("uses unread", `{}`, "g gate")
}

// TestRetryHides: a refusal repeats nothing of a result in which something is hidden,
// were it only for a tool that a dispatcher reaches.
func TestRetryHides(t *testing.T) {
	m := newMemo(t, "[[dispatcher]]\nid = \"d\"\ntools = [\"do\"]\ntarget = \"t\"\nargs = \"a\"\n"+retryOf()+hideSSN)
	m.did(toolDo, `{"t":"mcp__crm__get","a":{}}`, `{"isError":true,"message":"no ssn 123"}`)
	v := m.judge(toolDo, `{"t":"mcp__crm__get","a":{}}`, "x")
	if v.Decision != Deny || strings.Contains(v.Findings[0].Message, "123") {
		t.Errorf("%+v", v)
	}
}

// TestRetryTransient: what may pass is tried max times.
func TestRetryTransient(t *testing.T) {
	m := newMemo(t, retryOf(`max = 2`, `after = "10m"`))
	m.ended(toolDo, `{}`, busy).want("once more", `{}`, "").ended(toolDo, `{}`, busy)
	for range 50 {
		m.want("B44: a denial is not counted and opens nothing", `{}`, "retry deny")
	}
	m.later(9*time.Minute).want("too early", `{}`, "retry deny").later(time.Minute).want("later", `{}`, "")
	m.ended(toolDo, `{}`, busy).want("counted anew", `{}`, "")

	m = newMemo(t, retryOf())
	for range tries {
		m.want("another try", `{}`, "").ended(toolDo, `{}`, busy)
	}
	m.want("three are enough", `{}`, "retry deny")
}

// tries is how many tries a [retry] that does not say it leaves.
const tries = 3

// TestRetryToldTwice: the end of one call that is told twice is one try.
func TestRetryToldTwice(t *testing.T) {
	m := newMemo(t, retryOf(`max = 2`))
	ev := hooks.Event{Kind: hooks.PostToolUseFailure, Client: "claude", Tool: toolDo, ToolUseID: "same", Args: []byte(`{}`), Error: busy}
	m.learn(ev).learn(ev).want("one try", `{}`, "")
	ev.ToolUseID = "other"
	m.learn(ev).want("two", `{}`, "retry deny")
	ev.Args, ev.Stopped = []byte(`{"id":1}`), true
	m.learn(ev).learn(ev).learn(ev).want("a person has stopped it", `{"id":1}`, "")
}

// TestRetrySays: what happened, that a retry does not help, and what may.
func TestRetrySays(t *testing.T) {
	m := newMemo(t, retryOf(`redirect = "mcp__help__ask"`, `until = ["edit", "@write"]`)).ended(toolDo, `{}`, refusal)
	f := m.judge(toolDo, `{}`, "x").Findings[0]
	const want = "No such order. This same call has failed with that before: a retry does not help until something changes (by edit, @write, or what the user says)."
	if f.Message != want || f.Redirect != "mcp__help__ask" || f.Retryable || f.Category != "VALIDATION" {
		t.Errorf("%+v", f)
	}
	m = newMemo(t, retryOf(`max = 1`)).ended(toolDo, `{}`, busy)
	f = m.judge(toolDo, `{}`, "x").Findings[0]
	if f.Message != "The system is offline. This same call has failed with that before: a retry does not help until something changes." || f.Retryable || f.Category != "TRANSIENT" {
		t.Errorf("%+v", f)
	}
}

// TestRetryOwnTools: a wildcard is not about a client's own tools.
func TestRetryOwnTools(t *testing.T) {
	for tools, want := range map[string]string{`"*"`: "", `"B*"`: "", `"Bash"`: "retry deny", `"@shell"`: "retry deny", `"bash"`: "retry deny"} {
		m := newMemo(t, "[retry]\ntools = ["+tools+"]\n").ended("Bash", `{"command":"x"}`, "Exit code 1")
		if got := saidOf(m.judge("Bash", `{"command":"x"}`, "t")); got != want {
			t.Errorf("%s: %q", tools, got)
		}
	}
}
