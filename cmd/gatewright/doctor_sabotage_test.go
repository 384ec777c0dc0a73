package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// sabotages are what keeps an installation from working, each by itself: what doctor
// must name, and the fix it must give.
var sabotages = []struct {
	name               string
	do                 func(*clinic)
	check, detail, fix string
}{
	{"local settings switch hooks off", func(c *clinic) { c.change("repo/.claude/settings.local.json", "{", `{"disableAllHooks": true,`) },
		"switches", "repo/.claude/settings.local.json sets disableAllHooks", "take disableAllHooks out of ROOT/repo/.claude/settings.local.json"},
	{"user settings switch hooks off", func(c *clinic) { c.write("home/.claude/settings.json", `{"disableAllHooks": true}`) },
		"switches", "home/.claude/settings.json sets disableAllHooks", "take disableAllHooks out of ROOT/home/.claude/settings.json"},
	{"managed settings switch hooks off", func(c *clinic) { c.write("etc/claude-code/managed-settings.d/9.json", `{"disableAllHooks": true}`) },
		"switches", "etc/claude-code/managed-settings.d/9.json sets disableAllHooks", "an administrator has to take disableAllHooks out of"},
	{"only managed hooks", func(c *clinic) { c.write("etc/claude-code/managed-settings.json", `{"allowManagedHooksOnly": true}`) },
		"switches", "lets no hooks run but an administrator's", "an administrator has to take allowManagedHooksOnly out of ROOT/etc/claude-code/managed-settings.json"},
	{"only hooks of plugins", func(c *clinic) {
		c.write("etc/claude-code/managed-settings.json", `{"strictPluginOnlyCustomization": ["hooks"]}`)
	},
		"switches", "sets strictPluginOnlyCustomization", "an administrator has to take strictPluginOnlyCustomization out of"},
	{"hooks off in the user's config.toml", func(c *clinic) {
		c.write("home/.codex/config.toml", "[features]\nhooks = false\n"+c.read("home/.codex/config.toml"))
	},
		"switches", "home/.codex/config.toml sets features.hooks = false", "take features.hooks out of ROOT/home/.codex/config.toml"},
	{"hooks off in the project's config.toml", func(c *clinic) { c.write("repo/.codex/config.toml", "[features]\nhooks = false\n") },
		"switches", "repo/.codex/config.toml sets features.hooks = false", "take features.hooks out of ROOT/repo/.codex/config.toml"},
	{"hooks off by the feature's old name", func(c *clinic) { c.write("repo/.codex/config.toml", "features.codex_hooks = false\n") },
		"switches", "sets features.codex_hooks = false", "take features.codex_hooks out of"},
	{"only managed hooks of Codex", func(c *clinic) { c.write("etc/codex/requirements.toml", "allow_managed_hooks_only = true\n") },
		"switches", "etc/codex/requirements.toml lets no hooks run but an administrator's (allow_managed_hooks_only)", "an administrator has to take allow_managed_hooks_only out of"},
	{"project settings are no JSON", func(c *clinic) { c.write("repo/.claude/settings.json", "{\n  \"hooks\": {},\n}\n") },
		"settings", "repo/.claude/settings.json:3:1: ", "mend the file at that place, then: gatewright doctor"},
	{"user settings are no JSON", func(c *clinic) { c.write("home/.claude/settings.json", "{\n  // mine\n}\n") },
		"settings", "home/.claude/settings.json:2:3: ", "mend the file at that place"},
	{"hooks.json is no JSON", func(c *clinic) { c.change("repo/.codex/hooks.json", "{", "{,") },
		"settings", "repo/.codex/hooks.json:1:2: ", "mend the file at that place"},
	{"config.toml is no TOML", func(c *clinic) { c.write("repo/.codex/config.toml", "model = \"x\"\n[features]]\n") },
		"settings", "repo/.codex/config.toml:2:", "mend the file at that place"},
	{"a value for which the client drops the file", func(c *clinic) {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			c.change("repo/.claude/"+name, "{", `{"cleanupPeriodDays": -1,`)
		}
	}, "settings", "settings.json:1:23: cleanupPeriodDays is not a positive", "mend the value at that place"},
	{"an event removed everywhere", func(c *clinic) {
		for _, name := range []string{"settings.json", "settings.local.json"} {
			c.change("repo/.claude/"+name, `"PostToolUse":`, `"Stop":`)
		}
	}, "registered", "nothing calls gatewright at PostToolUse", "gatewright install --client claude"},
	{"an event removed from one file", func(c *clinic) { c.change("repo/.claude/settings.local.json", `"PostToolUse":`, `"Stop":`) },
		"registered", "repo/.claude/settings.local.json does not register gatewright for PostToolUse", "gatewright install --client claude"},
	{"an event removed from Codex", func(c *clinic) { c.change("repo/.codex/hooks.json", `"PreToolUse":`, `"Stop":`) },
		"registered", "nothing calls gatewright at PreToolUse", "gatewright install --client codex"},
	{"nothing registered", func(c *clinic) { must(c.T, os.RemoveAll(c.at("repo/.claude"))) },
		"registered", "gatewright is not registered", "gatewright install --client claude"},
	{"nothing for folders below", func(c *clinic) { must(c.T, os.Remove(c.at("repo/.claude/settings.local.json"))) },
		"registered", "sessions that start in a folder below are not judged", "gatewright install --client claude"},
	{"a handler with another timeout", func(c *clinic) { c.change("repo/.claude/settings.local.json", `"timeout": 30`, `"timeout": 1`) },
		"handlers", "repo/.claude/settings.local.json: the handler for PreToolUse is altered (timeout)", "gatewright install --client claude"},
	{"an asynchronous handler", func(c *clinic) {
		c.change("repo/.claude/settings.json", `"timeout": 30`, `"timeout": 30, "async": true`)
	},
		"handlers", "the handler for PreToolUse is altered (async)", "gatewright install --client claude"},
	{"a handler for some calls", func(c *clinic) {
		c.change("repo/.claude/settings.json", `"timeout": 30`, `"timeout": 30, "if": "Bash"`)
	},
		"handlers", "the handler for PreToolUse is altered (if)", "gatewright install --client claude"},
	{"a handler for one tool", func(c *clinic) {
		c.change("repo/.codex/hooks.json", "\n        \"hooks\"", "\n        \"matcher\": \"Bash\",\n        \"hooks\"")
	},
		"handlers", "repo/.codex/hooks.json: the handler for PreToolUse is altered (matcher)", "gatewright install --client codex"},
	{"a handler without onFailure", func(c *clinic) { c.change("repo/.claude/settings.json", `"onFailure": "block",`, "") },
		"handlers", "the handler for PreToolUse is altered (onFailure)", "gatewright install --client claude"},
	{"no program", func(c *clinic) { must(c.T, os.Remove(c.at("home/.local/bin/gatewright"))) },
		"program", "there is no gatewright in ~/.local/bin or on PATH", "sh install/install.sh"},
	{"a program that cannot be run", func(c *clinic) { must(c.T, os.Chmod(c.at("home/.local/bin/gatewright"), 0o644)) },
		"program", "home/.local/bin/gatewright is not executable", "chmod +x ROOT/home/.local/bin/gatewright"},
	{"a program of another version", func(c *clinic) {
		c.program("home/.local/bin/gatewright", `[ "$1" != version ] || { echo "gatewright v0.0.1 (policy language 1, go1.1 x/y)"; exit; }; exec "`+c.gatewright+`" "$@"`)
	}, "program", "is another version: \"gatewright v0.0.1", "sh install/install.sh"},
	{"another program", func(c *clinic) { c.program("home/.local/bin/gatewright", "echo Welcome") },
		"program", "is another program: to version it says \"Welcome\"", "sh install/install.sh"},
	{"another program that says yes", func(c *clinic) { c.program("home/.local/bin/gatewright", "echo -") },
		"self-check", "does not deny: nothing is denied", "mend what is wrong with the program"},
	{"a folder in the program's place", func(c *clinic) {
		must(c.T, os.Remove(c.at("home/.local/bin/gatewright")))
		must(c.T, os.Mkdir(c.at("home/.local/bin/gatewright"), 0o755))
	}, "program", "is not a regular file", "sh install/install.sh"},
	{"handlers that Codex does not trust", func(c *clinic) { c.change("home/.codex/config.toml", "sha256:", "sha256:00") },
		"trust", "codex still calls ROOT/repo/.codex/hooks.json:", "gatewright install --client codex"},
	{"a handler that is switched off", func(c *clinic) {
		c.change("home/.codex/config.toml", "trusted_hash =", "enabled = false\ntrusted_hash =")
	},
		"trust", "(enabled: false)", "gatewright install --client codex"},
	{"a repository that Codex does not trust", func(c *clinic) {
		c.change("home/.codex/config.toml", `trust_level = "trusted"`, `trust_level = "untrusted"`)
	},
		"trust", "Codex does not trust the repository ROOT/repo", `write trust_level = "trusted" below [projects."ROOT/repo"] in ROOT/home/.codex/config.toml, then: gatewright install --client codex`},
	{"handlers not trusted, and no codex to be asked", func(c *clinic) {
		must(c.T, os.Remove(c.at("bin/codex")))
		c.change("home/.codex/config.toml", "sha256:", "sha256:00")
	}, "trust", "by its config.toml Codex does not trust the handler of ROOT/repo/.codex/hooks.json", "gatewright install --client codex"},
	{"a repository not trusted, and no codex to be asked", func(c *clinic) {
		must(c.T, os.Remove(c.at("bin/codex")))
		c.change("home/.codex/config.toml", `trust_level = "trusted"`, `trust_level = "untrusted"`)
	}, "trust", "by its config.toml the handlers are trusted, but not the repository", `write trust_level = "trusted"`},
	{"a codex that does not know hooks", func(c *clinic) {
		c.program("bin/codex", `case $1 in --version) echo "codex-cli 0.50.0";; *) exit 2;; esac`)
	},
		"trust", "codex could not be asked", "update Codex"},
	{"a client that is too old", func(c *clinic) { c.program("bin/claude", `echo "2.1.120 (Claude Code)"`) },
		"abilities", "before 2.1.121", "claude update"},
	{"a client that does not start", func(c *clinic) { c.program("bin/claude", "exit 3") },
		"version", "bin/claude --version: exit status 3", "install claude again"},
	{"a broken policy", func(c *clinic) { c.write("repo/.gatewright/policy.toml", "version = 1\nversion = 1\n") },
		"policy", "repo/.gatewright/policy.toml:2", "gatewright check shows every problem"},
	{"a policy that cannot work", func(c *clinic) {
		c.write("repo/.gatewright/policy.toml", hidesTools+"\n[[rule]]\nid = \"x\"\neffect = \"deny\"\nwhen = \"args.a +\"\nreason = \"r\"\n")
	},
		"policy", "repo/.gatewright/policy.toml:", "gatewright check shows every problem"},
	{"a policy that is gone", func(c *clinic) { must(c.T, os.RemoveAll(c.at("repo/.gatewright"))) },
		"policy", "there is no .gatewright/policy.toml from ROOT/repo up", "gatewright init"},
	{"a state folder that cannot be written", func(c *clinic) { c.state(0o500) },
		"state", "the mode of ROOT/home/.local/state/gatewright is 0500 instead of 0700", "chmod 700 ROOT/home/.local/state/gatewright"},
	{"a state folder that everybody can write", func(c *clinic) { c.state(0o777) },
		"state", "others can change what was recorded", "chmod 700 ROOT/home/.local/state/gatewright"},
	{"a file for a state folder", func(c *clinic) {
		c.state(0o700)
		must(c.T, os.RemoveAll(c.at("home/.local/state/gatewright")))
		c.write("home/.local/state/gatewright", "")
	},
		"state", "home/.local/state/gatewright is not a folder", "mv ROOT/home/.local/state/gatewright ROOT/home/.local/state/gatewright.old"},
	{"a file for the folder of sessions", func(c *clinic) { c.state(0o700); c.write("home/.local/state/gatewright/sessions", "") },
		"state", "gatewright/sessions is not a folder", "mv ROOT/home/.local/state/gatewright/sessions"},
	{"a key that is damaged", func(c *clinic) { c.state(0o700); c.write("home/.local/state/gatewright/key", "x") },
		"state", "gatewright/key is damaged", "set ROOT/home/.local/state/gatewright/key aside"},
	{"PATH set by settings", func(c *clinic) {
		must(c.T, os.Rename(c.at("home/.local/bin/gatewright"), c.at("bin/gatewright")))
		c.write("home/.claude/settings.json", `{"env": {"PATH": "/x"}}`)
	}, "env", "home/.claude/settings.json sets PATH in env", "take it out of env in that file"},
	{"our own variable set by settings", func(c *clinic) { c.write("home/.claude/settings.json", `{"env": {"GATEWRIGHT_CONTEXT_ROLE": "x"}}`) },
		"env", "sets GATEWRIGHT_CONTEXT_ROLE in env", "take it out of env in that file"},
	{"lists that are not what the policy says", func(c *clinic) { c.change("repo/.claude/settings.json", "mcp__db__wipe", "mcp__db__other") },
		"lists", "repo/.claude/settings.json is not what the policy says: sync would make 1 more and 0 fewer entries", "gatewright sync"},
	{"a rule that is gone", func(c *clinic) { c.write("repo/.gatewright/policy.toml", "version = 1\n") },
		"lists", "sync would make 0 more and 1 fewer entries", "gatewright sync"},
	{"a clock that went back", func(c *clinic) {
		c.state(0o700)
		day := time.Now().Add(48 * time.Hour).UTC()
		c.write("home/.local/state/gatewright/audit/"+day.Format(time.DateOnly)+".jsonl", `{"time":"`+day.Format(time.RFC3339)+`","client":"claude"}`+"\n")
	}, "clock", "the clock went back", "set the clock right"},
}

// state makes the folder in which everything is kept.
func (c *clinic) state(mode fs.FileMode) {
	c.Helper()
	dir := c.at("home/.local/state/gatewright")
	must(c.T, os.MkdirAll(dir, 0o700))
	must(c.T, os.Chmod(dir, mode))
	c.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
}

func TestDoctorFinds(t *testing.T) {
	t.Parallel()
	for _, s := range sabotages {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := newClinic(t)
			s.do(c)
			out, code := c.doctor()
			if code != 1 {
				t.Errorf("exit %d", code)
			}
			fix, ok := failed(out, s.check, strings.ReplaceAll(s.detail, "ROOT", c.root))
			if !ok || !strings.Contains(fix, strings.ReplaceAll(s.fix, "ROOT", c.root)) || fix == "" {
				t.Errorf("%s: want %q with the fix %q, got the fix %q in\n%s", s.check, s.detail, s.fix, fix, out)
			}
			lines := strings.Split(out, "\n")
			for i, line := range lines {
				if strings.HasPrefix(line, "✗") && !strings.HasPrefix(strings.TrimSpace(lines[i+1]), "fix: ") {
					t.Errorf("no fix for %s", line)
				}
			}
		})
	}
}
