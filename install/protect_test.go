package install

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCovers(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(path string) string { return filepath.Join(root, path) }
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
	p := Protection{
		Home:  Home{Claude: at("home/.claude"), Codex: at("home/.codex")},
		Dirs:  []string{at("state/gatewright"), at("etc/gatewright"), at("linked/gatewright")},
		Files: []string{at("bin/gatewright")},
	}
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
