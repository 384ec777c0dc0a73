package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"gatewright/hooks"
)

// Trust is what was done so that Codex runs the handlers of a file. Without it
// Codex skips them in silence.
type Trust struct {
	Hooks   int  // handlers that are trusted now
	Project bool // the repository was not trusted before and is now
}

// TrustCodex makes Codex trust our handlers in a hooks.json, and the repository
// if it is a repository's file, and verifies it. Program is the codex to ask.
func TrustCodex(program, file string, scope Scope, repo Repository, home Home) (Trust, error) {
	s, err := startAppServer(program, repo.Main)
	if err != nil {
		return Trust{}, err
	}
	defer s.close()
	var t Trust
	list, err := s.list(repo.Main, file)
	if err == nil && len(list) == 0 && scope == Project && !isJudged(repo.Main, home) {
		err = s.set(map[string]any{"projects." + keyPart(repo.Main) + ".trust_level": "trusted"})
		if t.Project = err == nil; t.Project {
			list, err = s.list(repo.Main, file)
		}
	}
	if err != nil {
		return t, err
	}
	if trusted := entrust(list); len(trusted) > 0 {
		if err := s.set(trusted); err != nil {
			return t, err
		}
		if list, err = s.list(repo.Main, file); err != nil {
			return t, err
		}
	}
	t.Hooks = len(list)
	return t, verify(list, file)
}

// entrust is what has to be set so that all handlers of the list run.
func entrust(list []codexHook) map[string]any {
	values := map[string]any{}
	for _, h := range list {
		if h.TrustStatus != "trusted" {
			values["hooks.state."+keyPart(h.Key)+".trusted_hash"] = h.CurrentHash
		}
		if !h.Enabled {
			values["hooks.state."+keyPart(h.Key)+".enabled"] = true
		}
	}
	return values
}

// verify compares what Codex lists with what we registered.
func verify(list []codexHook, file string) error {
	if len(list) == 0 {
		return fmt.Errorf("codex does not take %s: is the repository untrusted, or are hooks switched off ([features] hooks = false)?", file)
	}
	have := map[string]bool{}
	for _, h := range list {
		if h.TrustStatus != "trusted" || !h.Enabled {
			return fmt.Errorf("codex still calls %s %q (enabled: %t)", h.Key, h.TrustStatus, h.Enabled)
		}
		have[strings.ToLower(h.EventName)] = true
	}
	for _, r := range hooks.Codex().Events {
		if !have[strings.ToLower(r.Event)] {
			return fmt.Errorf("codex lists no handler of %s for %s", file, r.Event)
		}
	}
	return nil
}

// CodexKeys lists under which keys Codex remembers its trust in our handlers.
func CodexKeys(program, file string, repo Repository) ([]string, error) {
	s, err := startAppServer(program, repo.Main)
	if err != nil {
		return nil, err
	}
	defer s.close()
	list, err := s.list(repo.Main, file)
	var keys []string
	for _, h := range list {
		keys = append(keys, h.Key)
	}
	return keys, err
}

// ForgetCodex removes what Codex remembers under these keys.
func ForgetCodex(program string, keys []string, repo Repository, home Home) error {
	s, err := startAppServer(program, repo.Main)
	if err != nil {
		return err
	}
	defer s.close()
	values := map[string]any{}
	for _, key := range keys {
		values["hooks.state."+keyPart(key)] = nil
	}
	if err := s.set(values); err != nil {
		return err
	}
	if hooksAreEmpty(filepath.Join(home.Codex, "config.toml")) {
		return s.set(map[string]any{"hooks": nil})
	}
	return nil
}

// hooksAreEmpty reports a config.toml that has a [hooks.state] with nothing in
// it and no other hooks.
func hooksAreEmpty(path string) bool {
	var config struct{ Hooks map[string]any }
	if _, err := toml.DecodeFile(path, &config); err != nil {
		return false
	}
	state, ok := config.Hooks["state"].(map[string]any)
	return ok && len(config.Hooks) == 1 && len(state) == 0
}

// isJudged reports that the user has told Codex whether to trust the repository.
func isJudged(root string, home Home) bool {
	var config struct {
		Projects map[string]struct {
			TrustLevel string `toml:"trust_level"`
		}
	}
	_, err := toml.DecodeFile(filepath.Join(home.Codex, "config.toml"), &config)
	return err == nil && config.Projects[root].TrustLevel != ""
}

// keyPart quotes one part of a dotted key.
func keyPart(text string) string { return string(hooks.EncodeJSON(text)) }

func isSameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	return errors.Join(err, err2) == nil && os.SameFile(one, other)
}
