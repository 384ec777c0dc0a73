package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// plan reads the lists and the records and computes what they are to be. Broad
// scopes come first, because a narrow list can take the place of a broad one.
func (s *syncer) plan(scopes []scope) (listing, error) {
	done := listing{records: map[string]*record{}, files: map[string]*edit{}}
	for _, sc := range scopes {
		client, known := hooks.ClientNamed(sc.Client)
		if !known || !s.concerns(client) {
			continue
		}
		if err := s.planScope(done, sc, client); err != nil {
			return listing{}, err
		}
	}
	return done, nil
}

// planScope reads nothing of a client where there is nothing to put in and nothing
// to take out, and makes no settings for one that is not used.
func (s *syncer) planScope(done listing, sc scope, c hooks.Client) error {
	rec, err := done.record(sc.Record)
	if err != nil {
		return err
	}
	rec.file.Private = sc.Record == s.record() // beside what else we remember
	ours := rec.synced[sc.Key]
	if len(ours) == 0 && !slices.ContainsFunc(sc.layers, func(l *policy.Layer) bool { return len(takingOff(l)) > 0 }) {
		return nil
	}
	if len(ours) == 0 && !s.isUsed(sc) {
		s.tell("%-7s is not set up in %s, so its lists stay as they are", sc.Client, s.short(filepath.Dir(filepath.Dir(sc.File))))
		return nil
	}
	e, err := done.edit(sc.File, c)
	if err == nil {
		err = s.planLists(done, sc, e, rec.synced)
	}
	if err != nil && s.clear { // what we are called by goes all the same
		s.tell("%-7s %s: its lists stay as they are: %v", sc.Client, s.short(sc.File), err)
		return nil
	}
	if err != nil && !strings.Contains(err.Error(), sc.File) {
		err = fmt.Errorf("%s: %w", sc.File, err)
	}
	return err
}

// isUsed reports that a client has its folder there, or in the repository's root.
func (s *syncer) isUsed(sc scope) bool {
	folder := filepath.Dir(sc.File)
	return install.IsFolder(folder) || install.IsFolder(filepath.Join(s.repo.Root, filepath.Base(folder)))
}

func (s *syncer) concerns(c hooks.Client) bool {
	return slices.ContainsFunc(s.clients, func(o hooks.Client) bool { return o.Name == c.Name })
}

// planLists changes one client's file, and what is recorded of it.
func (s *syncer) planLists(done listing, sc scope, e *edit, synced install.Synced) error {
	want, err := s.wanted(done, sc, e.after, synced[sc.Key])
	if err != nil {
		return err
	}
	after, kept, failed, err := relist(e.after, synced[sc.Key], want)
	if err != nil {
		return err
	}
	for _, f := range failed {
		s.tell("%-7s %s: %s of %s is written in a form that cannot be changed without harm; add or remove %q yourself", sc.Client, s.short(sc.File), "the list", f.list, f.item)
	}
	e.after, synced[sc.Key] = after, kept
	return nil
}

// wanted is what the layers take off the lists of a file.
func (s *syncer) wanted(done listing, sc scope, text []byte, ours map[install.List][]string) ([]entry, error) {
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
		}
		for _, e := range entries {
			if !slices.Contains(all, e) {
				all = append(all, e)
			}
		}
		s.tellLeft(sc, left)
	}
	if sc.Client == "codex" {
		all = s.withoutLoss(done, sc, text, all, ours)
	}
	return all, nil
}

// withoutLoss leaves out a list of ours that would take the place of a broader one:
// Codex does not add them up, so tools that are hidden there would come back. A list
// in which others have something takes its place anyway.
func (s *syncer) withoutLoss(done listing, sc scope, text []byte, all []entry, ours map[install.List][]string) []entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
		here, _ := install.Listed(text, e.list)
		if slices.ContainsFunc(here, func(item string) bool { return !slices.Contains(ours[e.list], item) }) {
			return false
		}
		for _, file := range s.broader(sc) {
			there, _ := install.Listed(done.text(file), e.list)
			if slices.ContainsFunc(there, func(item string) bool { return !slices.Contains(all, entry{e.list, item}) }) {
				s.tell("codex   %s: %s would take the place of the one in %s; its tools are denied at the call alone", s.short(sc.File), e.list, s.short(file))
				return true
			}
		}
		return false
	})
}

// broader lists the files of Codex whose lists one takes the place of.
func (s *syncer) broader(sc scope) []string {
	var files []string
	for _, l := range install.UserLists(s.home, "") {
		if l.Client == sc.Client {
			files = append(files, l.File)
		}
	}
	for _, dir := range policy.Searched(s.dir) {
		files = append(files, filepath.Join(dir, ".codex", "config.toml"))
	}
	i := slices.Index(files, sc.File)
	return files[:max(i, 0)]
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
