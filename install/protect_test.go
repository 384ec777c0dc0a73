package install

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// protectedPlaces makes a repository, a home and links to what is ours in them.
func protectedPlaces(t *testing.T) (at func(string) string, p Protection) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at = func(path string) string { return filepath.Join(root, path) }
	for _, path := range []string{
		"repo/.gatewright/policy.toml", "repo/.claude/settings.json", "home/.codex/hooks.json", "home/.claude/settings.json",
		"state/gatewright/key", "bin/gatewright", "repo/src/main.go",
	} {
		write(t, at(path), "x")
	}
	links := map[string]string{"linked": "real", "repo/link": "repo/.gatewright", "repo/file": "home/.codex/hooks.json", "repo/nowhere": "repo/.claude/settings.local.json", "repo/circle": "repo/circle", "repo/src/up": "home"}
	for name, target := range links {
		if err := os.Symlink(at(target), at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(at("bin/gatewright"), at("repo/hard")); err != nil {
		t.Fatal(err)
	}
	p = Protection{
		Home:  Home{Claude: at("home/.claude"), Codex: at("home/.codex")},
		Dirs:  []string{at("state/gatewright"), at("etc/gatewright"), at("linked/gatewright")},
		Files: []string{at("bin/gatewright")},
		Gits:  []string{at("repo/.git")},
	}
	return at, p
}

func TestCovers(t *testing.T) {
	at, p := protectedPlaces(t)
	p = p.Prepared()
	for path, want := range map[string]bool{
		at("repo/.gatewright/policy.toml"):                true,
		at("repo/.gatewright/policy.d/new.toml"):          true,
		at("repo/.GateWright/Policy.toml"):                true,
		at("repo/src/../.gatewright/./policy.toml"):       true,
		".gatewright/local.toml":                          true,
		"../repo/.claude/settings.json":                   true,
		at("repo/sub/.claude/settings.local.json"):        true,
		at("home/.claude/settings.json"):                  true,
		at("home/.claude.json"):                           true,
		at("repo/.mcp.json"):                              true,
		at("repo/.codex/config.toml"):                     true,
		at("home/.codex/config.toml"):                     true,
		at("state/gatewright/spend/book.db"):              true,
		at("etc/gatewright/policy.toml"):                  true,
		at("linked/gatewright/policy.toml"):               true,
		at("real/gatewright/policy.toml"):                 true,
		at("bin/gatewright"):                              true,
		at("repo/link/policy.toml"):                       true,
		at("repo/file"):                                   true,
		at("repo/nowhere"):                                true,
		at("repo/src/up/.claude/settings.json"):           true,
		at("repo/hard"):                                   true,
		at("repo/src/main.go"):                            false,
		at("repo/circle"):                                 false,
		at("repo/policy.toml"):                            false,
		at("repo/settings.json"):                          false,
		at("repo/.claude/commands/settings.md"):           false,
		at("repo/docs/gatewright/policy.md"):              false,
		at("state/gatewright-notes"):                      false,
		at("home/.claude/projects/x/settings-of-mine.md"): false,
	} {
		if got := p.Covers(path, at("repo")); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestReplaces: only the mark of a repository counts, not what is inside it.
func TestReplaces(t *testing.T) {
	at, p := protectedPlaces(t)
	for path, want := range map[string]bool{
		at("repo/.git"): true, ".git": true, "src/../.git": true, at("repo/.GIT"): true, at("repo/.git/config"): false, at("repo/sub/.git"): false, at("repo"): false,
	} {
		if got := p.Replaces(path, at("repo")); (got != "") != want {
			t.Errorf("%s: %q", path, got)
		}
	}
	for pattern, want := range map[string]bool{".g*": true, ".gi[!x]": true, "*": false, ".git/*": false} {
		if got := p.ReplacesPattern(pattern, at("repo"), Glob); (got != "") != want {
			t.Errorf("%s: %q", pattern, got)
		}
	}
}

// TestPatterns: what a pattern can be, as a shell reads it.
func TestPatterns(t *testing.T) {
	at, p := protectedPlaces(t)
	for pattern, want := range map[string][3]bool{ // plain, with patterns, with hidden files among them
		".mcp.js?n":               {false, true, true},
		"*.json":                  {false, false, true},
		".[!x]cp.json":            {false, true, true},
		".mcp.js[[:alpha:]]n":     {false, true, true},
		".claude/*":               {false, true, true},
		".claude/*/x.md":          {false, false, true},
		".claude/" + Hidden:       {true, true, true},
		Hidden + "/settings.json": {false, false, false},
		"src/*":                   {false, false, true},
		"[":                       {false, false, true},
	} {
		for glob, want := range want {
			if got := p.CoversPattern(pattern, at("repo"), Pattern(glob)); (got != "") != want {
				t.Errorf("%q %d: %q", pattern, glob, got)
			}
		}
	}
}

func TestInside(t *testing.T) {
	at, p := protectedPlaces(t)
	if got := p.Inside(at("bin"), "/"); !slices.Contains(got, "gatewright") {
		t.Error(got)
	}
	if what := p.Holds("/", "/"); what == "" {
		t.Error("nothing below the root")
	}
}
