package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clinic is a home with a repository in which gatewright is installed for both
// clients, and programs that stand for those.
type clinic struct {
	*testing.T
	root, home, repo, bin string
	gatewright            string // that doctor is run by
	env                   []string
}

const hidesTools = `version = 1
[[rule]]
id = "no-wipe"
effect = "hide"
match = { tool = ["mcp__db__wipe"] }
reason = "Nobody wipes."
`

func newClinic(t *testing.T) *clinic {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	c := &clinic{T: t, root: root, home: filepath.Join(root, "home"), repo: filepath.Join(root, "repo"), bin: filepath.Join(root, "bin")}
	c.gatewright, err = exec.LookPath("gatewright")
	must(t, err)
	codex, err := exec.LookPath("fake-codex")
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(root, "tmp"), 0o700))
	must(t, os.MkdirAll(filepath.Join(c.repo, ".git"), 0o700))
	c.program("bin/claude", `echo "2.1.332 (Claude Code)"`)
	c.program("bin/codex", `exec "`+codex+`" "$@"`)
	c.program("home/.local/bin/gatewright", `exec "`+c.gatewright+`" "$@"`)
	c.write("repo/.gatewright/policy.toml", hidesTools)
	c.env = []string{
		"HOME=" + c.home, "PATH=" + c.bin + ":/usr/bin:/bin", "TMPDIR=" + filepath.Join(root, "tmp"),
		"TEST_ROOTS=" + filepath.Join(root, "etc"), "TEST_CODEX=codex", noRaceSleep,
	}
	c.install()
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *clinic) at(path string) string { return filepath.Join(c.root, path) }

func (c *clinic) write(path, text string) {
	c.Helper()
	must(c.T, os.MkdirAll(filepath.Dir(c.at(path)), 0o700))
	must(c.T, os.WriteFile(c.at(path), []byte(text), 0o600))
}

// program writes a shell script.
func (c *clinic) program(path, script string) {
	c.Helper()
	c.write(path, "#!/bin/sh\n"+script+"\n")
	must(c.T, os.Chmod(c.at(path), 0o755))
}

func (c *clinic) read(path string) string {
	c.Helper()
	text, err := os.ReadFile(c.at(path))
	must(c.T, err)
	return string(text)
}

// change replaces a text of a file, which must be there.
func (c *clinic) change(path, from, to string) {
	c.Helper()
	text := c.read(path)
	if !strings.Contains(text, from) {
		c.Fatalf("there is no %q in %s:\n%s", from, path, text)
	}
	must(c.T, os.WriteFile(c.at(path), []byte(strings.Replace(text, from, to, 1)), 0o600))
}

func (c *clinic) install(args ...string) {
	c.Helper()
	out, code := c.run(append([]string{"install"}, append(args, c.repo)...)...)
	if code != 0 || strings.Contains(out, "NOT ACTIVE") {
		c.Fatalf("install: exit %d\n%s", code, out)
	}
}

func (c *clinic) run(args ...string) (string, int) {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.gatewright, args...)
	cmd.Dir, cmd.Env = c.repo, c.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		c.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// doctor runs the doctor, after which everything has to be as it was before.
func (c *clinic) doctor(args ...string) (string, int) {
	c.Helper()
	before := c.everything()
	out, code := c.run(append([]string{"doctor"}, args...)...)
	after := c.everything()
	for path, was := range before {
		if after[path] != was {
			c.Errorf("doctor changed %s: %s, now %s", path, was, after[path])
		}
	}
	for path := range after {
		if _, there := before[path]; !there {
			c.Errorf("doctor left %s", path)
		}
	}
	return out, code
}

// everything is all files with what one can see of them. The folder for temporary
// files counts by what is in it.
func (c *clinic) everything() map[string]string {
	c.Helper()
	files := map[string]string{}
	must(c.T, filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == c.at("tmp") {
			return nil
		}
		info, err := d.Info()
		must(c.T, err)
		text := []byte(nil)
		if info.Mode().IsRegular() && info.Size() < 1<<20 {
			text, _ = os.ReadFile(path)
		}
		files[path] = fmt.Sprintf("%s %d %s %q", info.Mode(), info.Size(), info.ModTime(), text)
		return nil
	}))
	return files
}

// failed finds the line of a check with a cross, and the fix below it.
func failed(out, check, detail string) (fix string, ok bool) {
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		words := strings.Fields(line)
		if len(words) > 3 && words[0] == "✗" && words[2] == check && strings.Contains(line, detail) {
			if i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "fix: ") {
				fix = strings.TrimSpace(lines[i+1])
			}
			return fix, true
		}
	}
	return "", false
}

func TestDoctorHealthy(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	out, code := c.doctor()
	if code != 0 || strings.Contains(out, "✗") || strings.Contains(out, "–") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, want := range []string{
		"✓ claude  version     2.1.332", "✓ codex   version     0.171.0", "Codex says that it trusts the handlers of " + c.repo,
		"✓ claude  registered  for 8 events", "✓ codex   registered  for 5 events", "has the version of this program", "is denied after", "✓ all     lists", "✓ all     clock",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// TestDoctorJSON: the object says what the table says.
func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.write("home/.claude/settings.json", `{"disableAllHooks": true}`)
	table, _ := c.doctor()
	out, code := c.doctor("--json", "--client", "claude", c.repo)
	object, _, _ := strings.Cut(out, "\n") // stderr comes after it
	var got struct {
		OK     *bool
		Checks []struct {
			Client, Check, Detail, Fix *string
			OK                         *bool
			Note                       bool
		}
	}
	dec := json.NewDecoder(strings.NewReader(object))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || code != 1 || got.OK == nil || *got.OK {
		t.Fatalf("exit %d, %v\n%s", code, err, out)
	}
	faults := 0
	for _, f := range got.Checks {
		if f.Client == nil || f.Check == nil || f.Detail == nil || f.Fix == nil || f.OK == nil {
			t.Fatalf("a member is missing in %s", object)
		}
		if *f.Client == "codex" || !strings.Contains(table, *f.Check) {
			t.Errorf("%s of %s", *f.Check, *f.Client)
		}
		if !*f.OK {
			faults++
			if _, ok := failed(table, *f.Check, *f.Detail); !ok || *f.Fix == "" || f.Note {
				t.Errorf("%s is not in the table, or has no fix", *f.Detail)
			}
		}
	}
	if faults != 1 {
		t.Errorf("%d faults in %s", faults, object)
	}
	must(t, os.Remove(c.at("home/.claude/settings.json")))
	if out, code := c.doctor("--json"); code != 0 || !strings.HasPrefix(out, `{"ok":true,"checks":[{"client":"claude","check":"version","ok":true,"detail":"2.1.332 (`) || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// TestDoctorNotes: what is worth knowing is no fault.
func TestDoctorNotes(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	c.program("bin/claude", `echo "2.1.294 (Claude Code)"`)
	c.write("home/.claude/settings.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "rewrite\n\u001b[2J.sh"}]}],
		"PermissionRequest": [{"hooks": [{"type": "http", "url": "http://x"}]}], "Stop": [{"hooks": [{"type": "command", "command": "stop.sh"}]}]},
		"env": {"PATH": "/x", "XDG_CACHE_HOME": "/y"}, "disableAllHooks": false, "quietHours": 1}`)
	c.write("home/.codex/config.toml", c.read("home/.codex/config.toml")+"[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine.sh\"\n")
	c.write("etc/codex/requirements.toml", "[features]\nhooks = true\n")
	c.write("etc/codex/config.toml", "[features]\nhooks = false\n")
	text := c.read("repo/.claude/settings.local.json")
	c.write("repo/.claude/settings.local.json", strings.Replace(text, `"SubagentStart": [`, `"SubagentStart": [`+between(t, text, `"SubagentStart": [`, "\n    ]")+",", 1))
	out, code := c.doctor()
	if code != 0 || strings.Contains(out, "✗") || strings.Contains(out, "\x1b") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for _, want := range []string{
		"– claude  others      ROOT/home/.claude/settings.json: a PreToolUse hook that can rewrite a call after it was judged: \"rewrite",
		"– claude  others      ROOT/home/.claude/settings.json: a PermissionRequest hook that can answer for a person: \"http\"",
		"– codex   others      ROOT/home/.codex/config.toml: a PreToolUse hook that can rewrite a call after it was judged: \"mine.sh\"",
		"– claude  env         ROOT/home/.claude/settings.json sets PATH in env", "sets XDG_CACHE_HOME in env",
		"– claude  abilities   before 2.1.295 there is no onFailure",
		"– claude  settings    ROOT/home/.claude/settings.json:3:", "quietHours is one that gatewright cannot judge",
		"– codex   switches    ROOT/etc/codex/config.toml sets features.hooks = false, which another setting overrides",
		"– claude  handlers    ROOT/repo/.claude/settings.local.json has 2 equal handlers for SubagentStart",
	} {
		if want = strings.ReplaceAll(want, "ROOT", c.root); !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if strings.Contains(out, "stop.sh") {
		t.Error("a hook that can do neither is listed")
	}
}

// between is what stands in a text behind one part and before the next other.
func between(t *testing.T, text, begin, end string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, begin)
	inner, _, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("no %q and %q in\n%s", begin, end, text)
	}
	return inner
}
