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
)

// deadline is how long one hook call may take. It lies below every timeout that
// we register: a client lets the call run when its hook is too slow.
const deadline = 5 * time.Second

// exitUsage is the exit code of a wrong command line. It must be neither 0 nor
// 2: those mean something to the clients.
const exitUsage = 64

const hookUsage = "usage: gatewright hook claude|codex [--guarded] [--require-policy] < EVENT"

// hook is one call of `gatewright hook`.
type hook struct {
	client        hooks.Client
	guarded       bool // the registered line checks our answer; silence is "-"
	requirePolicy bool // a policy that is gone denies

	stdin    io.Reader
	env      environment
	start    time.Time
	deadline time.Duration

	// kind of the event once it is known; read when the deadline passes.
	kind    atomic.Uint32
	answers chan hooks.Output // from the working goroutine: exactly one
	notes   []string          // for stderr
}

func runHook(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	h, err := parseHook(args)
	if err != nil {
		fmt.Fprintf(stderr, "gatewright: %v\n%s\n", err, hookUsage)
		return exitUsage
	}
	h.stdin, h.env, h.start, h.deadline = stdin, env, time.Now(), deadline
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
	h.kind.Store(uint32(hooks.PreToolUse))
	h.answers = make(chan hooks.Output, 1)
	go func() { h.answers <- h.answerSafely() }()

	late := time.NewTimer(h.deadline)
	defer late.Stop()
	var out hooks.Output
	select {
	case out = <-h.answers:
	case <-late.C:
		reason := "no answer within " + h.deadline.String() + "; is another process holding the state?"
		out = h.refuse(gate.Forgotten(reason), reason)
	}
	return h.write(out, stdout, stderr)
}

// write leaves one object, or "-", or nothing on stdout.
func (h *hook) write(out hooks.Output, stdout, stderr io.Writer) int {
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
		return hooks.ExitBlock
	}
	return out.Exit
}

// answerSafely turns every panic into a refusal, memory faults included: a
// truncated ledger file is one.
func (h *hook) answerSafely() (out hooks.Output) {
	defer func() {
		if r := recover(); r != nil {
			reason := fmt.Sprintf("internal error: %v", r)
			out = h.refuse(gate.Broken(reason), reason)
		}
	}()
	debug.SetPanicOnFault(true)
	out = h.answer()
	for _, note := range h.notes {
		out.Stderr += "\ngatewright: " + note
	}
	return out
}

// refuse ends a call that could not be judged. Only a call that has not run yet
// can be denied; for any other event there is a word on stderr.
func (h *hook) refuse(v gate.Verdict, reason string) hooks.Output {
	var out hooks.Output
	if hooks.Kind(h.kind.Load()) == hooks.PreToolUse {
		out = h.client.Refuse(v.Reply().Reason)
	}
	out.Stderr += "gatewright: " + reason
	return out
}

// malformed refuses input that is no event.
func (h *hook) malformed(r *hooks.Refusal) hooks.Output {
	h.kind.Store(uint32(r.Kind))
	v := gate.Malformed(r.Error())
	h.audit(hooks.Event{Kind: r.Kind, Client: h.client.Name}, nil, auditEntry{verdict: v})
	return h.refuse(v, r.Error())
}

// answer reads the event and judges it.
func (h *hook) answer() hooks.Output {
	text, problem := readEvent(h.stdin)
	if problem != "" {
		return h.malformed(&hooks.Refusal{Kind: hooks.PreToolUse, Reason: problem})
	}
	ev, err := h.client.Decode(text)
	var refusal *hooks.Refusal
	if errors.As(err, &refusal) {
		return h.malformed(refusal)
	}
	h.kind.Store(uint32(ev.Kind))
	switch ev.Kind {
	case hooks.PreToolUse:
		return h.client.Encode(ev, h.before(ev))
	case hooks.PostToolUse, hooks.PostToolUseFailure:
		return h.client.Encode(ev, h.after(ev))
	}
	return hooks.Output{}
}
