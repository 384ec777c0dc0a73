package install

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
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
// if it is a repository's file, and verifies it. Program is the codex to ask. Codex
// knows handlers by the path that leads to them, so that those in a repository that
// is also reached by other paths are trusted by these, too.
func TrustCodex(program, file string, scope Scope, repo Repository, home Home) (Trust, error) {
	var t Trust
	err := keepForm(filepath.Join(home.Codex, "config.toml"), func() error {
		s, err := startAppServer(program, repo.Main, home)
		if err != nil {
			return err
		}
		defer s.close()
		if err := t.project(s, file, scope, repo, home); err != nil {
			return err
		}
		for _, dir := range append([]string{repo.Main}, repo.Links...) {
			list, err := s.trust(dir, file)
			if err != nil {
				return err
			}
			t.Hooks = len(list)
		}
		return nil
	})
	return t, err
}

// project makes Codex trust a repository of which the user has said nothing.
func (t *Trust) project(s *appServer, file string, scope Scope, repo Repository, home Home) error {
	list, err := s.list(repo.Main, file)
	if err != nil || len(list) > 0 || scope != Project || isJudged(repo.Main, home) {
		return err
	}
	err = s.set(map[string]any{"projects." + keyPart(repo.Main) + ".trust_level": "trusted"})
	t.Project = err == nil
	return err
}

// trust makes Codex trust the handlers of a file for work in a folder, and verifies
// it.
func (s *appServer) trust(dir, file string) ([]codexHook, error) {
	list, err := s.list(dir, file)
	if err != nil {
		return nil, err
	}
	if untrusted := entrust(list); len(untrusted) > 0 {
		if err := s.set(untrusted); err != nil {
			return nil, err
		}
		if list, err = s.list(dir, file); err != nil {
			return nil, err
		}
	}
	return list, verify(list, file, s.warning)
}

// keepForm makes a change through Codex, which ends every line of its config.toml
// with a line feed and drops a byte order mark, and gives the file back what it had.
func keepForm(path string, change func() error) error {
	before, err := ReadFile(path)
	if err != nil {
		return err
	}
	bom, _ := splitBOM(before.Text)
	crlf := bytes.Contains(before.Text, []byte("\r\n"))
	failed := change() // perhaps halfway
	if !crlf && len(bom) == 0 {
		return failed
	}
	file, err := ReadFile(path)
	if err != nil || file.Text == nil {
		return errors.Join(failed, err)
	}
	_, text := splitBOM(file.Text)
	if crlf {
		text = withLineEnds(before.Text, text)
	}
	return errors.Join(failed, file.rewrite(slices.Concat(bom, text)))
}

// withLineEnds gives each line the end that it had before, and a new one that of most.
func withLineEnds(before, after []byte) []byte {
	ends, crlf, all := map[string][]string{}, 0, 0
	for line := range strings.Lines(string(before)) {
		text := strings.TrimRight(line, "\r\n")
		ends[text] = append(ends[text], line[len(text):])
		if all++; strings.HasSuffix(line, "\r\n") {
			crlf++
		}
	}
	usual := "\n"
	if 2*crlf > all {
		usual = "\r\n"
	}
	var b strings.Builder
	for line := range strings.Lines(string(after)) {
		text := strings.TrimRight(line, "\r\n")
		end := usual
		if had := ends[text]; len(had) > 0 {
			end, ends[text] = cmp.Or(had[0], usual), had[1:]
		}
		if !strings.HasSuffix(line, "\n") {
			end = "" // the last one
		}
		b.WriteString(text + end)
	}
	return []byte(b.String())
}

// rewrite changes a file at once.
func (f *File) rewrite(text []byte) error {
	c, err := f.Prepare(text)
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
func verify(list []codexHook, file, warning string) error {
	if len(list) == 0 && warning != "" {
		return fmt.Errorf("codex does not take %s: %s", file, warning)
	}
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
func AskCodex(limit time.Duration, program string, files []string, repo Repository, home Home) (reasons []error, err error) {
	s, err := startAppServerFor(limit, program, repo.Main, home)
	if err != nil {
		return nil, err
	}
	defer s.close()
	for _, file := range files {
		list, err := s.list(repo.Main, file)
		if err != nil {
			return nil, err
		}
		reasons = append(reasons, verify(list, file, s.warning))
	}
	return reasons, nil
}

// CodexKeys lists under which keys Codex remembers its trust in our handlers, by
// whatever path they were reached.
func CodexKeys(program, file string, repo Repository, home Home) ([]string, error) {
	s, err := startAppServer(program, repo.Main, home)
	if err != nil {
		return nil, err
	}
	defer s.close()
	list, err := s.list(repo.Main, file)
	var keys []string
	for _, h := range list {
		keys = append(keys, h.Key)
	}
	for key := range trustedByCodex(home) {
		path, place := splitKey(key)
		same := func(k string) bool { _, p := splitKey(k); return p == place }
		if !slices.Contains(keys, key) && slices.ContainsFunc(keys, same) && IsSameFile(path, file) {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// splitKey splits PATH:event:group:handler.
func splitKey(key string) (path, place string) {
	at := len(key)
	for range 3 {
		if at = strings.LastIndexByte(key[:at], ':'); at < 0 {
			return key, ""
		}
	}
	return key[:at], key[at:]
}

// ForgetCodex removes what Codex remembers under these keys. Before is the text that
// its config.toml had before our first change, nil if that is not known.
func ForgetCodex(program string, keys []string, repo Repository, home Home, before []byte) error {
	config := filepath.Join(home.Codex, "config.toml")
	err := keepForm(config, func() error {
		s, err := startAppServer(program, repo.Main, home)
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
		if hooksAreEmpty(config) && !hadHooks(before) {
			return s.set(map[string]any{"hooks": nil})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return openAgain(config, before)
}

// openAgain takes away the line end that Codex puts behind the last line, if there
// was none and nothing else has changed, and the file if there was none.
func openAgain(config string, before []byte) error {
	file, err := ReadFile(config)
	if err != nil || file.Text == nil || bytes.Equal(file.Text, before) && before != nil || !bytes.Equal(bytes.TrimRight(file.Text, "\r\n"), before) {
		return err
	}
	return file.rewrite(before)
}

func hadHooks(config []byte) bool {
	var c struct{ Hooks map[string]any }
	_, err := toml.Decode(string(hooks.TrimBOM(config)), &c)
	return err != nil || c.Hooks != nil
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
