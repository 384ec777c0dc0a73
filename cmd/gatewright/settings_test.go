//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"gatewright/hooks"
	"gatewright/install"
)

// fixture is one settings file in testdata/settings: a folder with before (none: the
// file is not there), installed and uninstalled, or refused: what is said then.
// In installed the command lines are written «PreToolUse» and so on.
type fixture struct {
	Shows   string
	Client  string
	Path    string   // of the file, below a folder with repo, home and etc
	Args    []string // of install and uninstall, beside the client
	Program string   // where the program is, below that folder; bin/gatewright by default
	Setup   string   // shell commands, run in that folder before
	HadOurs bool     // there are entries of ours, so that uninstall does not give before back
	dir     string
}

// TestSettings runs the real program over every fixture: install, again, uninstall.
// With -update it writes what comes out; read every change before you keep it.
func TestSettings(t *testing.T) {
	dirs, err := filepath.Glob("../../testdata/settings/*")
	if err != nil || len(dirs) < 40 {
		t.Fatal(len(dirs), "fixtures", err)
	}
	for _, dir := range dirs {
		f := fixture{Client: "claude", Path: "repo/.claude/settings.json", Program: "bin/gatewright", dir: dir}
		meta, err := toml.DecodeFile(filepath.Join(dir, "about.toml"), &f)
		if err != nil || len(meta.Undecoded()) > 0 || f.Shows == "" {
			t.Fatal(dir, err, meta.Undecoded())
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			s := newSettings(t, f)
			if s.runs("install"); s.failed {
				s.refused()
				return
			}
			s.accepted()
		})
	}
}

// settings is a place with a fixture's file in it.
type settings struct {
	fixture
	*testing.T
	root   string
	failed bool
	told   string
	before map[string]string
}

func newSettings(t *testing.T, f fixture) *settings {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	s := &settings{fixture: f, T: t, root: root}
	s.must(err)
	for _, dir := range []string{"repo/.git", "home", "etc"} {
		s.must(os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	s.put("repo/.gatewright/policy.toml", []byte("version = 1\n"))
	if text, err := os.ReadFile(filepath.Join(f.dir, "before")); err == nil {
		s.put(f.Path, text)
	}
	here, err := exec.LookPath("gatewright")
	s.must(err)
	s.must(os.MkdirAll(filepath.Dir(s.program()), 0o755))
	s.must(os.Link(here, s.program()))
	if f.Setup != "" {
		cmd := exec.Command("/bin/sh", "-euc", f.Setup)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	s.before = s.tree()
	return s
}

func (s *settings) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *settings) program() string { return filepath.Join(s.root, s.Program) }

func (s *settings) put(path string, text []byte) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(filepath.Join(s.root, path)), 0o755))
	s.must(os.WriteFile(filepath.Join(s.root, path), text, 0o644))
}

// runs runs the program.
func (s *settings) runs(command string) {
	s.Helper()
	args := s.Args
	if command == "uninstall" {
		args = slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "--managed-hooks-only" })
	}
	cmd := exec.Command(s.program(), append([]string{command, "--client", s.Client}, args...)...)
	cmd.Dir = filepath.Join(s.root, "repo")
	cmd.Env = []string{"HOME=" + filepath.Join(s.root, "home"), "PATH=" + filepath.Dir(s.program()) + ":" + os.Getenv("PATH"), "TEST_ROOTS=" + filepath.Join(s.root, "etc"), noRaceSleep}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatal(err)
	}
	s.failed, s.told = err != nil, strings.ReplaceAll(string(out), s.root, "")
}

// accepted: the golden files, and a second time nothing changes.
func (s *settings) accepted() {
	s.golden("installed", s.hidden(s.text()))
	once := s.tree()
	if s.runs("install"); s.failed {
		s.Errorf("a second time: %s", s.told)
	}
	s.same("a second time", once, s.tree())
	if s.runs("uninstall"); s.failed {
		s.Error(s.told)
	}
	s.golden("uninstalled", s.hidden(s.text()))
	if !s.HadOurs {
		s.same("after uninstall", s.before, s.tree())
	}
}

// refused: nothing is changed, not by uninstall either, and what is said is right.
func (s *settings) refused() {
	s.golden("refused", []byte(s.told))
	s.same("refused", s.before, s.tree())
	s.runs("uninstall")
	s.same("uninstall, refused", s.before, s.tree())
}

// text is the file's; nil if it is not there.
func (s *settings) text() []byte {
	text, err := os.ReadFile(filepath.Join(s.root, s.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	s.must(err)
	return text
}

// golden compares with a file of the fixture; nil is none.
func (s *settings) golden(name string, got []byte) {
	s.Helper()
	path := filepath.Join(s.dir, name)
	if *update {
		for _, other := range []string{"installed", "uninstalled", "refused"} {
			if other == name || name != "uninstalled" {
				os.Remove(filepath.Join(s.dir, other))
			}
		}
		if got != nil {
			s.must(os.WriteFile(path, got, 0o644))
		}
		return
	}
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		want, err = nil, nil
	}
	s.must(err)
	if string(got) != string(want) || (got == nil) != (want == nil) {
		s.Errorf("%s is\n%q\nwant\n%q", name, got, want)
	}
}

// hidden writes names for the command lines, each of which it knows to the byte.
func (s *settings) hidden(text []byte) []byte {
	if text == nil {
		return nil
	}
	c, _ := hooks.ClientNamed(s.Client)
	line := install.Shared()
	if slices.Contains(s.Args, "user") || slices.Contains(s.Args, "managed") {
		var err error
		line, err = install.Own(s.program())
		s.must(err)
	}
	out := string(text)
	for _, r := range c.Events {
		name := r.Event
		if !r.Kind.CanBlock() {
			name = "never stops anything"
		}
		out = strings.ReplaceAll(out, string(hooks.EncodeJSON(line.Text(c, r))), `"«`+name+`»"`)
	}
	return []byte(out)
}

// tree is every file with its mode: where links lead, what is in files. Our state
// and a client's backups are not in it.
func (s *settings) tree() map[string]string {
	all := map[string]string{}
	s.must(filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || strings.HasPrefix(path, filepath.Join(s.root, "home/.local")) || strings.HasPrefix(path, filepath.Join(s.root, "bin")) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := ""
		switch {
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			s.must(err)
			what = string(text)
		case info.Mode().Type() == fs.ModeSymlink:
			what, err = os.Readlink(path)
		}
		all[strings.TrimPrefix(path, s.root)] = fmt.Sprint(info.Mode(), " ", what)
		return err
	}))
	return all
}

func (s *settings) same(when string, want, got map[string]string) {
	s.Helper()
	for path := range want {
		if got[path] != want[path] {
			s.Errorf("%s %s is\n%.400q\nwant\n%.400q", when, path, got[path], want[path])
		}
	}
	for path := range got {
		if _, there := want[path]; !there {
			s.Errorf("%s there is %s", when, path)
		}
	}
}

// TestB10Fixtures: no file that install writes has a matcher in an entry of ours.
func TestB10Fixtures(t *testing.T) {
	files, err := filepath.Glob("../../testdata/settings/*/installed")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	ours := regexp.MustCompile(`"matcher":[^{}]*"hooks":\s*\[\s*\{[^{}]*«`)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if m := ours.Find(text); m != nil {
			t.Errorf("%s: %s", path, m)
		}
	}
}
