//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// odd are things in a file's place that must neither hold doctor up nor make it fail
// by itself.
var odd = map[string]func(*clinic, string){
	"a pipe":   func(c *clinic, path string) { must(c.T, syscall.Mkfifo(path, 0o600)) },
	"a folder": func(c *clinic, path string) { must(c.T, os.Mkdir(path, 0o700)) },
	"50 MB": func(c *clinic, path string) {
		must(c.T, os.WriteFile(path, []byte("{"), 0o600))
		must(c.T, os.Truncate(path, 50<<20))
	},
	"a link to nowhere": func(c *clinic, path string) { must(c.T, os.Symlink(filepath.Join(c.root, "nowhere"), path)) },
	"a link to itself":  func(c *clinic, path string) { must(c.T, os.Symlink(path, path)) },
	"no text":           func(c *clinic, path string) { must(c.T, os.WriteFile(path, []byte("\x00\xff\xfe{\x1b[2J"), 0o600)) },
	"an endless device": func(c *clinic, path string) { must(c.T, os.Symlink("/dev/zero", path)) },
	"a hundred thousand": func(c *clinic, path string) {
		must(c.T, os.WriteFile(path, []byte(strings.Repeat("[", 100_000)), 0o600))
	},
}

// TestDoctorOdd: what is odd about a file is said, and names it.
func TestDoctorOdd(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"repo/.claude/settings.json", "repo/.claude/settings.local.json", "home/.claude/settings.json", "etc/claude-code/managed-settings.json",
		"etc/claude-code/managed-settings.d/1.json", "repo/.codex/hooks.json", "repo/.codex/config.toml", "home/.codex/hooks.json", "home/.codex/config.toml",
		"etc/codex/requirements.toml", "etc/codex/config.toml", "repo/.gatewright/policy.toml", "repo/.gatewright/synced.json", "home/.local/state/gatewright/synced.json",
		"home/.local/state/gatewright/key", "home/.local/bin/gatewright",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			c := newClinic(t)
			for what, put := range odd {
				must(t, os.RemoveAll(c.at(file)))
				must(t, os.MkdirAll(filepath.Dir(c.at(file)), 0o700))
				put(c, c.at(file))
				out, code := c.doctor()
				if code != 1 || strings.Contains(out, "panic") || strings.ContainsRune(out, 0x1b) {
					t.Errorf("%s: exit %d\n%s", what, code, out)
				}
				if file == "home/.local/bin/gatewright" {
					continue // a line that leads to nothing names no file
				}
				if _, ok := failedAny(out, c.at(file)); !ok {
					t.Errorf("%s: %s is not named in\n%s", what, file, out)
				}
			}
		})
	}
}

// failedAny finds a line with a cross that has a text.
func failedAny(out, detail string) (line string, ok bool) {
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "✗") && strings.Contains(line, detail) {
			return line, true
		}
	}
	return "", false
}

// TestDoctorOddBeside: what is odd beside the files that count holds nothing up.
func TestDoctorOddBeside(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"home/.claude/skills/x.md", "repo/.claude/commands/x.json", "home/.local/state/gatewright/audit/9999-01-01.jsonl", "home/.codex/hooks.json.bak", "home/.local/state/gatewright/audit/x",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			c := newClinic(t)
			for what, put := range odd {
				must(t, os.RemoveAll(c.at(file)))
				must(t, os.MkdirAll(filepath.Dir(c.at(file)), 0o700))
				put(c, c.at(file))
				if out, code := c.doctor(); code != 0 {
					t.Errorf("%s: exit %d\n%s", what, code, out)
				}
			}
		})
	}
}

// TestDoctorHangs: programs that do not come to an end, and children that they leave
// with the pipes open, are given up.
func TestDoctorHangs(t *testing.T) {
	t.Parallel()
	const hang = "sleep 1000 & sleep 1000"
	tests := []struct{ name, program, script, check, detail string }{
		{"claude --version", "bin/claude", hang, "version", "no answer within"},
		{"codex --version", "bin/codex", hang, "version", "no answer within"},
		{"codex app-server", "bin/codex", `[ "$1" = --version ] && { echo codex-cli 0.171.0; exit; }; ` + hang, "trust", "codex could not be asked"},
		{"gatewright version", "home/.local/bin/gatewright", hang, "program", "no answer within"},
		{"the registered line", "home/.local/bin/gatewright", hang, "self-check", "no answer within"},
		{"one that never stops talking", "home/.local/bin/gatewright", `[ "$1" != version ] || yes; echo`, "program", "no answer within"},
		{"a version that never ends", "bin/claude", "yes 2.1.332", "version", "no answer within"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := newClinic(t)
			c.program(test.program, test.script)
			c.env = append(c.env, "TEST_LIMIT=1s")
			out, code := c.doctor()
			if fix, ok := failed(out, test.check, test.detail); code != 1 || !ok || fix == "" {
				t.Errorf("exit %d\n%s", code, out)
			}
		})
	}
}

// TestDoctorChild: a program that has answered and left a child with its pipes open is
// not waited for.
func TestDoctorChild(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.program("bin/claude", `while [ -d "`+c.root+`" ]; do sleep 1; done & echo 2.1.332`)
	if out, code := c.doctor("--client", "claude"); code != 0 || !strings.Contains(out, "✓ claude  version     2.1.332") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestDoctorNoHome: without a home it says what is missing, and ends.
func TestDoctorNoHome(t *testing.T) {
	t.Parallel()
	for _, home := range []string{"", "HOME=", "HOME=not/absolute", "HOME=/dev/null"} {
		c := newClinic(t)
		c.env = append(c.env[1:], home)
		if home == "" {
			c.env = c.env[:len(c.env)-1]
		}
		out, code := c.doctor()
		if fix, ok := failed(out, "state", ""); code != 1 || !ok || fix == "" {
			t.Errorf("%q: exit %d\n%s", home, code, out)
		}
		if _, ok := failed(out, "program", "no gatewright in ~/.local/bin or on PATH"); !ok {
			t.Errorf("%q: exit %d\n%s", home, code, out)
		}
	}
}

// TestDoctorNothing: where there is nothing, nothing is wrong; what is not there at all
// is an error.
func TestDoctorNothing(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	must(t, os.RemoveAll(c.at("bin")))
	for _, dir := range []string{"home", "repo"} {
		must(t, os.RemoveAll(c.at(dir)))
		must(t, os.Mkdir(c.at(dir), 0o700))
	}
	out, code := c.doctor()
	if code != 0 || !strings.Contains(out, "neither their programs nor their settings are here") || !strings.Contains(out, "no policy applies here") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, args := range [][]string{{"nowhere"}, {"--client", "cursor"}, {"a", "b"}, {c.at("etc/x")}} {
		if out, code := c.doctor(args...); code != 1 || !strings.HasPrefix(out, "gatewright: ") || strings.Contains(out, "✓") {
			t.Errorf("%q: exit %d\n%s", args, code, out)
		}
	}
}

// TestDoctorForbidden: files and folders that may not be read are named.
func TestDoctorForbidden(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	for path, check := range map[string]string{
		"repo/.claude": "settings", "repo/.claude/settings.json": "settings", "home/.claude": "settings", "home/.codex/config.toml": "settings", "repo/.codex": "settings",
		"repo/.gatewright": "policy", "repo/.gatewright/policy.toml": "policy", "home/.local/state": "state", "home/.local/state/gatewright": "state",
	} {
		c := newClinic(t)
		if _, err := os.Stat(c.at(path)); err != nil {
			must(t, os.MkdirAll(c.at(path), 0o700))
		}
		must(t, os.Chmod(c.at(path), 0))
		out, code := c.doctor()
		must(t, os.Chmod(c.at(path), 0o700))
		if fix, ok := failed(out, check, c.at(path)); code != 1 || !ok || fix == "" {
			t.Errorf("%s: exit %d\n%s", path, code, out)
		}
	}
}
