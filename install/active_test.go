package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatewright/hooks"
)

// TestLost: what a client would still run, with these files.
func TestLost(t *testing.T) {
	claude, codex := hooks.Claude(), hooks.Codex()
	program, err := os.Executable() // what the hook compares a line's program with
	if err != nil {
		t.Fatal(err)
	}
	good, mine, evil := registered(t, claude, Shared()), registered(t, claude, own(t, program)), registered(t, claude, own(t, "/bin/true"))
	theirs := registered(t, codex, Shared())
	const project, local, user, codexHooks, below = "repo/.claude/settings.json", "repo/.claude/settings.local.json", "home/.claude/settings.json", "repo/.codex/hooks.json", "repo/a/b/.claude/settings.local.json"
	change := func(text, from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("there is no %q", from)
		}
		return strings.Replace(text, from, to, 1)
	}
	required := func(only bool) string {
		text, err := RegisterManaged(nil, codex, own(t, program), only)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
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
		{"nothing", claude, "repo", nil, "not registered for PreToolUse, PreSkillShellCommand, PostToolUse, PostToolUseFailure, SessionStart, UserPromptSubmit, ConfigChange"},
		{"one event gone", claude, "repo", map[string]string{project: change(good, `"PostToolUse":`, `"PostToolUsed":`)}, "not registered for PostToolUse"},
		{"local disables", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks": true}`}, "settings.local.json sets disableAllHooks"},
		{"local disables oddly", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks": "yes"}`}, "disableAllHooks"},
		{"local keeps", claude, "repo", map[string]string{project: good, local: `{"disableAllHooks":false}`, user: `{"disableAllHooks":true}`}, ""},
		{"user disables", claude, "repo", map[string]string{project: good, user: `{"disableAllHooks":true}`}, "disableAllHooks"},
		{"invalid project", claude, "repo", map[string]string{project: good + "}"}, "settings.json:"},
		{"invalid project, good local", claude, "repo", map[string]string{project: "//", local: good}, "settings.json:1:1"},
		{"one key twice", claude, "repo", map[string]string{project: good, local: `{"x":1,"x":2,"disableAllHooks":true}`}, "settings.local.json:1:8: the key \"x\" is there twice"},
		{"hooks that we do not understand", claude, "repo", map[string]string{project: good, local: `{"hooks":{"Bogus":5},"disableAllHooks":true}`}, "disableAllHooks|hooks.Bogus"},
		{"UTF-16", claude, "repo", map[string]string{project: good, local: "\xff\xfe{\x00}\x00"}, "settings.local.json:1:1"},
		{"null hooks", claude, "repo", map[string]string{project: good, local: `{"hooks":null,"disableAllHooks":true}`}, "sets disableAllHooks"},
		{"a file that the client drops", claude, "repo", map[string]string{project: change(good, "{", `{"permissions":{"deny":"x"},`), local: `{"env":5}`}, "deny is not a list"},
		{"one of two dropped", claude, "repo", map[string]string{project: change(good, "{", `{"permissions":{"defaultMode":"bogus"},`), local: good}, ""},
		{"both dropped", claude, "repo", map[string]string{project: change(good, "{", `{"cleanupPeriodDays":-1,`), local: change(good, "{", `{"statusLine":{"type":"x"},`)}, "statusLine is not an object with"},
		{"ordinary settings", claude, "repo", map[string]string{project: change(good, "{", `{"permissions":{"allow":["Read"],"later":1},"env":{"A":"1","BASH_DEFAULT_TIMEOUT_MS":300000,"HUSKY_SKIP_HOOKS":"1","XDG_CACHE_HOME":"x"},"model":"x",`)}, ""},
		{"an unknown key", claude, "repo", map[string]string{project: change(good, "{", `{"quietHours":true,`), local: change(good, "{", `{"quietHours":true,`)}, "quietHours is one that gatewright cannot judge"},
		{"context", claude, "repo", map[string]string{project: good, local: `{"env":{"GATEWRIGHT_CONTEXT_CHANNEL":"web"}}`}, "sets GATEWRIGHT_CONTEXT_CHANNEL in env"},
		{"another program in the project", claude, "repo", map[string]string{project: evil}, "not registered for PreToolUse"},
		{"this program in the project", claude, "repo", map[string]string{project: mine, local: mine}, "not registered for PreToolUse"},
		{"another program of the user", claude, "repo", map[string]string{user: evil}, "not registered for PreToolUse"},
		{"the user's, where a policy is required", claude, "required", map[string]string{user: mine}, "not registered for PreToolUse"},
		{"local of the start directory disables", claude, "repo/a/b", map[string]string{local: good, below: `{"disableAllHooks":true}`}, "a/b/.claude/settings.local.json sets disableAllHooks"},
		{"shell prefix", claude, "repo", map[string]string{project: good, local: `{"env":{"CLAUDE_CODE_SHELL_PREFIX":"x"}}`}, "sets CLAUDE_CODE_SHELL_PREFIX in env"},
		{"user's home", claude, "repo", map[string]string{project: good, user: `{"env":{"HOME":"/x"}}`}, "sets HOME in env"},
		{"preload", claude, "repo", map[string]string{project: change(good, "{", `{"env":{"LD_PRELOAD":"x"},`)}, "sets LD_PRELOAD in env"},
		{"PATH, which is searched", claude, "repo", map[string]string{project: good, local: `{"env":{"PATH":"x"}}`}, "sets PATH in env"},
		{"PATH, which is not", claude, "repo", map[string]string{project: good, local: `{"env":{"PATH":"x","PORT":"1"}}`, "home/.local/bin/gatewright": "x"}, ""},
		{"async copy", claude, "repo", map[string]string{project: good, local: change(good, `"timeout": 30`, `"timeout": 30, "async": true`)}, "has a copy of gatewright's handler for PreToolUse that is altered"},
		{"short copy", claude, "repo", map[string]string{project: good, local: change(good, `"timeout": 30`, `"timeout": 0.01`)}, "altered"},
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
		{"codex moved", codex, "repo", map[string]string{codexHooks: change(theirs, `"PreToolUse": [`, `"PreToolUse": [{"hooks":[]},`), "home/.codex/config.toml": "[hooks.state.\"ROOT/repo/.codex/hooks.json:pre_tool_use:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:post_tool_use:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:session_start:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:user_prompt_submit:0:0\"]\n"}, "not registered for PreToolUse"},
		{"codex trusted", codex, "repo", map[string]string{codexHooks: theirs, "home/.codex/config.toml": "[hooks.state.\"ROOT/repo/.codex/hooks.json:pre_tool_use:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:post_tool_use:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:session_start:0:0\"]\n[hooks.state.\"ROOT/repo/.codex/hooks.json:user_prompt_submit:0:0\"]\n"}, ""},
		{"codex hooks off", codex, "repo", map[string]string{codexHooks: theirs, "home/.codex/config.toml": "[features]\nhooks = false\n"}, "sets features.hooks = false"},
		{"codex hooks off by the old name", codex, "repo", map[string]string{codexHooks: theirs, "home/.codex/config.toml": "features.codex_hooks = false\n"}, "sets features.codex_hooks = false"},
		{"codex hooks off in the project", codex, "repo/a", map[string]string{codexHooks: theirs, "repo/.codex/config.toml": "[features]\nhooks = false\n", "home/.codex/config.toml": "[features]\nhooks = true\n"}, "repo/.codex/config.toml sets features.hooks = false"},
		{"codex hooks off by a profile", codex, "repo", map[string]string{codexHooks: theirs, "home/.codex/config.toml": "profile = \"p\"\n[features]\nhooks = true\n[profiles.p.features]\nhooks = false\n"}, "sets profiles.p.features.hooks = false"},
		{"codex hooks required", codex, "repo", map[string]string{codexHooks: theirs, "repo/.codex/config.toml": "[features]\nhooks = false\n", "etc/requirements.toml": "[features]\nhooks = true\n"}, ""},
		{"codex hooks on where it is narrow", codex, "repo", map[string]string{codexHooks: theirs, "repo/.codex/config.toml": "[features]\nhooks = true\n", "home/.codex/config.toml": "[features]\nhooks = false\n"}, ""},
		{"codex managed hooks only", codex, "repo", map[string]string{codexHooks: theirs, "etc/requirements.toml": "allow_managed_hooks_only = true\n"}, "allow_managed_hooks_only"},
		{"codex below", codex, "repo/a", map[string]string{"repo/a/.codex/hooks.json": theirs}, ""},
		{"codex managed", codex, "repo", map[string]string{"etc/requirements.toml": required(false)}, ""},
		{"codex managed only", codex, "repo", map[string]string{"etc/requirements.toml": required(true)}, ""},
		{"codex, others' managed only", codex, "repo", map[string]string{"etc/requirements.toml": "allow_managed_hooks_only = true\n", codexHooks: theirs}, "requirements.toml lets no hooks run but an administrator's"},
		{"codex managed, another program", codex, "repo", map[string]string{"etc/requirements.toml": strings.ReplaceAll(required(false), program, "/bin/true")}, "not registered for PreToolUse"},
		{"codex managed, broken", codex, "repo", map[string]string{"etc/requirements.toml": "a = "}, "requirements.toml: 1:"},
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
				write(t, filepath.Join(root, path), strings.ReplaceAll(text, "ROOT", root))
				if strings.HasSuffix(path, "/bin/gatewright") {
					if err := os.Chmod(filepath.Join(root, path), 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			start, required := test.start, test.start == "required"
			if required {
				start = "repo"
			}
			home := Home{Claude: filepath.Join(root, "home/.claude"), Codex: filepath.Join(root, "home/.codex"), Managed: filepath.Join(root, "etc"), ManagedCodex: filepath.Join(root, "etc"), Program: filepath.Join(root, "home/.local/bin/gatewright")}
			repo := Repository{Root: filepath.Join(root, "repo"), Main: filepath.Join(root, "repo"), Git: true}
			got := Watch{Client: test.c, Dir: filepath.Join(root, start), Repo: repo, Home: home, Required: required}.Lost()
			if (got == "") != (test.want == "") || !slices.ContainsFunc(strings.Split(test.want, "|"), func(want string) bool { return strings.Contains(got, want) }) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestLostWorktree: in a linked worktree the client reads the main checkout's
// local settings as well.
func TestLostWorktree(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, linked := hooks.Claude(), filepath.Join(root, "linked")
	repo := Repository{Root: linked, Main: filepath.Join(root, "main"), Git: true}
	local := filepath.Join(root, "main/.claude/settings.local.json")
	write(t, local, registered(t, c, Shared()))
	watch := Watch{Client: c, Dir: linked, Repo: repo, Required: true}
	if lost := watch.Lost(); lost != "" {
		t.Error(lost)
	}
	write(t, filepath.Join(linked, ".claude/settings.json"), registered(t, c, Shared()))
	write(t, local, `{"disableAllHooks":true}`)
	if lost := watch.Lost(); !strings.Contains(lost, "disableAllHooks") {
		t.Error(lost)
	}
}

func own(t *testing.T, program string) Line {
	t.Helper()
	line, err := Own(program)
	if err != nil {
		t.Fatal(err)
	}
	return line
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
