package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

// claudeOnly is Claude Code's switch for hooks of nobody but an administrator. It
// counts in managed settings only.
const claudeOnly = "allowManagedHooksOnly"

// managedFiles are an administrator's. Claude Code merges all files of a folder, so
// that a file of our own leaves those of others alone; Codex has one file.
func managedFiles(client string, home Home) ([]string, error) {
	if client == "claude" && home.Managed != "" {
		return []string{filepath.Join(home.Managed, "managed-settings.d", "gatewright.json")}, nil
	}
	if client == "codex" && home.ManagedCodex != "" {
		return []string{filepath.Join(home.ManagedCodex, "requirements.toml")}, nil
	}
	return nil, fmt.Errorf("it is not known where %s has an administrator's settings on this system", client)
}

// RegisterManaged is Register for an administrator's file. With only the client is
// told to run no hooks of users and projects; without it that stays as it is.
func RegisterManaged(text []byte, c hooks.Client, l Line, only bool) ([]byte, error) {
	if c.Name == "codex" {
		return registerRequirements(text, c, l, only)
	}
	set, says := onlyOf(text)
	if only && says && !set {
		return nil, fmt.Errorf("it says that %s is not true: change that and run this again", claudeOnly)
	}
	text, err := Register(text, c, l)
	if err != nil || !only || set {
		return text, err
	}
	bom, body := splitBOM(text)
	body, err = jsontext.Put(body, claudeOnly, []byte("true"))
	return slices.Concat(bom, body), err
}

// onlyOf reads the switch of Claude Code's file.
func onlyOf(text []byte) (set, says bool) {
	root, body := rootOf(text)
	return readSwitch(body, root, claudeOnly)
}

// RunsOnlyManaged reports an administrator's file by which no other hooks run.
func RunsOnlyManaged(text []byte, c hooks.Client) bool {
	if c.Name == "codex" {
		r, err := readRequirements(text)
		return err == nil && r.top[codexOnly] == true
	}
	set, _ := onlyOf(text)
	return set
}

// UnregisterManaged takes back what RegisterManaged wrote: the switch, too, if it
// stands beside entries of ours.
func UnregisterManaged(text []byte, c hooks.Client) ([]byte, error) {
	if c.Name == "codex" {
		return unregisterRequirements(text)
	}
	_, ours := Registered(text, c, "")
	text, err := Unregister(text, c)
	if set, _ := onlyOf(text); err != nil || text == nil || !ours || !set {
		return text, err
	}
	bom, body := splitBOM(text)
	if body, err = jsontext.Remove(body, claudeOnly); body == nil || err != nil {
		return nil, err
	}
	return slices.Concat(bom, body), nil
}

// RegisteredAt is Registered for a file of any kind.
func RegisteredAt(f *File, c hooks.Client, event string) (command string, any bool) {
	if filepath.Ext(f.Path) != ".toml" {
		return Registered(f.Text, c, event)
	}
	r, err := readRequirements(f.Text)
	if err != nil {
		return "", false
	}
	return registeredIn(r.handlers(), event)
}

// addRequirements takes the handlers that Codex has from its administrator: it
// trusts them without being asked.
func (m *merged) addRequirements(w Watch) {
	if w.Home.ManagedCodex == "" {
		return
	}
	s := source{path: filepath.Join(w.Home.ManagedCodex, "requirements.toml"), ours: true}
	file, err := ReadFile(s.path)
	if err != nil {
		m.unread = append(m.unread, err.Error())
		return
	}
	r, err := readRequirements(file.Text)
	if err != nil {
		m.unread = append(m.unread, s.path+": "+err.Error())
		return
	}
	w.trusted = nil
	m.add(w, s, r.handlers(), nil)
	if r.top[codexOnly] == true {
		m.only = s.path
	}
}

// ErrNotRoot is the error of a registration for everybody by somebody who is not
// the administrator.
var ErrNotRoot = errors.New("--scope managed is for administrators: run it as root")
