package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/policy"
)

// place is a temporary home with a repository in it.
type place struct {
	t    *testing.T
	home string
	repo string
	env  []string
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

// prepare makes one thing about the place unusual.
func (p *place) prepare(setup string) {
	state := p.stateDir()
	switch setup {
	case "":
	case "no policy":
		p.must(os.RemoveAll(filepath.Dir(p.policyFile())))
	case "policy is a folder":
		p.must(os.Remove(p.policyFile()))
		p.must(os.Mkdir(p.policyFile(), 0o700))
	case "policy has BOM and CRLF":
		text, err := os.ReadFile(p.policyFile())
		p.must(err)
		p.writePolicy("\ufeff" + strings.ReplaceAll(string(text), "\n", "\r\n"))
	case "state is a file":
		p.must(os.MkdirAll(filepath.Dir(state), 0o700))
		p.must(os.WriteFile(state, nil, 0o600))
	case "audit is a file":
		p.must(os.MkdirAll(state, 0o700))
		p.must(os.WriteFile(filepath.Join(state, "audit"), nil, 0o600))
	default:
		p.t.Fatalf("unknown setup %q", setup)
	}
}
