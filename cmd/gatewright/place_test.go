package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatewright/policy"
)

// place is a temporary home with a repository in it.
type place struct {
	t      *testing.T
	home   string
	repo   string
	env    []string
	saved  []string   // env, before it was changed
	held   []*os.File // folders that are locked
	broken string     // the path with which something is wrong
	uid    uint32     // as whom the program runs; 0: as this test does
}

// noRaceSleep: a program built with -race sleeps a second before it exits.
const noRaceSleep = "GORACE=atexit_sleep_ms=0"

func newPlace(t *testing.T) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{t: t, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo")}
	for _, d := range []string{p.home, filepath.Join(p.repo, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), noRaceSleep}
	return p
}

func (p *place) policyFile() string { return filepath.Join(p.repo, policy.RepoFile) }

func (p *place) stateDir() string { return filepath.Join(p.home, ".local/state/gatewright") }

func (p *place) writePolicy(text string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(p.policyFile()), 0o700))
	p.must(os.WriteFile(p.policyFile(), []byte(text), 0o600))
}

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// without removes variables from the environment.
func (p *place) without(names ...string) {
	p.env = slices.DeleteFunc(p.env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// nobody is a user who owns nothing.
const nobody = 65534

// asNobody makes the program run as a user whom modes of files hold up, as they do
// not hold up root. The place is that user's own.
func (p *place) asNobody() {
	p.t.Helper()
	if os.Geteuid() != 0 {
		return // this user's modes count
	}
	program, err := exec.LookPath("gatewright")
	p.must(err)
	bin := filepath.Dir(program)
	for _, dir := range []string{bin, filepath.Dir(bin), filepath.Dir(p.repo), filepath.Dir(filepath.Dir(p.repo))} {
		p.must(os.Chmod(dir, 0o755)) // temporary folders of this test
	}
	p.giveAway()
	p.uid = nobody
}

// giveAway makes all of the place the other user's.
func (p *place) giveAway() {
	p.must(filepath.WalkDir(filepath.Dir(p.repo), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, nobody, nobody)
		}
		return err
	}))
}
