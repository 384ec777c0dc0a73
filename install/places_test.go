package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
)

// TestB37Windows: in the command a path has forward slashes and double quotes.
func TestB37Windows(t *testing.T) {
	for path, want := range map[string]string{
		`C:\Users\A B\bin\gatewright.exe`: "C:/Users/A B/bin/gatewright.exe",
		`C:/bin/gatewright.exe`:           "C:/bin/gatewright.exe",
		`\\host\share\gatewright.exe`:     "//host/share/gatewright.exe",
		`C:gatewright.exe`:                "",
		`bin\gatewright.exe`:              "",
		"C:\\a\nb\\gatewright.exe":        "",
	} {
		got, ok := inCommand(path, "windows")
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %t", path, got, ok)
		}
	}
	line := Line{find: "g=" + doubleQuoted("C:/Users/A B/bin/gatewright.exe") + "; "}
	if text := line.Text(hooks.Claude(), hooks.Claude().Events[0]); !strings.Contains(text, `g="C:/Users/A B/bin/gatewright.exe"; `) {
		t.Error(text)
	}
	if got, ok := inCommand(`/opt/a\b/gatewright`, "linux"); !ok || got != `/opt/a\b/gatewright` {
		t.Error("a backslash is a part of a name elsewhere", got, ok)
	}
}

func TestManagedFolders(t *testing.T) {
	for system, want := range map[string]string{
		"linux": "/etc/claude-code", "darwin": "/Library/Application Support/ClaudeCode", "windows": `C:\Program Files\ClaudeCode`,
	} {
		if got, _ := managedFolders(system); got != want {
			t.Errorf("%s: %s", system, got)
		}
	}
}

// TestHomeVariables: a folder of the environment that is relative is one from here,
// as it is for a client that starts here.
func TestHomeVariables(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"HOME": "/home/me", "CODEX_HOME": "my codex", "CLAUDE_CONFIG_DIR": "/else where"}
	home := FindHome(func(name string) string { return env[name] })
	if home.Codex != filepath.Join(here, "my codex") || home.Claude != "/else where" {
		t.Errorf("%+v", home)
	}
	if home = FindHome(func(string) string { return "" }); home.Codex != "" || home.Claude != "" {
		t.Errorf("%+v", home)
	}
}

// TestLinks: a repository that was named through links is known by those paths, too.
func TestLinks(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(root, path) }
	write(t, at("real/repo/.git/HEAD"), "x")
	write(t, at("real/repo/a/b"), "x")
	for name, to := range map[string]string{"link": "real/repo", "dir": "real", "inside": "real/repo/a"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for named, want := range map[string]string{"real/repo/a": "", "link": "link", "link/a": "link", "dir/repo/a": "dir/repo", "inside": ""} {
		repo, err := FindRepository(at(named), func(root string) string { return root })
		if err != nil || repo.Root != at("real/repo") {
			t.Fatal(named, repo, err)
		}
		if got := strings.Join(repo.Links, " "); got != at(want) && (want != "" || got != "") {
			t.Errorf("%s: %q", named, got)
		}
	}
}
