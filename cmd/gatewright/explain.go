package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

func (c *cli) explainCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "explain claude|codex < EVENT",
		Short: "show how a call is judged: every rule, condition and place",
		Long: `explain reads a PreToolUse event, as a client sends it, and shows what every table of the policy says
to it and what the client would receive. It records nothing and reserves nothing.`,
		Args: cobra.ExactArgs(1),
	}
	required := command.Flags().Bool("require-policy", false, "judge as a line that was registered for a project")
	command.RunE = func(_ *cobra.Command, args []string) error {
		client, ok := hooks.ClientNamed(args[0])
		if !ok {
			return fmt.Errorf("there is no client %q; say claude or codex", args[0])
		}
		h := &hook{client: client, requirePolicy: *required, explains: true, stdin: c.stdin, env: c.env, start: time.Now()}
		return c.explain(h)
	}
	return command
}

func (c *cli) explain(h *hook) error {
	ev, err := h.callToExplain()
	var refusal *hooks.Refusal
	if errors.As(err, &refusal) && refusal.Kind == hooks.PreToolUse {
		c.row("event", "cannot be judged: %v", refusal)
		c.answer(h.client, hooks.Event{Kind: refusal.Kind, Name: refusal.Name}, gate.Malformed(refusal.Error()).Reply())
		return nil
	}
	if err != nil {
		return err
	}
	c.row("event", "%s of %s (%s, session %q)", ev.Name, shown(ev.Tool), ev.Client, ev.Session)
	set, ctx, err := h.policy(ev)
	if errors.Is(err, policy.ErrNone) {
		c.row("policy", "there is none here")
		c.answer(h.client, ev, hooks.Reply{Answer: hooks.Silence})
		return nil
	}
	if err != nil {
		c.row("policy", "%v", err)
		c.answer(h.client, ev, gate.Broken(err.Error()).Reply())
		return nil
	}
	for _, l := range set.Layers {
		c.row("policy", "%-8s%s", l.Name, l.File)
	}
	ev = gate.TakeClaim(set, ev)
	ctx.Protected, ctx.Evades = h.protect(ev, set)
	ctx.Answerer = func() string { return cmp.Or(string(h.noted(ev, answererName)), h.answererNow(ev)) }
	ctx.Keyed = h.keyed
	e, unread := h.explanation(set, ctx, ev)
	if unread != nil && len(e.Later) == 0 && gate.Screen(set, ctx, ev).Decision != gate.Deny {
		e.Verdict = *unread
	}
	c.explained(e)
	verdict := c.explainReached(h, set, ctx, ev, e.Verdict)
	if lost := h.lost(ev); ev.Rereads && lost != "" {
		c.row("note", "behind a registered line this is denied, because %s", lost)
	}
	reply := verdict.Reply()
	if ev.Claim != nil {
		reply.Input = ev.Args
	}
	c.answer(h.client, ev, reply)
	return nil
}

// keyed gives the installation's digests, and makes no key for them.
func (h *hook) keyed(text string) string {
	s, err := viewState(h.env)
	if err != nil || s.key == nil {
		return ""
	}
	return s.digest([]byte(text))
}

// explainReached explains every call that this one reaches, and gives the verdict on all
// of them together.
func (c *cli) explainReached(h *hook, set *policy.Set, ctx gate.Context, ev hooks.Event, own gate.Verdict) gate.Verdict {
	reached, verdicts := gate.Reach(set, ctx, ev), []gate.Verdict{own}
	for _, call := range reached.Calls {
		c.row("reaches", "%s, through %s", shown(call.Tool), shown(call.Through))
		ctx.Protected, ctx.Evades = h.protect(call, set)
		e, unread := h.explanation(set, ctx, call)
		if unread != nil && e.Verdict.Decision != gate.Deny {
			e.Verdict = *unread
		}
		c.explained(e)
		verdicts = append(verdicts, e.Verdict)
	}
	for _, f := range reached.Unknown {
		c.finding("", f)
	}
	return gate.Together(verdicts, reached.Unknown, ctx, ev)
}

// shown keeps a tool's name from looking like something else.
func shown(tool string) string {
	if policy.PrintableASCII(tool) {
		return tool
	}
	return fmt.Sprintf("%+q", tool)
}

// callToExplain reads the event, which must be one of a call that has not run.
func (h *hook) callToExplain() (hooks.Event, error) {
	text, problem := readEvent(h.stdin)
	if problem != "" {
		return hooks.Event{}, &hooks.Refusal{Kind: hooks.PreToolUse, Reason: problem}
	}
	ev, err := h.client.Decode(text)
	if err == nil && ev.Kind != hooks.PreToolUse {
		err = fmt.Errorf("%s judges no call; explain reads a PreToolUse event", cmp.Or(ev.Name, "this event"))
	}
	return ev, err
}

// explanation reads the memory without making or changing anything. The verdict is
// that of a call whose memory cannot be read.
func (h *hook) explanation(set *policy.Set, ctx gate.Context, ev hooks.Event) (gate.Explanation, *gate.Verdict) {
	without := func() gate.Explanation { return gate.Explain(set, ctx, gate.Facts{Now: time.Now()}, ev) }
	needs := gate.Required(set, ctx, ev)
	if needs.Empty() {
		return without(), nil
	}
	if ev.Session == "" {
		v := gate.Malformed(noSession)
		return without(), &v
	}
	var e gate.Explanation
	s, err := viewState(h.env)
	if err == nil {
		err = s.withBooks(ev, view, view, func(b books) (bool, error) {
			facts, err := b.facts(needs, s.digest(gate.Canonical(ev.Args)), ev)
			if err == nil {
				e = gate.Explain(set, ctx, facts, ev)
			}
			return false, err
		})
	}
	if err != nil {
		v := gate.Forgotten(err.Error())
		return without(), &v
	}
	return e, nil
}

// explained prints the findings, then what every table said.
func (c *cli) explained(e gate.Explanation) {
	c.row("verdict", "%s", e.Verdict.Decision)
	for _, f := range e.Verdict.Findings {
		c.finding("", f)
	}
	for _, f := range e.Later {
		c.finding("(already denied) ", f)
	}
	for _, t := range e.Tables {
		c.row("table", "%s %s (%s policy, %s): %s: %s", t.Kind, t.ID, t.Layer, placeOf(t.Source), t.Says, t.Matched)
		for _, test := range t.Tests {
			c.row("", "  %s: %s", test.Name, test.Value)
		}
	}
	c.row("visible", "%s", e.Visible())
	c.row("callable", "%s", e.Callable())
	c.row("approval", "%s", e.Approval())
}

func (c *cli) finding(prefix string, f gate.Finding) {
	where := f.Layer + " policy, " + placeOf(f.Source)
	if f.File == "" {
		where = "built in"
	}
	c.row("finding", "%s%s by %s (%s): %s", prefix, f.Decision, f.ID, where, f.Message)
	if f.Detail != "" {
		c.row("", "  %s", f.Detail)
	}
}

func placeOf(s policy.Source) string {
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// answer shows what the client would receive.
func (c *cli) answer(client hooks.Client, ev hooks.Event, reply hooks.Reply) {
	out := client.Encode(ev, reply)
	text := strings.TrimSpace(string(out.Stdout))
	if text == "" {
		text = "nothing: the client's own permission flow goes on"
	}
	c.row("answer", "%s", text)
}

func (c *cli) row(name, format string, args ...any) {
	fmt.Fprintf(c.stdout, "%-9s %s\n", name, fmt.Sprintf(format, args...))
}
