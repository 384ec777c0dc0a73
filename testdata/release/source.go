package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// source is a fresh checkout of one commit, and a folder for what is built of it.
// Building there leaves out what is not committed, and works in a linked worktree,
// where Go would not stamp the commit into the program.
type source struct {
	dir, work string
}

func checkout(root, work string) (*source, error) {
	commit, err := output(root, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	if changed, err := output(root, nil, "git", "status", "--porcelain"); err != nil || changed != "" {
		log.Printf("what is not committed is not in the release:\n%s", changed)
	}
	s := &source{filepath.Join(work, "source"), work}
	_, err = output(root, nil, "git", "clone", "--quiet", "--no-checkout", "-c", "core.autocrlf=false", ".", s.dir)
	if err == nil {
		_, err = output(s.dir, nil, "git", "checkout", "--quiet", "--detach", commit)
	}
	return s, err
}

// output runs a program and returns what it prints, without the last line's end. A
// person's own settings for Go do not count.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(append(os.Environ(), "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off"), env...), &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// built is a program with what it says of itself.
type built struct {
	*buildinfo.BuildInfo
	path string
	at   time.Time // of its commit
}

// build builds the program for a target. Nothing of the environment but the version
// of Go has a say in it.
func (s *source) build(target string) (*built, error) {
	system, machine, ok := strings.Cut(target, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not of the form linux/amd64", target)
	}
	path := filepath.Join(s.work, system+"-"+machine)
	env := []string{"GOOS=" + system, "GOARCH=" + machine, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0"}
	if _, err := output(s.dir, env, "go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./cmd/gatewright"); err != nil {
		return nil, err
	}
	return readBuilt(path)
}

func readBuilt(path string) (*built, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &built{BuildInfo: info, path: path}
	if b.setting("vcs.modified") != "false" || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return nil, errors.New("there is no commit in the program: Go did not find git, or not that this is a clone")
	}
	b.at, err = time.Parse(time.RFC3339, b.setting("vcs.time"))
	b.at = b.at.UTC()
	return b, err
}

func (b *built) setting(key string) string {
	for _, s := range b.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// here is the target that programs can be run on.
func here() string { return runtime.GOOS + "/" + runtime.GOARCH }
