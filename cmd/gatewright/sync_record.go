package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"gatewright/hooks"
	"gatewright/install"
)

// listing is a change of lists and of the records of what of them is ours.
type listing struct {
	files   map[string]*edit
	records map[string]*record
}

// edit is a client's file; several scopes can change the same one.
func (l listing) edit(path string, c hooks.Client) (*edit, error) {
	if e := l.files[path]; e != nil {
		return e, nil
	}
	file, err := install.ReadFile(path)
	if err != nil {
		return nil, err
	}
	l.files[path] = &edit{c, file, file.Text}
	return l.files[path], nil
}

// text is what a file is to be.
func (l listing) text(path string) []byte {
	if e := l.files[path]; e != nil {
		return e.after
	}
	file, err := install.ReadFile(path)
	if err != nil {
		return nil
	}
	return file.Text
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
	var files []*edit
	for _, path := range slices.Sorted(maps.Keys(l.files)) {
		files = append(files, l.files[path])
	}
	return append(changesOf(files), l.recorded(func(r *record) []byte { return r.synced.Text() })...)
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

func (l listing) record(path string) (*record, error) {
	if r := l.records[path]; r != nil {
		return r, nil
	}
	if path == "" {
		return nil, errNoHome
	}
	file, err := install.ReadFile(path)
	if err != nil {
		return nil, err
	}
	synced, err := install.ReadSynced(file.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	l.records[path] = &record{file, synced}
	return l.records[path], nil
}

// listed says what has changed in a file's lists.
func (e edit) listed() string {
	more, fewer := install.Differ(e.file.Text, e.after)
	return fmt.Sprintf("%d more and %d fewer entries keep tools from being shown", more, fewer)
}

// relist takes out what is ours and no longer wanted, and puts in what is wanted
// and not there. It gives what is ours then, and what could not be changed.
func relist(text []byte, ours map[install.List][]string, want []entry) (after []byte, kept map[install.List][]string, failed []entry, err error) {
	kept = map[install.List][]string{}
	for list, items := range ours {
		for _, item := range items {
			e := entry{list, item}
			if slices.Contains(want, e) {
				kept[list] = append(kept[list], item)
				continue
			}
			changed, err := install.RemoveListed(text, list, item)
			if errors.Is(err, install.ErrHarm) {
				kept[list], failed = append(kept[list], item), append(failed, e)
				continue
			}
			if err != nil {
				return nil, nil, nil, err
			}
			text = changed
		}
	}
	for _, e := range want {
		there, err := install.Listed(text, e.list)
		if err != nil {
			return nil, nil, nil, err
		}
		if slices.Contains(there, e.item) {
			continue
		}
		changed, err := install.AddListed(text, e.list, e.item)
		switch {
		case errors.Is(err, install.ErrHarm):
			failed = append(failed, e)
			continue
		case err != nil:
			return nil, nil, nil, err
		}
		if text = changed; !slices.Contains(kept[e.list], e.item) {
			kept[e.list] = append(kept[e.list], e.item)
		}
	}
	return text, kept, failed, nil
}
