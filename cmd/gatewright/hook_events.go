package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"gatewright/errorsctx"
	"gatewright/gate"
	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// before judges a call that has not run.
func (h *hook) before(ev hooks.Event) hooks.Reply {
	set, ctx, err := h.policy(ev)
	switch {
	case errors.Is(err, policy.ErrNone):
		return hooks.Reply{Answer: hooks.Silence}
	case err != nil:
		return h.judged(ev, set, gate.Broken(err.Error()), "", nil)
	}
	ev = gate.TakeClaim(set, ev)
	h.spot(ev, set)
	if ev.Rereads && h.guarded { // registered, so it can be lost
		if lost := h.lost(ev); lost != "" {
			return h.judged(ev, set, gate.Disarmed(lost), "", nil)
		}
	}
	ctx.Answerer = func() string { return h.answerer(ev) }
	m := openState(h.env)
	deeds, unknown := h.deeds(set, ctx, m, ev)
	verdict, digest := screened(set, deeds, unknown), deeds[0].digest
	if verdict.Decision == gate.Deny {
		return h.judged(ev, set, verdict, digest, nil)
	}
	var held []string
	if needs := needed(set, deeds); !needs.Empty() {
		checked := verdict.Checked
		verdict, held = h.remember(m, set, needs, deeds, unknown)
		if len(verdict.Checked) == 0 {
			verdict.Checked = checked
		}
	}
	reply := h.judged(ev, set, verdict, digest, held)
	if ev.Claim != nil {
		reply.Input = ev.Args // the tool does not get the claim
	}
	return reply
}

const noSession = "the event has no session_id, and this call depends on what its session did"

// remember judges calls whose verdict depends on the memory. A memory that fails
// denies.
func (h *hook) remember(m *state, set *policy.Set, needs gate.Needs, deeds []deed, unknown []gate.Finding) (gate.Verdict, []string) {
	if deeds[0].ev.Session == "" {
		return gate.Malformed(noSession), nil
	}
	verdict, held, err := m.decide(set, needs, deeds, unknown, h.claim)
	if err != nil {
		h.notes = append(h.notes, err.Error())
		if ledger.Damaged(err) {
			h.notes = append(h.notes, "a person can set a damaged ledger aside: gatewright release --session ID, or --spend")
		}
		return withoutMemory(err), nil
	}
	return verdict, held
}

// withoutMemory denies a call whose verdict depends on a memory that cannot be used.
func withoutMemory(err error) gate.Verdict {
	switch {
	case errors.Is(err, ledger.ErrExpired):
		return gate.Unkept("This session was not used for long, and what it had proved and spent was removed. Tell the user to start a new session.", err.Error())
	case errors.Is(err, ledger.ErrLater):
		return gate.Unkept("What this session has proved and spent was kept by a later version of gatewright. Tell the user to install that.", err.Error())
	}
	return gate.Forgotten(err.Error())
}

// judged writes the audit line and gives the reply.
func (h *hook) judged(ev hooks.Event, set *policy.Set, v gate.Verdict, digest string, held []string) hooks.Reply {
	h.record(ev, set, auditEntry{verdict: v, digest: digest, held: held})
	return v.Reply()
}

// after learns from a call that has run. Nothing here can undo the call: what
// fails is said on stderr, and what could not be recorded is not proved.
func (h *hook) after(ev hooks.Event) hooks.Reply {
	set, ctx, err := h.policy(ev)
	notice := h.announce(ev, set, err)
	if errors.Is(err, policy.ErrNone) {
		return hooks.Reply{Notice: notice}
	}
	if err != nil {
		h.notes = append(h.notes, "nothing was recorded: "+err.Error())
		h.lose(ev) // it may be what nobody vouches for
		return hooks.Reply{Notice: notice}
	}
	ev = gate.TakeClaim(set, ev)
	if gate.Hides(set, ev) {
		h.ready(ev, gate.Withheld(ev))
	}
	reply := h.present(ev, set, ctx)
	reply.Notice = notice
	h.ready(ev, reply)
	reply.Context = joined(h.learn(ev, set, ctx), reply.Context)
	if policy.StartsAgent(ev.Tool) {
		reply.Context = joined(reply.Context, h.citations(ev, set)) // which it may have read
	}
	return reply
}

// ready keeps an answer for when we do not come to an end.
func (h *hook) ready(ev hooks.Event, reply hooks.Reply) {
	out := h.client.Encode(ev, reply)
	h.meanwhile.Store(&out)
}

// learn records what the call, and what it has reached, shows. It gives what the model
// must know of that.
func (h *hook) learn(ev hooks.Event, set *policy.Set, ctx gate.Context) string {
	told := []string{h.learnOne(ev, set, ctx)}
	for _, reached := range gate.Reach(set, ctx, ev).Calls {
		told = append(told, h.learnOne(reached, set, ctx))
	}
	return joined(told...)
}

func (h *hook) learnOne(ev hooks.Event, set *policy.Set, ctx gate.Context) string {
	wants := gate.Teaches(set, ctx, ev)
	if !wants.Record && !wants.Settle {
		return ""
	}
	recorded := func() {}
	if gate.ReadsUntrusted(set, ctx, ev) {
		recorded = h.lose(ev)
	}
	m := openState(h.env)
	digest := m.digest(gate.Canonical(ev.Args))
	lesson, err := m.learn(set, ctx, wants, digest, ev)
	if err != nil {
		lesson.Notes = append(lesson.Notes, "nothing was recorded: "+err.Error())
	} else if !lesson.Lost {
		recorded()
	}
	h.notes = append(h.notes, lesson.Notes...)
	h.record(ev, set, auditEntry{digest: digest, notes: lesson.Notes})
	return lesson.Warning()
}

// present gives the call's end the form in which the model is to read it.
func (h *hook) present(ev hooks.Event, set *policy.Set, ctx gate.Context) hooks.Reply {
	p := gate.Present(set, ctx, gate.Help{Now: h.start, Digest: h.hider(), Stop: h.halfGone}, ev)
	h.notes = append(h.notes, p.Notes...)
	if p.Read != "" {
		h.record(ev, set, auditEntry{notes: append([]string{"read as " + p.Read}, p.Notes...)})
	}
	return p.Reply
}

// halfGone keeps time for the memory: what a call has left must be learnt, too.
func (h *hook) halfGone() bool { return clock().Sub(h.start) > h.deadline/2 }

// hider gives the digests that stand for values; nothing without a key. The key is
// read when the first value is to be hidden.
func (h *hook) hider() func(text string) string {
	key := sync.OnceValue(func() *state { return openState(h.env) })
	return func(text string) string {
		digest := key().digest([]byte(text))
		return digest[:min(len(digest), errorsctx.DigestSize)]
	}
}

// hear keeps what a person says, if some table asks for it. A sub-agent's first
// message is no person's.
func (h *hook) hear(ev hooks.Event) hooks.Reply {
	set, ctx, err := h.policy(ev)
	if err != nil || ev.AgentID != "" || !set.ReadsUser() && !set.CountsTries() {
		return hooks.Reply{} // a broken policy denies the calls
	}
	m := openState(h.env)
	if _, err := m.learn(set, ctx, gate.Wants{Record: true}, "", ev); err != nil {
		h.notes = append(h.notes, "what the user said was not recorded: "+err.Error())
	}
	return hooks.Reply{}
}

// policy loads what applies where the client was started.
func (h *hook) policy(ev hooks.Event) (*policy.Set, gate.Context, error) {
	start, err := h.startDir(ev)
	if err != nil {
		return nil, gate.Context{}, err
	}
	places := placesOf(h.env)
	places.Reading = h.reading(ev)
	set, err := policy.Load(start, places)
	if h.requirePolicy && (errors.Is(err, policy.ErrNone) || err == nil && !set.Has(policy.Repo)) {
		err = fmt.Errorf("%s is missing, and this hook was registered to need it", filepath.Join(start, policy.RepoFile))
	}
	if err != nil {
		return nil, gate.Context{}, err
	}
	ctx := gate.Context{Project: projectOf(set, start), Env: h.contextEnv, Commands: h.commands(ev), Compacted: h.compactedAt(ev, set)}
	ctx.Physical, ctx.IsFolder, ctx.Below, ctx.Home = install.Physical, install.IsFolder, lister(), h.env.get("HOME")
	h.addClaims(&ctx, ev, set)
	return set, ctx, nil
}

// projectOf is the folder of the broadest policy of the repository.
func projectOf(set *policy.Set, start string) string {
	for _, l := range set.Layers {
		if l.Name == policy.Repo {
			return filepath.Dir(filepath.Dir(l.File))
		}
	}
	return start
}

func (h *hook) contextEnv(name string) string {
	return h.env.get("GATEWRIGHT_CONTEXT_" + name)
}

// startDir is where the search for a policy begins: the directory in which the
// client was started, because the session's own may change within a session.
func (h *hook) startDir(ev hooks.Event) (string, error) {
	if h.began.dir == "" || h.began.cwd != ev.CWD {
		dir, err := h.findStart(ev)
		if err != nil {
			return "", err
		}
		h.began.cwd, h.began.dir = ev.CWD, dir
	}
	return h.began.dir, nil
}

func (h *hook) findStart(ev hooks.Event) (string, error) {
	dir := ev.CWD
	if h.client.StartDirEnv != "" && h.env.get(h.client.StartDirEnv) != "" {
		dir = h.env.get(h.client.StartDirEnv)
	}
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return "", err
		}
	}
	if !filepath.IsAbs(dir) {
		return "", fmt.Errorf("the start directory %q is not absolute", dir)
	}
	return physical(dir)
}

// physical resolves links: a link into a repository is inside it. A directory
// that is gone stays as it was named.
func physical(dir string) (string, error) {
	resolved, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dir, nil
	}
	return resolved, err
}
