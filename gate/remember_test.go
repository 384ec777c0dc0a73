package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

// memo is the memory of one session in a test.
type memo struct {
	t        *testing.T
	set      *policy.Set
	now      time.Time
	evidence map[string][]byte
	user     User
	calls    int
	notes    []string
	agent    string // which sub-agent acts; "": none

	compacted time.Time // see Context
}

func newMemo(t *testing.T, policy string) *memo {
	t.Helper()
	set := mustParse(t, policy)
	if problems := set.Layers[0].Expressions(); len(problems) > 0 {
		t.Fatal(problems)
	}
	return &memo{t: t, set: set, now: time.Unix(1e9, 0), evidence: map[string][]byte{}}
}

func (m *memo) learn(ev hooks.Event) *memo {
	kept := Facts{Evidence: m.evidence}
	ev.AgentID = m.agent
	l := Learn(m.set, Context{}, Memory{Now: m.now, User: m.user, Digest: string(Canonical(ev.Args)), Record: kept.record, Records: kept.each}, ev)
	for _, prefix := range l.Stale {
		maps.DeleteFunc(m.evidence, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
	}
	for _, e := range l.Evidence {
		m.evidence[e.Key] = e.Value
	}
	if l.User != nil {
		m.user = *l.User
	}
	m.notes = append(m.notes, l.Notes...)
	return m
}

func finished(tool, args, response string) hooks.Event {
	return hooks.Event{Kind: hooks.PostToolUse, Name: "PostToolUse", Client: "claude", Tool: tool, Args: []byte(args), Response: []byte(response)}
}

// did is a call that ended well.
func (m *memo) did(tool, args, response string) *memo {
	m.calls++
	ev := finished(tool, args, response)
	ev.ToolUseID = fmt.Sprint("t", m.calls)
	return m.learn(ev)
}

// failed is a call that did not.
func (m *memo) failed(tool, args string) *memo {
	m.calls++
	return m.learn(hooks.Event{Kind: hooks.PostToolUseFailure, Name: "PostToolUseFailure", Client: "claude", Tool: tool, ToolUseID: fmt.Sprint("t", m.calls), Args: []byte(args), Error: "no"})
}

func (m *memo) said(prompt string) *memo {
	return m.learn(hooks.Event{Kind: hooks.UserPrompt, Name: "UserPromptSubmit", Prompt: prompt})
}

// in passes to the context of a sub-agent, or back to the session's own.
func (m *memo) in(agent string) *memo {
	m.agent = agent
	return m
}

func (m *memo) later(d time.Duration) *memo {
	m.now = m.now.Add(d)
	return m
}

// judge decides a call; what it uses is kept.
func (m *memo) judge(tool, args, id string) Verdict {
	ev := pre(tool, args)
	ev.ToolUseID, ev.AgentID = id, m.agent
	v := Decide(m.set, Context{Compacted: m.compacted}, Facts{Now: m.now, Digest: string(Canonical(ev.Args)), Evidence: m.evidence, User: m.user}, ev)
	for _, e := range v.Uses {
		m.evidence[e.Key] = e.Value
	}
	return v
}

// saidOf is what a verdict's findings say, in a word each.
func saidOf(v Verdict) string {
	var out []string
	for _, f := range v.Findings {
		word := f.Decision.String()
		switch {
		case f.Closed:
			word = "gate"
		case f.Undecided:
			word = "unknown"
		}
		out = append(out, f.ID+" "+word)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// want compares what is said to a call of mcp__s__do.
func (m *memo) want(name, args, want string) *memo {
	m.t.Helper()
	m.calls++
	if got := saidOf(m.judge("mcp__s__do", args, fmt.Sprint("t", m.calls))); got != want {
		m.t.Errorf("%s: got %q, want %q", name, got, want)
	}
	return m
}

func factNamed(id string, lines ...string) string {
	return "[[fact]]\nid = \"" + id + "\"\n" + strings.Join(lines, "\n") + "\n"
}

func requireNamed(id string, lines ...string) string {
	return "[[require]]\nid = \"" + id + "\"\ntools = \"do\"\n" + strings.Join(lines, "\n") + "\n"
}

func gateNamed(id string, lines ...string) string {
	return "[[gate]]\nid = \"" + id + "\"\ntools = \"do\"\n" + strings.Join(lines, "\n") + "\n"
}
