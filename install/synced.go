package install

import (
	"encoding/json"
	"errors"
	"gatewright/install/tomltext"
	"io/fs"
	"path/filepath"
	"slices"
)

// Synced is what we have put into the lists of some files, by file and list.
type Synced map[string]map[List][]string

var errSynced = errors.New("it is not what gatewright sync writes. Give it its former text, or take it away and look through the lists that it speaks of (permissions.deny, disabled_tools) yourself")

// ReadSynced reads the text of a record; nil is one that is not there.
func ReadSynced(text []byte) (Synced, error) {
	s := Synced{}
	if text == nil {
		return s, nil
	}
	if err := json.Unmarshal(text, &s); err != nil || s == nil {
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

// SyncedName is a record's name. The one of what a team shares lies beside its
// policy, so that it goes where those lists go; the other is for this machine.
const SyncedName = "synced.json"

// SharedLists are the lists that everybody who works in a folder with a policy has.
func SharedLists(dir string) []Lists {
	at := func(client, file string) Lists {
		return Lists{client, filepath.Join(dir, file), filepath.Join(dir, ".gatewright", SyncedName), filepath.ToSlash(file)}
	}
	return []Lists{at("claude", ".claude/settings.json"), at("codex", ".codex/config.toml")}
}

// OwnLists are one person's for a folder with a policy, recorded in record.
func OwnLists(dir, record string) []Lists {
	file := claudeLocal(dir)
	return []Lists{{"claude", file, record, file}}
}

// UserLists are a person's own for all folders, recorded in record.
func UserLists(home Home, record string) []Lists {
	var list []Lists
	add := func(client, folder, name string) {
		if path, err := filepath.Abs(filepath.Join(folder, name)); folder != "" && err == nil {
			list = append(list, Lists{client, path, record, path})
		}
	}
	add("claude", home.Claude, "settings.json")
	add("codex", home.Codex, "config.toml")
	return list
}

// ManagedLists are an administrator's, recorded in record.
func ManagedLists(home Home, record string) []Lists {
	if home.Managed == "" {
		return nil
	}
	file := filepath.Join(home.Managed, "managed-settings.json")
	return []Lists{{"claude", file, record, file}}
}

// Synchronised lists the folders below root that have a record.
func Synchronised(root string) []string {
	var dirs []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Name() == SyncedName && filepath.Base(filepath.Dir(path)) == ".gatewright":
			dirs = append(dirs, filepath.Dir(filepath.Dir(path)))
		}
		return nil
	})
	return dirs
}

// Differ counts the items that one text of a client's file has in its lists and the
// other has not.
func Differ(before, after []byte) (more, fewer int) {
	old, new := allListed(before), allListed(after)
	for item := range new {
		if !old[item] {
			more++
		}
	}
	for item := range old {
		if !new[item] {
			fewer++
		}
	}
	return more, fewer
}

func allListed(text []byte) map[string]bool {
	all := map[string]bool{}
	add := func(l List, items []string) {
		for _, item := range items {
			all[string(l)+" "+item] = true
		}
	}
	if items, err := Listed(text, DenyList); err == nil {
		add(DenyList, items)
		return all
	}
	lists, _ := tomltext.Lists(text, serversTable, disabledKey)
	for server, items := range lists {
		add(DisabledList(server), items)
	}
	return all
}
