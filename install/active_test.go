package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
)

// TestLost: what a client would still run, with these files.
func TestLost(t *testing.T) {
	claude, codex := hooks.Claude(), hooks.Codex()
	own, err := Own("/opt/gatewright")
	if err != nil {
		t.Fatal(err)
	}
	good := registered(t, claude, Shared())
	mine := registered(t, claude, own)
	theirs := registered(t, codex, Shared())
	const project, local, user, codexHooks = "repo/.claude/settings.json", "repo/.claude/settings.local.json", "home/.claude/settings.json", "repo/.codex/hooks.json"
	change := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("there is no %q", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	tests := []struct {
		name  string
		c     hooks.Client
		start string
		files map[string]string
		want  string // part of the reason; empty: not lost
	}{
		{"both", claude, "repo", map[string]string{project: good, local: good}, ""},
		{"project", claude, "repo", map[string]string{project: good}, ""},
		{"local below", claude, "repo/a/b", map[string]string{local: good}, ""},
		{"project below", claude, "repo/a/b", map[string]string{project: good}, "not registered for PreToolUse, "},
		{"user", claude, "repo", map[string]string{user: mine}, ""},
		{"nothing", claude, "repo", nil, "not registered for PreToolUse, PreSkillShellCommand, PostToolUse, PostToolUseFailure, SessionStart, ConfigChange"},
		{"one event gone", claude, "repo", map[string]string{project: change(good, `"PostToolUse":`, `"PostToolUsed":`)}, "not registered for PostToolUse"},
		{"local disables", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks": true}`}, "settings.local.json sets disableAllHooks"},
		{"local disables oddly", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks": "yes"}`}, "disableAllHooks"},
		{"local keeps", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks":false}`, user: `{"disableAllHooks":true}`}, ""},
		{"user disables", claude, "repo", map[string]string{project: good, user: `{"disableAllHooks":true}`}, "disableAllHooks"},
		{"invalid project", claude, "repo", map[string]string{project: good + "}"}, "settings.json:"},
		{"invalid project, good local", claude, "repo", map[string]string{project: "//", local: good}, ""},
		{"async copy", claude, "repo", map[string]string{project: good, local: change(good, `"timeout": 10`, `"timeout": 10, "async": true`)}, "a copy of gatewright's handler for PreToolUse is altered"},
		{"short copy", claude, "repo", map[string]string{project: good, local: change(good, `"timeout": 10`, `"timeout": 0.01`)}, "altered"},
		{"copy without onFailure", claude, "repo", map[string]string{project: good, local: change(good, `"onFailure": "block",`, ``)}, "altered"},
		{"for one tool only", claude, "repo", map[string]string{project: change(good, "\n        \"hooks\"", "\n        \"matcher\": \"Bash\", \"hooks\"")}, "altered"},
		{"another line beside", claude, "repo", map[string]string{project: good, local: `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"gatewright hook claude","async":true}]}]}}`}, ""},
		{"project altered, user good", claude, "repo", map[string]string{project: change(good, `"type": "command"`, `"type": "command", "if": "Bash"`), user: mine}, "altered"},
		{"managed", claude, "repo", map[string]string{"etc/managed-settings.json": mine, local: `{"disableAllHooks":true}`}, ""},
		{"managed in a part", claude, "repo", map[string]string{"etc/managed-settings.d/5.json": mine, "etc/managed-settings.json": `{"allowManagedHooksOnly":true}`}, ""},
		{"managed hooks only", claude, "repo", map[string]string{"etc/managed-settings.json": `{"allowManagedHooksOnly":true}`, project: good}, "lets no hooks run but an administrator's"},
		{"managed disables", claude, "repo", map[string]string{"etc/managed-settings.json": `{"disableAllHooks":true}`, project: good}, "managed-settings.json sets disableAllHooks"},
		{"only managed means it", claude, "repo", map[string]string{project: good, local: `{"allowManagedHooksOnly":true}`}, ""},
		{"codex", codex, "repo/a", map[string]string{codexHooks: theirs}, ""},
		{"codex for one tool only", codex, "repo", map[string]string{codexHooks: change(theirs, "\n        \"hooks\"", "\n        \"matcher\": \"Bash\", \"hooks\"")}, "not registered for PreToolUse"},
		{"codex below", codex, "repo/a", map[string]string{"repo/a/.codex/hooks.json": theirs}, ""},
		{"codex nothing", codex, "repo", map[string]string{codexHooks: `{}`}, "not registered for PreToolUse, PostToolUse, SessionStart"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{"repo/.git", "repo/a/b", "home"} {
				if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for path, text := range test.files {
				write(t, filepath.Join(root, path), text)
			}
			home := Home{filepath.Join(root, "home/.claude"), filepath.Join(root, "home/.codex"), filepath.Join(root, "etc")}
			got := Lost(test.c, filepath.Join(root, test.start), home)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func registered(t *testing.T, c hooks.Client, l Line) string {
	t.Helper()
	text, err := Register(nil, c, l)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
