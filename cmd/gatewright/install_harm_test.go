//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// newHarmed is a repository with settings of others in every file that install
// changes.
func newHarmed(t *testing.T) *settings {
	t.Helper()
	s := newSettings(t, fixture{Client: "all", Path: "repo/.claude/settings.json", Program: "bin/gatewright", dir: "../../testdata/settings/B35a-hooks-of-others"})
	s.put("repo/.claude/settings.local.json", []byte("{\r\n\t\"model\": \"opus\"\r\n}"))
	s.put("repo/.codex/hooks.json", []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}`))
	s.before = s.tree()
	return s
}

func (s *settings) installs() map[string]string {
	s.Helper()
	if s.runs("install"); s.failed {
		s.Error(s.told)
	}
	return s.tree()
}

func (s *settings) uninstalls() {
	s.Helper()
	if s.runs("uninstall"); s.failed {
		s.Error(s.told)
	}
	s.same("after uninstall", s.before, s.tree())
}

// TestInstallAtOnce: several installs at once come to what one comes to.
func TestInstallAtOnce(t *testing.T) {
	t.Parallel()
	s := newHarmed(t)
	want := s.installs()
	s.uninstalls()
	var all sync.WaitGroup
	for range 4 {
		one := *s
		all.Go(func() { one.installs() })
	}
	all.Wait()
	s.same("after four at once", want, s.tree())
	s.uninstalls()
}

// TestInstallKilled: an install that ends between two of its files, with the next
// one's text beside it, is completed by the next install and undone by uninstall.
func TestInstallKilled(t *testing.T) {
	t.Parallel()
	s := newHarmed(t)
	want := s.installs()
	files := []string{"repo/.claude/settings.json", "repo/.claude/settings.local.json", "repo/.codex/hooks.json"}
	for done := range files {
		s.uninstalls()
		for _, path := range files[:done] {
			_, text, _ := strings.Cut(want["/"+path], " ")
			s.put(path, []byte(text))
		}
		left := filepath.Join(s.root, filepath.Dir(files[done]), ".gatewright-KILLEDAA")
		s.must(os.WriteFile(left, []byte("{"), 0o600))
		old := syscall.Timeval{Sec: 1}
		s.must(syscall.Utimes(left, []syscall.Timeval{old, old}))
		s.same("after an install that was killed and another", want, s.installs())
	}
	s.uninstalls()
}

// TestInstallUnwritable: where one file cannot be written none is, and what is said
// names it.
func TestInstallUnwritable(t *testing.T) {
	t.Parallel()
	s := newHarmed(t)
	if os.Geteuid() == 0 {
		// Root can write everywhere but where the system lets nobody.
		s.must(os.RemoveAll(filepath.Join(s.root, "repo/.codex")))
		s.must(os.Symlink("/proc/self", filepath.Join(s.root, "repo/.codex")))
	} else {
		s.must(os.Chmod(filepath.Join(s.root, "repo/.codex"), 0o555))
		t.Cleanup(func() { s.must(os.Chmod(filepath.Join(s.root, "repo/.codex"), 0o755)) })
	}
	s.before = s.tree()
	if s.runs("install"); !s.failed || !strings.Contains(s.told, "/repo/.codex/hooks.json: nothing can be written beside it, so it cannot be changed:") {
		t.Error(s.told)
	}
	s.same("where one file cannot be written", s.before, s.tree())
}

// TestInstallOddPlace: a repository whose path has a line end and quotes in it.
func TestInstallOddPlace(t *testing.T) {
	t.Parallel()
	s := newHarmed(t)
	odd := "re\npo \"'$(touch hacked)\\"
	s.must(os.Rename(filepath.Join(s.root, "repo"), filepath.Join(s.root, odd)))
	s.must(os.Symlink(odd, filepath.Join(s.root, "repo")))
	s.before = s.tree()
	s.installs()
	s.uninstalls()
}
