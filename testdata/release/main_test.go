package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// committed is the time of the commit that the tests release.
var committed = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// copyTree makes a repository of this module's files in a folder, with one commit,
// which is the same wherever it is made.
func copyTree(t *testing.T, dir string) {
	t.Helper()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "dist", ".e2e-cache", "cases", "replay"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, rel), 0o700)
		case !d.Type().IsRegular() || rel == ".git":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, rel), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "all")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	at := committed.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// released are the files of a release of the tree for this machine, by name.
func released(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "dist")
	if err := release(dir, out, []string{here()}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// TestRelease: two people who release one commit get the same bytes, whatever else
// they have: another folder, other settings, changes that they have not committed.
func TestRelease(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "somewhere", "an other")
	copyTree(t, one)
	copyTree(t, two)
	first := released(t, one)

	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("GOFLAGS", "-buildvcs=false -tags=other")
	t.Setenv("GOAMD64", "v3")
	for name, text := range map[string]string{"README.md": "changed", "cmd/gatewright/new.go": "package main\n\nvar news = 1\n"} {
		if err := os.WriteFile(filepath.Join(two, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second := released(t, two)

	if len(first) != 3 || len(second) != 3 {
		t.Errorf("%d and %d files", len(first), len(second))
	}
	for name, text := range first {
		if !bytes.Equal(second[name], text) {
			t.Errorf("%s differs: %d and %d bytes", name, len(text), len(second[name]))
		}
	}
	checkSums(t, first)
	name := "gatewright_v0.0.0-20260302120000-"
	for _, file := range []string{named(t, first, ".tar.gz"), named(t, first, ".cdx.json")} {
		if !strings.HasPrefix(file, name) || !strings.Contains(file, "_"+strings.ReplaceAll(here(), "/", "_")+".") {
			t.Errorf("a file is called %s", file)
		}
	}
	checkArchive(t, first, []string{one, two})
	checkBill(t, first)
	checkNewUser(t, first)
}

// named is the name with this ending.
func named(t *testing.T, files map[string][]byte, ending string) string {
	t.Helper()
	for name := range files {
		if strings.HasSuffix(name, ending) {
			return name
		}
	}
	t.Fatalf("there is no %s", ending)
	return ""
}

// checkSums compares SHA256SUMS with what another program says, if it is here.
func checkSums(t *testing.T, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sha256sum", "--strict", "-c", "SHA256SUMS")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.Err != nil {
		t.Log("SKIPPED: no sha256sum here, so SHA256SUMS was not checked")
	} else if err != nil || strings.Count(string(out), ": OK\n") != len(files)-1 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNoCommit: what does not say which commit it is of is not released.
func TestNoCommit(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readBuilt(program); err == nil || !strings.Contains(err.Error(), "no commit in the program") {
		t.Error(err)
	}
	if err := release(t.TempDir(), t.TempDir(), []string{here()}); err == nil || !strings.Contains(fmt.Sprint(err), "git rev-parse HEAD") {
		t.Error(err)
	}
}
