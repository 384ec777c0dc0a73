package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// greet tells the user at the start of a session what keeps us from working.
// Without a policy there is nothing to say.
func (h *hook) greet(ev hooks.Event) hooks.Reply {
	set, ctx, err := h.policy(ev)
	changed := h.announce(ev, set, err)
	if errors.Is(err, policy.ErrNone) {
		return hooks.Reply{Notice: changed}
	}
	noted := h.noteCompaction(ev)
	h.accept(ev)
	h.answerer(ev)
	if err != nil {
		return hooks.Reply{Notice: "gatewright denies every tool call here: " + err.Error()}
	}
	var notices []string
	if changed != "" {
		notices = append(notices, changed)
	}
	if kept := h.compacted(ev, set, ctx); kept != nil && noted != nil {
		notices = append(notices, "gatewright could not forget what this conversation no longer holds: "+kept.Error())
	}
	if lost := h.lost(ev); lost != "" {
		notices = append(notices, "gatewright does not see everything here: "+lost+". How to mend it says: gatewright doctor")
	}
	notices = append(notices, h.unwell()...)
	return hooks.Reply{Notice: strings.Join(notices, ". "), Context: joined(gate.Announce(set, ev), gate.Digests(set, ctx, ev), h.citations(ev, set))}
}

// unwell says what of our own is amiss, as far as that is found without waiting.
func (h *hook) unwell() []string {
	var list []string
	if _, _, err := stateTrouble(h.env); err != nil {
		list = append(list, "gatewright cannot remember anything, so calls that depend on it are denied: "+err.Error()+". How to mend it says: gatewright doctor")
	}
	if newest, err := newestRecord(h.env); err == nil && newest.Sub(h.start) > tolerated {
		list = append(list, "gatewright has a record of "+newest.Format(time.RFC3339)+", which is yet to come: the clock went back. How to mend it says: gatewright doctor")
	}
	return list
}

// joined puts each text that there is on a line.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// brief tells a sub-agent what to call first. What is wrong with the policy its calls
// will hear.
func (h *hook) brief(ev hooks.Event) hooks.Reply {
	set, ctx, err := h.policy(ev)
	if err != nil {
		return hooks.Reply{}
	}
	return hooks.Reply{Context: joined(gate.Announce(set, ev), gate.Digests(set, ctx, ev), h.citations(ev, set))}
}

// compactedName is the session's note of when its conversation was shortened. It is
// there only while what was proved before may still be in the memory: because that
// could not be changed then, or the policy not be read.
const compactedName = "compacted"

func (h *hook) noteCompaction(ev hooks.Event) error {
	if ev.Source != hooks.Compact {
		return nil
	}
	return h.note(ev, compactedName, []byte(h.start.Format(time.RFC3339Nano)))
}

// compactedAt reads that note; one that cannot be read is of now.
func (h *hook) compactedAt(ev hooks.Event, set *policy.Set) time.Time {
	if !set.ResetsOnCompact() {
		return time.Time{}
	}
	text, err := h.readNote(ev, compactedName)
	if errors.Is(err, fs.ErrNotExist) || ev.Session == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return h.start
	}
	return at
}

// compacted forgets what a conversation that was shortened no longer holds.
func (h *hook) compacted(ev hooks.Event, set *policy.Set, ctx gate.Context) error {
	if ev.Source != hooks.Compact {
		return nil
	}
	if set.ResetsOnCompact() {
		if _, err := openState(h.env).learn(set, ctx, gate.Wants{Record: true}, "", ev); err != nil {
			return err
		}
	}
	path, err := h.notePath(ev, compactedName)
	if err == nil {
		err = os.Remove(path)
	}
	return err
}

// reconfigure keeps the client from taking settings without us. The file stays
// changed; the client goes on with what it had. An administrator's settings
// cannot be kept out.
func (h *hook) reconfigure(ev hooks.Event) hooks.Reply {
	if ev.Source == "policy_settings" {
		return hooks.Reply{Answer: hooks.Silence}
	}
	set, _, err := h.policy(ev)
	if errors.Is(err, policy.ErrNone) {
		return hooks.Reply{Answer: hooks.Silence}
	}
	var v gate.Verdict
	if err != nil {
		v = gate.Broken(err.Error())
	} else if lost := h.lost(ev); lost != "" {
		v = gate.Disarmed(lost)
	} else {
		h.answerer(ev) // the client takes these settings
		return hooks.Reply{Answer: hooks.Silence}
	}
	h.judged(ev, set, v, "", nil)
	return hooks.Reply{Answer: hooks.Deny, Reason: v.Findings[0].Message}
}

// lost says what is wrong with our registration, or nothing.
func (h *hook) lost(ev hooks.Event) string {
	dir, err := h.startDir(ev)
	if err != nil {
		return err.Error()
	}
	w, err := watchOf(h.client, dir, h.env)
	if err != nil {
		return err.Error()
	}
	w.Required, w.Accepted = h.requirePolicy, h.accepted(ev)
	return w.Lost()
}

func watchOf(c hooks.Client, dir string, env environment) (install.Watch, error) {
	repo, err := install.FindRepository(dir, policy.MainCheckout)
	return install.Watch{Client: c, Dir: dir, Repo: repo, Home: homeOf(env)}, err
}

// accept keeps which doubtful values were in the settings when a session began. A
// compaction is none of its beginnings: a model can bring one about.
func (h *hook) accept(ev hooks.Event) {
	dir, err := h.startDir(ev)
	if err != nil || ev.Session == "" || ev.Source == "compact" {
		return
	}
	w, err := watchOf(h.client, dir, h.env)
	if err != nil {
		return
	}
	if doubts := w.Doubts(); len(doubts) > 0 {
		if err := h.saveAccepted(ev, doubts); err != nil {
			h.notes = append(h.notes, err.Error())
		}
	}
}

// acceptedName is the session's file of accepted doubts.
const acceptedName = "settings.json"

func (h *hook) saveAccepted(ev hooks.Event, doubts []string) error {
	return h.note(ev, acceptedName, hooks.EncodeJSON(doubts))
}

// accepted reads what accept kept; nothing if that cannot be read.
func (h *hook) accepted(ev hooks.Event) []string {
	var doubts []string
	if err := json.Unmarshal(h.noted(ev, acceptedName), &doubts); err != nil {
		return nil
	}
	return doubts
}
