package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gatewright/hooks"
	"gatewright/install"
)

// plan reads the lists and the records and computes what they are to be.
func (s *syncer) plan(scopes []scope) (listing, error) {
	done := listing{records: map[string]*record{}}
	files := map[string]*edit{}
	for _, sc := range scopes {
		client, wanted := hooks.ClientNamed(sc.Client)
		if !wanted || !s.concerns(client) {
			continue
		}
		rec := done.records[sc.Record]
		if rec == nil {
			var err error
			if rec, err = readRecord(sc.Record); err != nil {
				return listing{}, err
			}
			done.records[sc.Record] = rec
		}
		if len(sc.layers) == 0 && len(rec.synced[sc.Key]) == 0 {
			continue // nothing to put in and nothing to take out
		}
		e := files[sc.File]
		if e == nil {
			file, err := install.ReadFile(sc.File)
			if err != nil {
				return listing{}, err
			}
			e = &edit{client, file, file.Text}
			files[sc.File], done.files = e, append(done.files, e)
		}
		if err := s.planLists(sc, e, rec.synced); err != nil {
			return listing{}, fmt.Errorf("%s: %w", sc.File, err)
		}
	}
	return done, nil
}

func (s *syncer) concerns(c hooks.Client) bool {
	return slices.ContainsFunc(s.clients, func(o hooks.Client) bool { return o.Name == c.Name })
}

// planLists changes one client's file, and what is recorded of it.
func (s *syncer) planLists(sc scope, e *edit, synced install.Synced) error {
	want, err := s.wanted(sc, e.after)
	if err != nil {
		return err
	}
	var kept map[install.List][]string
	if e.after, kept, err = relist(e.after, synced[sc.Key], want); err == nil {
		synced[sc.Key] = kept
	}
	return err
}

// wanted is what the layers take off the lists of a file.
func (s *syncer) wanted(sc scope, text []byte) ([]entry, error) {
	var all []entry
	var servers []string
	if sc.Client == "codex" {
		var err error
		if servers, err = install.Servers(text); err != nil {
			return nil, err
		}
	}
	for _, l := range sc.layers {
		entries, left := claudeEntries(l)
		if sc.Client == "codex" {
			entries, left = codexEntries(l, servers)
			entries = s.withoutLoss(sc, text, entries)
		}
		for _, e := range entries {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
		s.tellLeft(sc, left)
	}
	return all, nil
}

// withoutLoss leaves out a new list that would take the place of one in the user's
// own file: Codex does not add them up, so tools would come back.
func (s *syncer) withoutLoss(sc scope, text []byte, entries []entry) []entry {
	user := filepath.Join(s.home.Codex, "config.toml")
	broader, err := os.ReadFile(user)
	if err != nil || user == sc.File {
		return entries
	}
	return slices.DeleteFunc(entries, func(e entry) bool {
		here, _ := install.Listed(text, e.list)
		there, _ := install.Listed(broader, e.list)
		lost := here == nil && slices.ContainsFunc(there, func(item string) bool { return !slices.Contains(entries, entry{e.list, item}) })
		if lost {
			s.tell("codex   %s: %s would take the place of the one in %s; its tools are denied at the call alone", s.short(sc.File), e.list, user)
		}
		return lost
	})
}

// tellLeft says what a client's lists cannot hold. There is nothing to say where
// the client is not used.
func (s *syncer) tellLeft(sc scope, left []unsaid) {
	if _, err := os.Stat(filepath.Dir(sc.File)); errors.Is(err, fs.ErrNotExist) {
		return
	}
	for _, u := range left {
		if sc.Client == "codex" {
			s.tell("codex   rule %s: %s: denied at the call alone (its list takes names, of servers that %s defines)", u.rule, u.pattern, s.short(sc.File))
		} else {
			s.tell("claude  rule %s: %s: denied at the call alone (its list cannot say it)", u.rule, u.pattern)
		}
	}
}
