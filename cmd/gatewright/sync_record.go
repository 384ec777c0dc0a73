package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"gatewright/install"
)

// listing is a change of lists and of the records of what of them is ours.
type listing struct {
	files   []*edit
	records map[string]*record
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
