package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkNewUser does what somebody does who has nothing but the archive: unpack it,
// install it, look at the demo, take the completion and the man page, and leave.
func checkNewUser(t *testing.T, release map[string][]byte) {
	t.Helper()
	root := t.TempDir()
	home, repo := filepath.Join(root, "home"), filepath.Join(root, "a repo")
	for _, dir := range []string{home, filepath.Join(repo, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	archive := named(t, release, ".tar.gz")
	if err := os.WriteFile(filepath.Join(root, archive), release[archive], 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, strings.TrimSuffix(archive, ".tar.gz"))
	program := filepath.Join(home, ".local", "bin", "gatewright")
	for _, step := range []struct {
		run  []string
		says string
	}{
		{[]string{"tar", "-xzf", archive}, ""},
		{[]string{"sh", folder + "/install.sh", repo}, "claude  a refund of 900 is denied"},
		{[]string{"sh", folder + "/install.sh", repo}, "gatewright is up to date"},
		{[]string{program, "demo"}, "refund 500.01 to C-1"},
		{[]string{program, "version"}, "gatewright v0.0.0-20260302120000-"},
		{[]string{"bash", "--norc", "-c", `. "$1"; . <("$2" completion bash); complete -p gatewright`, "bash", folder + "/completions/gatewright.bash", program}, "__start_gatewright gatewright"},
		{[]string{program, "uninstall", repo}, "removed"},
	} {
		cmd := exec.Command(step.run[0], step.run[1:]...)
		cmd.Dir, cmd.Env = root, []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), step.says) {
			t.Fatalf("%q: want %q, got %v\n%s", step.run, step.says, err, out)
		}
	}
	if left, err := filepath.Glob(filepath.Join(repo, "*")); err != nil || len(left) != 1 { // .git
		t.Errorf("left in the repository: %q %v", left, err)
	}
}
