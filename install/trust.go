package install

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

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
	var t Trust
	err := keepLineEnds(filepath.Join(home.Codex, "config.toml"), func() error {
		s, err := startAppServer(program, repo.Main)
		if err != nil {
			return err
		}
		defer s.close()
		return t.set(s, file, scope, repo, home)
	})
	return t, err
}

func (t *Trust) set(s *appServer, file string, scope Scope, repo Repository, home Home) error {
	list, err := s.list(repo.Main, file)
	if err == nil && len(list) == 0 && scope == Project && !isJudged(repo.Main, home) {
		err = s.set(map[string]any{"projects." + keyPart(repo.Main) + ".trust_level": "trusted"})
		if t.Project = err == nil; t.Project {
			list, err = s.list(repo.Main, file)
		}
	}
	if err != nil {
		return err
	}
	if trusted := entrust(list); len(trusted) > 0 {
		if err := s.set(trusted); err != nil {
			return err
		}
		if list, err = s.list(repo.Main, file); err != nil {
			return err
		}
	}
	t.Hooks = len(list)
	return verify(list, file)
}

// keepLineEnds makes a change through Codex, which ends every line of its
// config.toml with a line feed, and gives the file the ends back that it had.
func keepLineEnds(path string, change func() error) error {
	before, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(before, []byte("\r\n")) {
		return change()
	}
	if err := change(); err != nil {
		return err
	}
	file, err := ReadFile(path)
	if err != nil {
		return err
	}
	plain := bytes.ReplaceAll(file.Text, []byte("\r\n"), []byte("\n"))
	c, err := file.Prepare(bytes.ReplaceAll(plain, []byte("\n"), []byte("\r\n")))
	if err != nil {
		return err
	}
	return c.Make()
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

// AskCodex asks a codex what it makes of our handlers in some files, and changes
// nothing: why it does not run those of a file, in the files' order; nil if it does.
// The error is that of the question, which may take as long as limit.
func AskCodex(limit time.Duration, program string, files []string, repo Repository) (reasons []error, err error) {
	s, err := startAppServerFor(limit, program, repo.Main)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, file := range files {
		list, err := s.list(repo.Main, file)
		if err != nil {
			return nil, err
		}
		reasons = append(reasons, verify(list, file))
	}
	return reasons, nil
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
	config := filepath.Join(home.Codex, "config.toml")
	return keepLineEnds(config, func() error {
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
		if hooksAreEmpty(config) {
			return s.set(map[string]any{"hooks": nil})
		}
		return nil
	})
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
