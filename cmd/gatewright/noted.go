package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

// What was noticed in a session is kept in small files beside its ledger. None of
// them decides that a call may run.

func (h *hook) notePath(ev hooks.Event, name string) (string, error) {
	dir, err := stateDir(h.env)
	if err == nil && ev.Session == "" {
		err = errors.New("the event has no session_id")
	}
	return filepath.Join(sessionDirOf(dir, ev.Client, ev.Session), name), err
}

func (h *hook) note(ev hooks.Event, name string, text []byte) error {
	path, err := h.notePath(ev, name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// noted reads a note; nothing if that cannot be read.
func (h *hook) noted(ev hooks.Event, name string) []byte {
	path, err := h.notePath(ev, name)
	if err != nil {
		return nil
	}
	text, err := policy.ReadRegular(path, 1<<20)
	if err != nil {
		return nil
	}
	return text
}

const (
	answererName = "answerer"
	policyName   = "policy"
)

// answerer names what could answer a prompt in the person's place. Once there was
// such a hook it counts for the whole session, because the client may still have
// it.
func (h *hook) answerer(ev hooks.Event) string {
	if who := h.noted(ev, answererName); len(who) > 0 {
		return string(who)
	}
	who := h.answererNow(ev)
	if who == "" {
		return ""
	}
	if err := h.note(ev, answererName, []byte(who)); err != nil {
		h.notes = append(h.notes, err.Error())
	}
	return who
}

func (h *hook) answererNow(ev hooks.Event) string {
	dir, err := h.startDir(ev)
	if err != nil {
		return err.Error()
	}
	w, err := watchOf(h.client, dir, h.env)
	if err != nil {
		return err.Error()
	}
	return w.Answerer()
}

// policyChanged says what of the policy is other than when the session saw it
// last, and keeps what it is now. problem is why there is none to use.
func (h *hook) policyChanged(ev hooks.Event, set *policy.Set, problem error) string {
	before := string(h.noted(ev, policyName))
	if before == "" && set.Empty() {
		return ""
	}
	now := fingerprint(set, problem)
	if now == before {
		return ""
	}
	if err := h.note(ev, policyName, []byte(now)); err != nil {
		h.notes = append(h.notes, "a change of the policy would not be noticed: "+err.Error())
		return ""
	}
	if before == "" {
		return ""
	}
	return "gatewright: the policy changed during this session: " + difference(before, now)
}

// unusable begins the fingerprint of a policy that cannot be used.
const unusable = "- none that can be used: "

// fingerprint has a line for every layer: its digest and its file.
func fingerprint(set *policy.Set, problem error) string {
	if set.Empty() {
		return unusable + strings.ReplaceAll(problem.Error(), "\n", " ") + "\n"
	}
	var b strings.Builder
	for _, l := range set.Layers {
		fmt.Fprintf(&b, "%s %s\n", layersDigest(l), l.File)
	}
	return b.String()
}

// difference names the layers that are not in both fingerprints.
func difference(before, now string) string {
	if strings.HasPrefix(now, unusable) {
		return strings.TrimSpace(now[len("- "):])
	}
	old, new := slices.Collect(strings.Lines(before)), slices.Collect(strings.Lines(now))
	var files []string
	for i, list := range [][]string{new, old} {
		for _, line := range list {
			other := [][]string{old, new}[i]
			_, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !slices.Contains(other, line) && !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	return strings.Join(files, ", ")
}

// announce tells the user of a changed policy, and the audit.
func (h *hook) announce(ev hooks.Event, set *policy.Set, problem error) string {
	changed := h.policyChanged(ev, set, problem)
	if changed != "" {
		h.record(ev, set, auditEntry{verdict: gate.Verdict{}, notes: []string{changed}})
	}
	return changed
}
