package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/policy"
)

// What was noticed in a session is kept in small files beside its ledger. None of
// them admits a call; where one makes it stricter, one that cannot be read does, too.

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
	text, err := h.readNote(ev, name)
	if err != nil {
		return nil
	}
	return text
}

func (h *hook) readNote(ev hooks.Event, name string) ([]byte, error) {
	path, err := h.notePath(ev, name)
	if err != nil {
		return nil, err
	}
	return policy.ReadRegular(path, 1<<20)
}

const (
	answererName = "answerer"
	policyName   = "policy"  // what it was, by start directory
	changedName  = "changed" // what is still to be told of it
)

// answerer names what could answer a prompt in the person's place. Once there was
// such a hook it counts for the whole session, because the client may still have
// it.
func (h *hook) answerer(ev hooks.Event) string {
	if who := h.answererNoted(ev); who != "" {
		return who
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

// answererNoted is who was noted before. A note that cannot be read, or was cut short by
// a full disk, may name somebody.
func (h *hook) answererNoted(ev hooks.Event) string {
	if _, err := stateDir(h.env); err != nil || ev.Session == "" {
		return ""
	}
	who, err := h.readNote(ev, answererName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil || len(who) == 0:
		return "somebody that a note of this session names, which cannot be read"
	}
	return string(who)
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
	return h.changedSince(string(h.noted(ev, h.policyNote(ev))), ev, set, problem)
}

func (h *hook) changedSince(before string, ev hooks.Event, set *policy.Set, problem error) string {
	if before == "" && set.Empty() {
		return ""
	}
	now := fingerprint(set, problem)
	if now == before {
		return ""
	}
	if err := h.note(ev, h.policyNote(ev), []byte(now)); err != nil {
		h.notes = append(h.notes, "a change of the policy would not be noticed: "+err.Error())
		return ""
	}
	if before == "" {
		return ""
	}
	return difference(before, now)
}

// policyNote is a name for each start directory: a client that changes it within a
// session has not changed the policy.
func (h *hook) policyNote(ev hooks.Event) string {
	start, err := h.startDir(ev)
	if err != nil {
		return policyName
	}
	sum := sha256.Sum256([]byte(start))
	return policyName + "-" + hex.EncodeToString(sum[:4])
}

// spot keeps what changed before this call, for the next event that can tell it:
// a policy may be there for one call only. It also looks for who could answer a
// prompt before a skill or an agent is taken, which may bring somebody along.
func (h *hook) spot(ev hooks.Event, set *policy.Set) {
	if before := h.noted(ev, h.policyNote(ev)); before != nil {
		if changed := h.changedSince(string(before), ev, set, nil); changed != "" {
			told := append(h.noted(ev, changedName), []byte(changed+"\n")...)
			if err := h.note(ev, changedName, told); err != nil {
				h.notes = append(h.notes, err.Error())
			}
		}
	}
	if ev.Tool == "Skill" || ev.Tool == "Agent" || ev.Tool == "Task" {
		h.answerer(ev)
	}
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
			if !slices.Contains(other, line) && !slices.Contains(files, file) && !strings.HasPrefix(line, unusable) {
				files = append(files, file)
			}
		}
	}
	return strings.Join(files, ", ")
}

// announce tells the user of a changed policy, and the audit.
func (h *hook) announce(ev hooks.Event, set *policy.Set, problem error) string {
	var changes []string
	if path, err := h.notePath(ev, changedName); err == nil {
		changes = slices.Collect(strings.Lines(string(h.noted(ev, changedName))))
		if len(changes) > 0 {
			err = os.Remove(path)
		}
		if err != nil {
			h.notes = append(h.notes, err.Error())
		}
	}
	if now := h.policyChanged(ev, set, problem); now != "" {
		changes = append(changes, now)
	}
	if len(changes) == 0 {
		return ""
	}
	changed := "gatewright: the policy changed during this session: " + strings.ReplaceAll(strings.TrimSpace(strings.Join(changes, "")), "\n", "; ")
	h.record(ev, set, auditEntry{notes: []string{changed}})
	return changed
}
