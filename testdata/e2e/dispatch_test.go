package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDispatcher: a refund through the tool that calls others meets gate and limits, a
// verification through it counts, and the amounts add up with those of direct calls and
// of command lines.
func TestDispatcher(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		w.write(w.policy(), commandsPolicy+perSession)
		pay := func(customer string, amount any) Call {
			return execute("REFUND", object{"customer_id": customer, "amount_usd": amount})
		}
		steps := []step{
			{pay("C-1", 900), overCap},
			{pay("C-1", 20), needsVerified},
			{execute("VERIFY", object{"customer_id": "C-1", "code": "wrong"}), ""},
			{pay("C-1", 20), needsVerified},
			{execute("VERIFY", object{"customer_id": "C-1", "code": "good"}), ""},
			{pay("C-2", 20), needsVerified},
			{pay("C-1", 20), ""},
			{pay("C-1", 500.01), overCap},
			{refund("C-1", 400), ""},
			{pay("C-1", 180.01), overSession},
			{w.client.line("stripe refunds create --customer C-1 --amount 10000"), ""},
			{refund("C-1", 80.01), overSession},
			{pay("C-1", 80), ""},
		}
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		w.checkReached([]string{"C-1 20", "C-1 400", "C-1 80"}, []string{"refunds create --customer C-1 --amount 10000"})
	})
}

// secondWays are three ways to one refund, each tried again after its refusal, first
// of an unverified customer, then beyond the limit.
func (c client) secondWays() []step {
	var steps []step
	for range 2 {
		steps = append(steps,
			step{refund("C-1", 400), needsVerified},
			step{execute("REFUND", object{"customer_id": "C-1", "amount_usd": 400}), needsVerified},
			step{c.line(`bash -c "stripe refunds create --amount 40000 --customer C-1"`), needsVerified},
		)
	}
	steps = append(steps, step{verify("payments", "C-1", "good"), ""})
	for range 2 {
		steps = append(steps,
			step{refund("C-1", 900), overCap},
			step{execute("REFUND", object{"customer_id": "C-1", "amount_usd": 900}), overCap},
			step{c.line(`bash -c "stripe refunds create --amount 90000 --customer C-1"`), overCap},
		)
	}
	return steps
}

// TestSecondWay: what is refused is refused by every other way, and again.
func TestSecondWay(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		steps := w.client.secondWays()
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		w.checkReached(nil, nil)
	})
}

// TestSecondWayOfAgent: so it is for a sub-agent, and for the session that goes on.
func TestSecondWayOfAgent(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newCommands(t, c)
		steps := c.secondWays()
		o := w.run(play{Script: Script{Main: c.delegate(), Sub: callsOf(steps)}, Bypass: true})
		w.checkRefused(o, "sub", steps)
		again := steps[len(steps)-3:]
		w.checkRefused(w.run(play{Script: Script{Main: callsOf(again)}, Resume: true, Bypass: true}), "main", again)
		w.checkReached(nil, nil)
	})
}

// TestDefer: a call that another hook puts off is judged again when the session goes on:
// what it reserved counts once, and what is refused by then does not run.
func TestDefer(t *testing.T) {
	for _, c := range clients[:2] {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			w := newCommands(t, c)
			w.write(w.policy(), commandsPolicy+perSession)
			w.deferring()
			steps := []step{
				{verify("payments", "C-1", "good"), ""},
				{refund("C-1", 900), overCap},
				{refund("C-1", 400), ""},
				{refund("C-1", 200.01), overSession},
				{refund("C-1", 100), ""},
				{refund("C-1", 50), `"rule":"less"`},
			}
			p := play{Script: Script{Main: callsOf(steps)}, Bypass: true}
			w.run(p)
			w.checkReached(nil, nil)
			p.Deferred = true
			w.run(p)
			w.checkReached([]string{"C-1 400"}, nil)
			w.run(p)
			w.checkReached([]string{"C-1 400", "C-1 100"}, nil)
			w.write(w.policy(), commandsPolicy+"[[rule]]\nid = \"less\"\neffect = \"deny\"\nmatch = { tool = [\"process_refund\"], arg = [{ path = \"amount_usd\", ge = 50 }] }\n")
			if o := w.run(p); !strings.Contains(o.stdout, `\"rule\":\"less\"`) {
				t.Error("it was not refused")
			}
			w.checkReached([]string{"C-1 400", "C-1 100"}, nil)
		})
	}
}

// deferring registers another hook, which puts off each refund of a further amount.
func (w *world) deferring() {
	w.Helper()
	hook := filepath.Join(w.home, "defer.sh")
	w.write(hook, `#!/bin/sh
amount=$(sed 's/.*"amount_usd":\([0-9.]*\).*/\1/')
[ -e "$HOME/deferred-$amount" ] && exit 0
: > "$HOME/deferred-$amount"
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'
`)
	w.must(os.Chmod(hook, 0o755))
	w.write(filepath.Join(w.home, ".claude", "settings.json"), `{"hooks":{"PreToolUse":[{"matcher":"mcp__payments__process_refund","hooks":[{"type":"command","command":"`+hook+`"}]}]}}`)
}
