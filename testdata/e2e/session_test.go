package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotice: at the start of a session the user is told of a broken policy.
func TestNotice(t *testing.T) {
	for _, c := range clients[:2] { // codex exec does not print what hooks tell the user
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			w := newInstalled(t, c)
			w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), "version = 7\n")
			o := w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}})
			if want := `gatewright denies every tool call here: ` + filepath.Join(w.repo, ".gatewright", "policy.toml") + ":1"; !strings.Contains(o.stdout, want) {
				t.Errorf("%q is not in the output", want)
			}
			if told := o.Told("main", 0); !strings.Contains(told, "Policy error") || len(w.refunds()) > 0 {
				t.Errorf("the model was told %q", told)
			}
		})
	}
}

// TestSkillCommand: a command line inside a slash command's text is judged as a
// call of the shell. Clients before PreSkillShellCommand run it unasked.
func TestSkillCommand(t *testing.T) {
	t.Parallel()
	const noShell = "version = 1\n[[rule]]\nid = \"no-shell\"\neffect = \"deny\"\nmatch = { tool = [\"@shell\"] }\nreason = \"No shell.\"\n"
	for policy, wantRan := range map[string]bool{"version = 1\n": true, noShell: false} {
		w := newInstalled(t, clients[0])
		w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), policy)
		w.write(filepath.Join(w.repo, ".claude", "commands", "greet.md"), "---\nallowed-tools: Bash(touch:*)\n---\nSay !`touch ran` hello.\n")
		w.run(play{Prompt: "/greet"})
		if _, err := os.Stat(filepath.Join(w.repo, "ran")); (err == nil) != wantRan {
			t.Errorf("under %q: ran %t", policy, err == nil)
		}
	}
}

// TestUninstall: what the clients' own programs have read and written meanwhile,
// config.toml of Codex included, is as it was before install.
func TestUninstall(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newWorld(t, c)
		w.prepare()
		settings := map[string]string{
			".claude/settings.json":       "{\n\t\"permissions\": { \"allow\": [\"Read\"] }\n}",
			".claude/settings.local.json": "{}",
			".codex/hooks.json":           "{ \"description\": \"ours\" }\r\n",
		}
		for path, text := range settings {
			w.write(filepath.Join(w.repo, path), text)
		}
		config := filepath.Join(w.home, ".codex", "config.toml")
		if c.name == "codex" {
			trusted := codexConfig + "\n[projects.\"" + w.repo + "\"] # by me\ntrust_level = \"trusted\"\n"
			trusted = strings.ReplaceAll(trusted, "\n", "\r\n") // which Codex's own writer would not keep
			w.write(config, trusted)
			settings[config] = trusted
		}
		w.do(w.repo, "gatewright", "install")
		w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}})
		if got := w.refunds(); len(got) > 0 {
			t.Errorf("refunds that reached the server: %q", got)
		}
		w.do(w.repo, "gatewright", "uninstall")
		for path, want := range settings {
			if !filepath.IsAbs(path) {
				path = filepath.Join(w.repo, path)
			}
			if got, err := os.ReadFile(path); string(got) != want || err != nil {
				t.Errorf("%s is %q, %v", path, got, err)
			}
		}
		w.run(play{Script: Script{Main: []Call{refund("C-1", 20)}}})
		if got := w.refunds(); len(got) != 1 {
			t.Errorf("refunds that reached the server after uninstall: %q", got)
		}
	})
}

// TestInactive: install does not pretend to be active where Codex would skip us.
func TestInactive(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"hooks are off for the user":   {"home/.codex/config.toml": "[features]\nhooks = false\n"},
		"hooks are off in the project": {"repo/.codex/config.toml": "[features]\nhooks = false\n"},
		"the project is not trusted":   {"home/.codex/config.toml": "[projects.%q]\ntrust_level = \"untrusted\"\n"},
		"config.toml is broken":        {"home/.codex/config.toml": "[["},
	} {
		w := newWorld(t, clients[2])
		for path, text := range files {
			if strings.Contains(text, "%q") {
				text = fmt.Sprintf(text, w.repo)
			}
			path = strings.Replace(path, "home", w.home, 1)
			w.write(strings.Replace(path, "repo", w.repo, 1), text)
		}
		cmd := exec.Command(w.gatewright(), "install", "--client", "codex")
		cmd.Dir, cmd.Env = w.repo, w.env()
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "NOT ACTIVE: ") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestUserScope: registered for one person everywhere, the repository's policy
// counts wherever in it the client starts.
func TestUserScope(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newWorld(t, c)
		w.prepare()
		w.write(filepath.Join(w.repo, "services", "keep"), "")
		w.do(w.repo, "gatewright", "install", "--client", c.name, "--scope", "user")
		w.run(play{Script: Script{Main: []Call{refund("C-0", 20)}}})
		if got := w.refunds(); len(got) != 1 {
			t.Errorf("without a policy these reached the server: %q", got)
		}
		w.must(os.Remove(w.log))
		starter, err := os.ReadFile("../../install/starter.toml")
		w.must(err)
		w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), string(starter))
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}, Dir: filepath.Join(w.repo, "services")}), "main")

		nested, link := filepath.Join(w.repo, "vendor", "lib"), filepath.Join(w.home, "link")
		w.must(os.MkdirAll(nested, 0o755))
		w.do(nested, "git", "init", "-q")
		w.must(os.Symlink(w.repo, link))
		for _, dir := range []string{nested, link} {
			o := w.run(play{Script: Script{Main: []Call{refund("C-1", 900)}}, Dir: dir})
			if told := strings.ReplaceAll(o.Told("main", 0), `\"`, `"`); !strings.Contains(told, needsHuman) {
				t.Errorf("in %s the model was told %q", dir, told)
			}
		}
		if got := w.refunds(); len(got) != 1 {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}
