package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Synced is what we have put into the lists of some files, by file and list.
type Synced map[string]map[List][]string

var errSynced = errors.New("it is not what gatewright sync writes; take it away and look through the clients' lists")

// ReadSynced reads the text of a record; nil is one that is not there.
func ReadSynced(text []byte) (Synced, error) {
	s := Synced{}
	if text == nil {
		return s, nil
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, errSynced
	}
	return s, nil
}

// Add takes over what another record has.
func (s Synced) Add(other Synced) {
	for file, lists := range other {
		for l, items := range lists {
			for _, item := range items {
				if slices.Contains(s[file][l], item) {
					continue
				}
				if s[file] == nil {
					s[file] = map[List][]string{}
				}
				s[file][l] = append(s[file][l], item)
			}
		}
	}
}

// Text is the record as it is written; nil if it is empty.
func (s Synced) Text() []byte {
	for file, lists := range s {
		for l, items := range lists {
			if len(items) == 0 {
				delete(lists, l)
			}
			slices.Sort(items)
		}
		if len(lists) == 0 {
			delete(s, file)
		}
	}
	if len(s) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil
	}
	return append(text, '\n')
}

// Lists of one scope and where it is recorded what of them is ours.
type Lists struct {
	Client string
	File   string
	Record string // the record's file
	Key    string // of File in the record
}

// ProjectLists are the lists for a folder with a policy: what the repository has in
// common, and what is one person's.
func ProjectLists(dir string) (shared, own []Lists) {
	at := func(client, record, file string) Lists {
		return Lists{client, filepath.Join(dir, file), filepath.Join(dir, ".gatewright", record), filepath.ToSlash(file)}
	}
	shared = []Lists{at("claude", "synced.json", ".claude/settings.json"), at("codex", "synced.json", ".codex/config.toml")}
	return shared, []Lists{at("claude", "synced.local.json", ".claude/settings.local.json")}
}

// UserLists are a person's own for all folders, recorded in dir.
func UserLists(home Home, dir string) []Lists {
	var list []Lists
	add := func(client, folder, name string) {
		if folder != "" {
			list = append(list, Lists{client, filepath.Join(folder, name), filepath.Join(dir, "synced.json"), filepath.Join(folder, name)})
		}
	}
	add("claude", home.Claude, "settings.json")
	add("codex", home.Codex, "config.toml")
	return list
}

// ManagedLists are an administrator's, recorded in dir.
func ManagedLists(home Home, dir string) []Lists {
	if home.Managed == "" {
		return nil
	}
	file := filepath.Join(home.Managed, "managed-settings.json")
	return []Lists{{"claude", file, filepath.Join(dir, "synced.json"), file}}
}

// String is the list as messages name it.
func (l Lists) String() string { return fmt.Sprintf("%s (%s)", l.File, l.Client) }
