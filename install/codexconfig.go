package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"gatewright/hooks"
)

// codexConfig is what a config.toml of Codex, or its requirements.toml, says about
// hooks and trust.
type codexConfig struct {
	Profile  string
	Profiles map[string]struct{ Features map[string]any }
	Features map[string]any
	Hooks    map[string]any
	Projects map[string]struct {
		TrustLevel string `toml:"trust_level"`
	}
	ManagedOnly bool `toml:"allow_managed_hooks_only"` // of requirements.toml
}

// readCodexConfig reads one; nothing if it is not there. The error names the file
// and the place.
func readCodexConfig(path string) (codexConfig, error) {
	var config codexConfig
	file, err := ReadFile(path)
	if err != nil || file.Text == nil {
		return config, err
	}
	_, err = toml.NewDecoder(bytes.NewReader(hooks.TrimBOM(file.Text))).Decode(&config)
	var place toml.ParseError
	switch {
	case errors.As(err, &place):
		err = fmt.Errorf("%s:%d:%d: %s", path, place.Position.Line, place.Position.Col, place.Message)
	case err != nil:
		err = fmt.Errorf("%s: %w", path, err)
	}
	return config, err
}

// userConfig is the user's config.toml; empty if it cannot be read.
func userConfig(home Home) codexConfig {
	if home.Codex == "" {
		return codexConfig{}
	}
	config, err := readCodexConfig(filepath.Join(home.Codex, "config.toml"))
	if err != nil {
		return codexConfig{}
	}
	return config
}

// codexDirs are the folders whose .codex counts for work in dir, narrow first: from
// the start directory up to the root, and the main checkout's for a linked worktree.
func codexDirs(dir string, repo Repository) []string {
	var list []string
	for d := dir; repo.Main == repo.Root && d != repo.Root && d != filepath.Dir(d); d = filepath.Dir(d) {
		list = append(list, d)
	}
	return append(list, repo.Main)
}

// codexConfigs lists every config.toml that Codex merges, narrow first.
func (w Watch) codexConfigs() []string {
	var list []string
	for _, dir := range codexDirs(w.Dir, w.Repo) {
		list = append(list, filepath.Join(dir, ".codex", "config.toml"))
	}
	for _, dir := range []string{w.Home.Codex, w.Home.ManagedCodex} {
		if path := filepath.Join(dir, "config.toml"); dir != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	return list
}

// requirements is what an administrator requires of Codex.
func (w Watch) requirements() (path string, config codexConfig, err error) {
	if w.Home.ManagedCodex == "" {
		return "", codexConfig{}, nil
	}
	path = filepath.Join(w.Home.ManagedCodex, "requirements.toml")
	config, err = readCodexConfig(path)
	return path, config, err
}

// featureNames are what the feature that runs hooks is and was called.
var featureNames = [...]string{"hooks", "codex_hooks"}

// featuresOf gives the switches of a table of features that are off, and whether it
// says anything of them. What is not true is off.
func featuresOf(path, prefix string, features map[string]any) (list []Switch, says bool) {
	for _, name := range featureNames {
		value, has := features[name]
		says = says || has
		if has && value != true {
			list = append(list, Switch{File: path, Name: prefix + "features." + name + " = false"})
		}
	}
	return list, says
}

// codexSwitches lists what switches hooks off, and why files cannot be read. The
// narrowest file that says something counts; an administrator comes before all.
func (w Watch) codexSwitches() (list []Switch, unread []string) {
	decided := false
	add := func(off []Switch, says bool) {
		for _, s := range off {
			s.Counts = !decided
			list = append(list, s)
		}
		decided = decided || says
	}
	path, required, err := w.requirements()
	if err != nil {
		unread = append(unread, err.Error())
	}
	add(featuresOf(path, "", required.Features))
	if required.ManagedOnly {
		list = append(list, Switch{path, codexOnly, true})
	}
	for _, path := range w.codexConfigs() {
		config, err := readCodexConfig(path)
		if err != nil {
			unread = append(unread, err.Error())
			continue
		}
		if config.Profile != "" {
			add(featuresOf(path, "profiles."+config.Profile+".", config.Profiles[config.Profile].Features))
		}
		add(featuresOf(path, "", config.Features))
	}
	return list, unread
}

// inlineHooks lists the handlers that the config.toml files themselves hold.
func (w Watch) inlineHooks() []Entry {
	var list []Entry
	for _, path := range w.codexConfigs() {
		config, err := readCodexConfig(path)
		if err != nil {
			continue // it is reported as one that cannot be read
		}
		for event, groups := range config.Hooks {
			for _, group := range tables(groups) {
				for _, h := range tables(group["hooks"]) {
					list = append(list, Entry{File: path, Event: event, Command: commandOf(h)})
				}
			}
		}
	}
	slices.SortFunc(list, compareEntries)
	return list
}

// tables are the tables of an array of them.
func tables(value any) []map[string]any {
	if list, ok := value.([]map[string]any); ok {
		return list
	}
	var out []map[string]any
	list, _ := value.([]any)
	for _, v := range list {
		if t, ok := v.(map[string]any); ok {
			out = append(out, t)
		}
	}
	return out
}

// ProjectTrust is what the user has told Codex of the repository: "trusted",
// "untrusted" or, if it was not asked yet, nothing.
func (w Watch) ProjectTrust() string {
	projects := userConfig(w.Home).Projects
	for _, dir := range []string{w.Dir, w.Repo.Root, w.Repo.Main} {
		if level := projects[dir].TrustLevel; level != "" {
			return level
		}
	}
	return ""
}
