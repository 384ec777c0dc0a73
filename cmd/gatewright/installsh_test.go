package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallScript runs install.sh as a new user does: twice, into folders with
// spaces, from another directory, with nothing in the environment but what Go
// needs. Then everything is undone.
func TestInstallScript(t *testing.T) {
	root := t.TempDir()
	home, repo, bin := filepath.Join(root, "my home"), filepath.Join(root, "a repo"), filepath.Join(root, "my bin")
	for _, dir := range []string{home, filepath.Join(repo, ".git"), filepath.Join(repo, ".claude")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	settings := filepath.Join(repo, ".claude", "settings.json")
	if err := os.WriteFile(settings, []byte(`{"model": "x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(goEnv(t), "HOME="+home)
	out, _ := script(t, root, env, repo)
	for _, want := range []string{
		filepath.Join(home, ".local/bin/gatewright") + " is installed",
		"is not on PATH", "policy.toml created", "claude  a refund of 900 is denied", "codex   a refund of 900 is denied", "To undo all of it:",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	first := tree(t, repo, filepath.Join(home, ".local"))
	out, _ = script(t, root, env, repo)
	if !strings.Contains(out, "gatewright is up to date") {
		t.Error(out)
	}
	second := tree(t, repo, filepath.Join(home, ".local"))
	for path, text := range second {
		if first[path] != text && !strings.Contains(path, "/audit/") {
			t.Errorf("%s differs the second time", path)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files, then %d", len(first), len(second))
	}

	undo := exec.Command(filepath.Join(home, ".local/bin/gatewright"), "uninstall", repo)
	undo.Env = env
	if out, err := undo.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	left := tree(t, repo)
	if len(left) != 1 || left[settings] != `{"model": "x"}` {
		t.Errorf("left %q", left)
	}

	out, err := script(t, root, append(env, "GATEWRIGHT_BIN="+bin, "PATH="+bin+":"+os.Getenv("PATH")), "--client", "claude", repo)
	if _, err := os.Stat(filepath.Join(bin, "gatewright")); err != nil || strings.Contains(out, "codex ") || !strings.Contains(out, `uninstall "--client" "claude" "`+repo+`" && rm`) || strings.Contains(out, "is not on PATH") {
		t.Errorf("%v\n%s", err, out)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestInstallScriptFails: the reason is said, and no way to undo what was not done.
func TestInstallScriptFails(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		env  []string
		dir  string
		want string
	}{
		{append(goEnv(t), "HOME="+root), filepath.Join(root, "nowhere"), "not everything is in place"},
		{[]string{"HOME=" + root, "PATH=" + pathOf(t, []string{"dirname", "mkdir", "mktemp", "rm"})}, root, "Go is needed"},
		{goEnv(t), root, "HOME is not set"},
		{append(goEnv(t), "HOME="+root, "GATEWRIGHT_BIN="+file), root, "cannot be made"},
	}
	for _, test := range tests {
		out, err := script(t, root, test.env, test.dir)
		if err == nil || !strings.Contains(out, test.want) || strings.Contains(out, "To undo") {
			t.Errorf("want %q, got %v\n%s", test.want, err, out)
		}
	}
}

func script(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	path, err := filepath.Abs("../../install/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{path}, args...)...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err
}

// goEnv is what the go command needs without a home.
func goEnv(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	return []string{"GOCACHE=" + dirs[0], "GOMODCACHE=" + dirs[1], "PATH=" + filepath.Join(dirs[2], "bin") + ":/usr/bin:/bin", "GOFLAGS=-buildvcs=false"}
}

// pathOf is a PATH on which there are these tools and nothing else.
func pathOf(t *testing.T, tools []string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range tools {
		path, err := exec.LookPath(tool)
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, tool))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tree is every file below the folders, with what is in it.
func tree(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, root := range roots {
		err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil || info.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
