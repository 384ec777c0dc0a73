package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"gatewright/gate"
	"gatewright/hooks"
)

// allForms is a policy with every way to remember something.
const allForms = `[[fact]]
id = "verified"
from = ["mcp__x__verify"]
where = 'past.result.ok == true and past.result.id == args.id'
[[fact]]
id = "code"
from = ["mcp__x__approve"]
where = 'past.result.ok == true'
max_uses = 2
[[fact]]
id = "paid"
from = ["mcp__x__pay"]
keep = "count"
where = 'past.args.id == args.id'
[[fact]]
id = "total"
from = ["mcp__x__pay"]
keep = "sum"
value = "past.args.amount"
[[fact]]
id = "seen"
from = ["mcp__x__look"]
invalidated_by = ["update"]
[[fact]]
id = "all"
from = ["mcp__x__look"]
keep = "all"
by = "past.args.id"
invalidated_by = ["clear"]
[[gate]]
id = "verify-first"
tools = ["pay"]
needs = ["verified"]
[[gate]]
id = "code-first"
tools = ["ship"]
needs = ["code"]
[[gate]]
id = "look-first"
tools = ["ship"]
any_of = ["seen", "all"]
[[limit]]
id = "of-one"
tools = ["pay"]
amount = "amount"
max = "20"
per = "session"
key = ["id"]
[[limit]]
id = "of-a-day"
tools = ["ship"]
amount = "amount"
max = "15"
per = "24h"
over = "ask"
[[require]]
id = "few"
tools = ["pay"]
use = ["paid", "total"]
all = ['paid < 4', 'total < 50']
[[require]]
id = "short"
tools = ["update"]
use = ["all", "seen"]
missing = "ask"
all = ['len(all) < 3', 'user.text contains "yes"']
`

// live is a session that goes through the hook while it is recorded.
type live struct {
	*place
	rnd      *rand.Rand
	id       func(n int) any // of the n-th call
	lines    []string
	answers  []string
	unclosed []map[string]any
}

// hook runs the hook in this process.
func (s *live) hook(event map[string]any) string {
	line := hooks.EncodeJSON(event)
	s.lines = append(s.lines, string(line))
	var out, problems bytes.Buffer
	run([]string{"hook", "claude"}, bytes.NewReader(line), &out, &problems, append(s.env, "CLAUDE_PROJECT_DIR="+s.repo))
	return gjson.Get(out.String(), "hookSpecificOutput.permissionDecision").Str
}

func (s *live) event(kind string, members map[string]any) map[string]any {
	ev := map[string]any{"session_id": "s", "cwd": s.repo, "permission_mode": "default", "hook_event_name": kind}
	for name, value := range members {
		if value != nil && name != "hook_event_name" {
			ev[name] = value
		}
	}
	return ev
}

// announce makes a call; now and then it is announced twice.
func (s *live) announce(n int) {
	tools := []string{"verify", "approve", "pay", "ship", "look", "update", "clear", "pay", "ship"}
	ev := s.event("PreToolUse", map[string]any{
		"tool_name": "mcp__x__" + tools[s.rnd.IntN(len(tools))], "tool_use_id": s.id(n),
		"tool_input": map[string]any{"id": s.rnd.IntN(2), "amount": 1 + s.rnd.IntN(6)},
	})
	for range 1 + s.rnd.IntN(10)/9 {
		s.answers = append(s.answers, s.hook(ev))
	}
	if s.answers[len(s.answers)-1] != "deny" {
		s.unclosed = append(s.unclosed, ev)
	}
}

// finish ends a call, in any way; now and then its end is told twice, or it ran with
// other arguments.
func (s *live) finish() {
	i := s.rnd.IntN(len(s.unclosed))
	ev := s.event("PostToolUse", s.unclosed[i])
	s.unclosed = slices.Delete(s.unclosed, i, i+1)
	switch s.rnd.IntN(8) {
	case 0:
		ev["hook_event_name"], ev["error"] = "PostToolUseFailure", `{"status":422}`
	case 1:
		ev["hook_event_name"], ev["error"] = "PostToolUseFailure", "request timed out"
	default:
		text := fmt.Sprintf(`{"ok":%v,"id":%d}`, s.rnd.IntN(4) > 0, s.rnd.IntN(2))
		ev["tool_response"] = []any{map[string]any{"type": "text", "text": text}}
	}
	if s.rnd.IntN(40) == 0 {
		ev["tool_input"] = map[string]any{"id": s.rnd.IntN(2), "amount": 7}
	}
	for range 1 + s.rnd.IntN(8)/7 {
		s.hook(ev)
	}
}

func (s *live) play(steps int) {
	for n := range steps {
		switch {
		case s.rnd.IntN(20) == 0:
			s.hook(s.event("UserPromptSubmit", map[string]any{"prompt": []string{"yes", "no"}[s.rnd.IntN(2)]}))
		case len(s.unclosed) > 0 && s.rnd.IntN(2) == 0:
			s.finish()
		default:
			s.announce(n)
		}
	}
}

// decisionOf is what a client would be told.
func decisionOf(said []gate.Finding) string {
	strictest := gate.Pass
	for _, f := range said {
		strictest = max(strictest, f.Decision)
	}
	return map[gate.Decision]string{gate.Pass: "", gate.Ask: "ask", gate.Deny: "deny"}[strictest]
}

// TestReplayIsTheHook: replay says of every call of a recorded session what the hook
// has said of it, with ids, with ids that are used again, and without.
func TestReplayIsTheHook(t *testing.T) {
	ids := map[string]func(int) any{
		"ids":       func(n int) any { return fmt.Sprint(n) },
		"few ids":   func(n int) any { return fmt.Sprint(n % 4) },
		"without":   func(int) any { return nil },
		"two alike": func(n int) any { return fmt.Sprint(n % 2) },
	}
	for name, id := range ids {
		// The first has differed once. The hook writes to the disk at almost every call.
		for _, seed := range []uint64{14933227832160990391, rand.Uint64(), rand.Uint64(), rand.Uint64(), rand.Uint64()} {
			s := &live{place: newPlace(t), rnd: rand.New(rand.NewPCG(seed, 0)), id: id}
			s.writePolicy("version = 1\n" + allForms)
			// In real sessions the user is unknown until they say something.
			s.hook(s.event("UserPromptSubmit", map[string]any{"prompt": "please"}))
			s.play(30)
			if n := differs(t, s); n >= 0 {
				t.Errorf("%s, seed %d: call %d of\n%s", name, seed, n+1, strings.Join(s.lines, "\n"))
			}
		}
	}
}

// differs is the first call of which replay says something else, or -1.
func differs(t *testing.T, s *live) int {
	t.Helper()
	calls := replayedCalls(t, allForms, "claude", strings.Join(s.lines, "\n"))
	if len(calls) != len(s.answers) {
		t.Errorf("%d calls, want %d", len(calls), len(s.answers))
		return 0
	}
	for i, call := range calls {
		if got := decisionOf(call.findings); got != s.answers[i] {
			t.Errorf("%q, and the hook said %q: %q", got, s.answers[i], saidTo(call))
			return i
		}
	}
	return -1
}
