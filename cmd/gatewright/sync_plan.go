package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gatewright/hooks"
	"gatewright/install"
)

// listing is a change of lists and of the records of what of them is ours.
type listing struct {
	files   []*edit
	records map[string]*record
}

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

// before is what is recorded before any list changes: what was ours and what will
// be. Whoever is interrupted then has recorded too much, which does no harm, and
// never too little, which would leave our items to be taken for somebody else's.
func (l listing) before() []edit {
	return l.recorded(func(r *record) []byte {
		both, _ := install.ReadSynced(r.file.Text) // it was read before
		both.Add(r.synced)
		return both.Text()
	})
}

// edits is the change itself.
func (l listing) edits() []edit {
	return append(changesOf(l.files), l.recorded(func(r *record) []byte { return r.synced.Text() })...)
}

func (l listing) recorded(text func(*record) []byte) []edit {
	var edits []*edit
	for _, path := range slices.Sorted(maps.Keys(l.records)) {
		edits = append(edits, &edit{file: l.records[path].file, after: text(l.records[path])})
	}
	return changesOf(edits)
}

// changesOf leaves out what stays as it is.
func changesOf(edits []*edit) []edit {
	var changes []edit
	for _, e := range edits {
		if !bytes.Equal(e.file.Text, e.after) {
			changes = append(changes, *e)
		}
	}
	return changes
}

func (s *syncer) concerns(c hooks.Client) bool {
	return slices.ContainsFunc(s.clients, func(o hooks.Client) bool { return o.Name == c.Name })
}

// record is a file in which we remember what of the lists is ours.
type record struct {
	file   *install.File
	synced install.Synced
}

func readRecord(path string) (*record, error) {
	file, err := install.ReadFile(path)
	if err != nil {
		return nil, err
	}
	synced, err := install.ReadSynced(file.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &record{file, synced}, nil
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

// relist takes out what is ours and no longer wanted, and puts in what is wanted
// and not there. It gives what is ours then.
func relist(text []byte, ours map[install.List][]string, want []entry) (after []byte, kept map[install.List][]string, err error) {
	kept = map[install.List][]string{}
	for list, items := range ours {
		for _, item := range items {
			if slices.Contains(want, entry{list, item}) {
				kept[list] = append(kept[list], item)
			} else if text, err = install.RemoveListed(text, list, item); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, e := range want {
		there, err := install.Listed(text, e.list)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(there, e.item) {
			continue
		}
		if text, err = install.AddListed(text, e.list, e.item); err != nil {
			return nil, nil, err
		}
		if !slices.Contains(kept[e.list], e.item) {
			kept[e.list] = append(kept[e.list], e.item)
		}
	}
	return text, kept, nil
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
