package policy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPathGlobs: what is no glob for paths is an error that says what to write.
func TestPathGlobs(t *testing.T) {
	rule := func(glob string) string {
		return "version = 1\n[[rule]]\nid = \"r\"\neffect = \"deny\"\nmatch = { path = ['" + glob + "'] }\n"
	}
	for glob, want := range map[string]string{
		"a/[x]": "no glob", `a\b`: "no glob", "a//b": "no glob", "{a,b}": "no glob",
		"../x": "upwards", "~root/x": "another user",
	} {
		_, err := Parse(Repo, "/repo/.gatewright/policy.toml", []byte(rule(glob)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", glob, err)
		}
	}
	for _, glob := range []string{"secrets/**", "./x", "a/b"} {
		if _, err := Parse(User, "/home/me/.config/gatewright/policy.toml", []byte(rule(glob))); err == nil || !strings.Contains(err.Error(), "begins nowhere") {
			t.Errorf("%q in a user's policy: %v", glob, err)
		}
	}
	for _, glob := range []string{"*.pem", "**/x/y", "~/x", "/x", "secrets/"} {
		if _, err := Parse(User, "/home/me/.config/gatewright/policy.toml", []byte(rule(glob))); err != nil {
			t.Errorf("%q in a user's policy: %v", glob, err)
		}
	}
}

// TestConditional: a rule that asks what a call does says nothing of the tool, so no
// client's list can have it.
func TestConditional(t *testing.T) {
	for _, match := range []string{`command = ["git push*"]`, `path = ["*.pem"]`, `arg = [{ path = "a", eq = 1 }]`} {
		l, err := Parse(Repo, "/repo/.gatewright/policy.toml", []byte("version = 1\n[[rule]]\nid = \"r\"\neffect = \"deny\"\nmatch = { tool = [\"Bash\"], "+match+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		if l.Rules[0].TakesOff() {
			t.Errorf("%s takes the tool off the lists", match)
		}
	}
}

// TestRootsOfWorktrees: the main checkout's policies speak of the linked worktree's files.
func TestRootsOfWorktrees(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	main, tree := filepath.Join(dir, "main"), filepath.Join(dir, "tree")
	for path, text := range map[string]string{
		main + "/.git/worktrees/tree/HEAD":        "",
		main + "/.gatewright/policy.toml":         "version = 1\n",
		main + "/sub/.gatewright/policy.toml":     "version = 1\ndefault = \"deny\"\n",
		tree + "/.git":                            "gitdir: " + main + "/.git/worktrees/tree\n",
		tree + "/sub/.gatewright/local.toml":      "version = 1\n",
		dir + "/managed/policy.toml":              "version = 1\n",
		tree + "/sub/.gatewright/policy.toml":     "version = 1\n# another\n",
		main + "/sub/deeper/.gatewright/none.txt": "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := Load(filepath.Join(tree, "sub"), Places{Managed: filepath.Join(dir, "managed")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range set.Layers {
		got = append(got, l.Name+" "+strings.Join(l.Roots(), ","))
	}
	want := []string{"managed ", "repo " + main + "," + tree, "repo " + main + "/sub," + tree + "/sub", "repo " + tree + "/sub", "local " + tree + "/sub"}
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
