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
	text, err := Register(text, c, l)
	if err != nil || !only {
		return text, err
	}
	bom, body := splitBOM(text)
	root, err := jsontext.Parse(body)
	if err != nil {
		return nil, err
	}
	if i := root.Index(claudeOnly); i >= 0 {
		if value := root.Members[i].Value; string(value.Raw(body)) != "true" {
			return nil, settingsError(body, value, "%s is not true", claudeOnly)
		}
		return text, nil
	}
	body, err = jsontext.Put(body, claudeOnly, []byte("true"))
	return slices.Concat(bom, body), err
}

// RunsOnlyManaged reports an administrator's file by which no other hooks run.
func RunsOnlyManaged(text []byte, c hooks.Client) bool {
	if c.Name == "codex" {
		r, err := readRequirements(text)
		return err == nil && r.top[onlyKey] == true
	}
	root, body := rootOf(text)
	set, _ := readSwitch(body, root, claudeOnly)
	return set
}

// UnregisterManaged takes back what RegisterManaged wrote.
func UnregisterManaged(text []byte, c hooks.Client) ([]byte, error) {
	if c.Name == "codex" {
		return unregisterRequirements(text)
	}
	text, err := Unregister(text, c)
	if err != nil || text == nil {
		return nil, err
	}
	bom, body := splitBOM(text)
	root, err := jsontext.Parse(body)
	if err != nil || root.Index(claudeOnly) < 0 {
		return text, err
	}
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
	return commandOf(r.handlers(), event)
}

// addRequirements takes the handlers that Codex has from its administrator: it
// trusts them without being asked.
func (m *merged) addRequirements(w Watch) {
	if w.Home.ManagedCodex == "" {
		return
	}
	s := source{path: filepath.Join(w.Home.ManagedCodex, "requirements.toml"), ours: true}
	file, err := ReadFile(s.path)
	var r requirements
	if err == nil {
		r, err = readRequirements(file.Text)
	}
	if err != nil {
		m.unread = append(m.unread, s.path+": "+err.Error())
		return
	}
	w.trusted = nil
	m.add(w, s, r.handlers(), nil)
	if r.top[onlyKey] == true {
		m.only = s.path
	}
}

// ErrNotRoot is the error of a registration for everybody by somebody who is not
// the administrator.
var ErrNotRoot = errors.New("--scope managed is for administrators: run it as root")
