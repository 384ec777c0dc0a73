package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"gatewright/gate"
	"gatewright/hooks"

	"github.com/tidwall/gjson"
)

// deadline is how long one hook call may take. It lies below every timeout that
// we register: a client lets the call run when its hook is too slow. Only tests
// change it.
var deadline = 5 * time.Second

// exitUsage is the exit code of a wrong command line. It must be neither 0 nor
// 2: those mean something to the clients.
const exitUsage = 64

// clock tells the time. Only tests change it.
var clock = time.Now

const hookUsage = "usage: gatewright hook claude|codex [--guarded] [--require-policy] < EVENT"

// hook is one call of `gatewright hook`.
type hook struct {
	client        hooks.Client
	guarded       bool // the registered line checks our answer; silence is "-"
	requirePolicy bool // a policy that is gone denies
	explains      bool // every table is shown, those that are about other tools too

	stdin    io.Reader
	env      environment
	start    time.Time
	deadline time.Duration

	event   atomic.Pointer[hooks.Event] // once it is known
	answers chan hooks.Output           // from the working goroutine: exactly one
	notes   []string                    // of the working goroutine, for stderr
	lines   map[string]taken            // likewise: command lines by their text
	began   struct{ cwd, dir string }   // likewise: see startDir

	// meanwhile is what a call that has ended is answered with if we do not come to
	// an end: its result as far as it is ready, or nothing of it.
	meanwhile atomic.Pointer[hooks.Output]

	// decided is claimed once, before anything is made durable: by the working
	// goroutine for its answer, or by the deadline for its refusal.
	decided atomic.Bool
	mine    bool // of the working goroutine: it has claimed
}

func runHook(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	h, err := parseHook(args)
	if err != nil {
		fmt.Fprintf(stderr, "gatewright: %v\n%s\n", err, hookUsage)
		return exitUsage
	}
	h.stdin, h.env, h.start, h.deadline = stdin, env, clock(), deadline
	return h.run(stdout, stderr)
}

func parseHook(args []string) (*hook, error) {
	h := &hook{}
	for _, arg := range args {
		switch {
		case arg == "--guarded":
			h.guarded = true
		case arg == "--require-policy":
			h.requirePolicy = true
		case h.client.Name == "":
			client, ok := hooks.ClientNamed(arg)
			if !ok {
				return nil, fmt.Errorf("there is no client %q", arg)
			}
			h.client = client
		default:
			return nil, fmt.Errorf("unexpected argument %q", arg)
		}
	}
	if h.client.Name == "" {
		return nil, errors.New("no client is named")
	}
	return h, nil
}

// run answers the event. The work is done beside this goroutine, which alone
// writes to stdout: either the finished answer or, when the deadline passes
// first, the refusal. So there is never a second answer.
func (h *hook) run(stdout, stderr io.Writer) int {
	h.event.Store(&hooks.Event{Kind: hooks.PreToolUse, Client: h.client.Name})
	h.answers = make(chan hooks.Output, 1)
	go func() { h.answers <- h.answerSafely() }()

	late := time.NewTimer(h.deadline)
	defer late.Stop()
	var out hooks.Output
	select {
	case out = <-h.answers:
	case <-late.C:
		out = h.tooLate()
	}
	return h.write(out, stdout, stderr)
}

// grace is how long an answer that is decided may still take to arrive, and how
// long the audit may take after the deadline.
const grace = 500 * time.Millisecond

// tooLate refuses, unless the answer is decided and only has to arrive: what is
// in the audit and in the ledger must be what the client received.
func (h *hook) tooLate() hooks.Output {
	if !h.decided.CompareAndSwap(false, true) {
		select {
		case out := <-h.answers:
			return out
		case <-time.After(grace):
		}
	}
	reason := "no answer within " + h.deadline.String() + ": another process may hold the state, or the call is too much to judge in that time"
	v, ev := gate.Forgotten(reason), *h.event.Load()
	audited := make(chan error, 1)
	go func() {
		defer func() { _ = recover() }()
		audited <- h.audit(ev, nil, auditEntry{verdict: v, notes: []string{reason}})
	}()
	select {
	case <-audited:
	case <-time.After(grace):
	}
	return h.refuse(v, reason)
}

// claim reports whether the working goroutine may answer; it may not once the
// deadline has.
func (h *hook) claim() bool {
	h.mine = h.mine || h.decided.CompareAndSwap(false, true)
	return h.mine
}

// write leaves one object, or "-", or nothing on stdout.
func (h *hook) write(out hooks.Output, stdout, stderr io.Writer) int {
	if out.Told != "" && h.guarded {
		out.Stderr = out.Told // the model reads all of it; the audit has the rest
	}
	if out.Stderr != "" {
		fmt.Fprintln(stderr, strings.TrimSpace(out.Stderr))
	}
	text := out.Stdout
	if len(text) == 0 && h.guarded && out.Exit == 0 {
		text = []byte("-")
	}
	if len(text) == 0 {
		return out.Exit
	}
	if _, err := stdout.Write(text); err != nil {
		fmt.Fprintln(stderr, "gatewright: the answer could not be written:", err)
		if h.event.Load().Kind.CanBlock() {
			return hooks.ExitBlock
		}
		return 0
	}
	return out.Exit
}

// answerSafely turns every panic into a refusal, memory faults included: a
// truncated ledger file is one.
func (h *hook) answerSafely() (out hooks.Output) {
	defer func() {
		if r := recover(); r != nil {
			reason := fmt.Sprintf("internal error: %v", r)
			v := gate.Broken(reason)
			out = h.refuse(v, reason)
			defer func() { _ = recover() }() // what panicked may have been the audit
			h.record(*h.event.Load(), nil, auditEntry{verdict: v})
		}
	}()
	debug.SetPanicOnFault(true)
	out = h.answer()
	for _, note := range h.notes {
		out.Stderr += "\ngatewright: " + note
	}
	return out
}

// refuse ends an event that could not be judged. Only what has not happened yet
// can be denied; for any other event there is a word on stderr.
func (h *hook) refuse(v gate.Verdict, reason string) hooks.Output {
	var out hooks.Output
	if ev := h.event.Load(); ev.Kind.CanBlock() {
		out = h.client.Refuse(*ev, v.Reply().Reason)
	} else if ready := h.meanwhile.Load(); ready != nil {
		out = *ready
	}
	out.Stderr += "gatewright: " + reason
	return out
}

// malformed refuses input that is no event.
func (h *hook) malformed(r *hooks.Refusal) hooks.Output {
	ev := hooks.Event{Kind: r.Kind, Name: r.Name, Client: h.client.Name}
	h.event.Store(&ev)
	v := gate.Malformed(r.Error())
	h.record(ev, nil, auditEntry{verdict: v})
	return h.refuse(v, r.Error())
}

// refusalOf takes any error of a decoder for a refusal, of a call that has not
// run if it does not say of what.
func refusalOf(err error) *hooks.Refusal {
	var refusal *hooks.Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return &hooks.Refusal{Kind: hooks.PreToolUse, Reason: err.Error()}
}

// answer reads the event and judges it.
func (h *hook) answer() hooks.Output {
	text, problem := readEvent(h.stdin)
	if problem != "" {
		return h.malformed(&hooks.Refusal{Kind: hooks.PreToolUse, Reason: problem})
	}
	ev, err := h.client.Decode(text)
	if err != nil {
		refusal := refusalOf(err)
		if refusal.Kind == hooks.PostToolUse || refusal.Kind == hooks.PostToolUseFailure {
			h.lose(hooks.Event{Client: h.client.Name, Session: gjson.GetBytes(text, "session_id").Str, Tool: "unread"})
		}
		return h.malformed(refusal)
	}
	ev.OldShapes = h.client.OldShapes != nil && h.client.OldShapes(h.env.get)
	h.event.Store(&ev)
	switch ev.Kind {
	case hooks.PreToolUse:
		return h.client.Encode(ev, h.before(ev))
	case hooks.PostToolUse, hooks.PostToolUseFailure:
		return h.client.Encode(ev, h.after(ev))
	case hooks.UserPrompt:
		h.goesOn(ev)
		return h.client.Encode(ev, h.hear(ev))
	case hooks.SessionStart:
		reply := h.greet(ev)
		h.ready(ev, reply) // tidying up must not cost the answer
		h.tidyUp(ev)
		return h.client.Encode(ev, reply)
	case hooks.SubagentStart:
		return h.client.Encode(ev, h.brief(ev))
	case hooks.ConfigChange:
		return h.client.Encode(ev, h.reconfigure(ev))
	}
	return hooks.Output{}
}
