package install

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
)

// impostors are programs in our place that give no complete answer.
var impostors = map[string]string{
	"true":             "exit 0",
	"garbage":          "echo hello",
	"half an object":   `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"de'`,
	"a cut end":        `printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}'`,
	"a log line first": `echo log; printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}'`,
	"another event's":  `printf '{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}'`,
	"a bare message":   `printf '{"systemMessage":"hello"}'`,
	"a dash and more":  "printf -- '- -'",
	"silence, exit 1":  "printf -- -; exit 1",
	"a crash":          "kill -SEGV $$",
	"kill -9":          "printf -- -; kill -9 $$",
	"exit 64":          "exit 64",
	"missing":          "",
}

// run runs a command line as a client does, with program as gatewright in home.
func run(t *testing.T, shell, line, home, path string) (stdout, stderr string, exit int) {
	t.Helper()
	cmd := exec.Command(shell, "-c", line)
	cmd.Env = []string{"HOME=" + home, "PATH=" + path}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// put makes a program of a shell script; an empty one is no program.
func put(t *testing.T, path, script string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if script == "" {
		return
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

const system = "/usr/bin:/bin"

// eachLine gives every event's line, as it is registered and as the bare script,
// to every shell that is here.
func eachLine(t *testing.T, test func(t *testing.T, shell, line string, c hooks.Client, r hooks.Registration)) {
	for _, shell := range []string{"sh", "dash", "bash"} {
		if _, err := exec.LookPath(shell); err != nil {
			t.Logf("SKIPPED: THERE IS NO %s HERE", strings.ToUpper(shell))
			continue
		}
		for _, c := range hooks.Clients() {
			for _, r := range c.Events {
				line := Shared().Text(c, r)
				script := strings.TrimSuffix(strings.TrimPrefix(line, "/bin/sh -c '"), "'")
				if strings.Contains(script, "'") || strings.ContainsAny(line, "\n\r") {
					t.Fatalf("a quote or a line break in %s", line)
				}
				t.Run(shell+"/"+c.Name+"/"+r.Event, func(t *testing.T) {
					test(t, shell, line, c, r)
					test(t, shell, script, c, r)
				})
			}
		}
	}
}

func TestLineRefuses(t *testing.T) {
	eachLine(t, func(t *testing.T, shell, line string, c hooks.Client, r hooks.Registration) {
		for name, script := range impostors {
			home := t.TempDir()
			put(t, filepath.Join(home, ".local/bin/gatewright"), script)
			stdout, stderr, exit := run(t, shell, line, home, system)
			if !r.Kind.CanBlock() {
				failed := name == "missing" || strings.Contains(script, "exit 1") || strings.Contains(script, "exit 64") || strings.Contains(script, "kill")
				if exit != 0 || failed && !strings.HasSuffix(stdout, `{"systemMessage":"`+unnoticed+`"}`) {
					t.Errorf("%s: exit %d, stdout %s, stderr %s", name, exit, stdout, stderr)
				}
				continue
			}
			want := string(c.Refuse(hooks.Event{Kind: r.Kind, Name: r.Event}, denied).Stdout)
			if exit != hooks.ExitBlock || stdout != want || !strings.Contains(stderr, denied) {
				t.Errorf("%s: exit %d, stdout %s, stderr %s", name, exit, stdout, stderr)
			}
		}
	})
}

// TestLinePasses: silence stays silence, and an answer arrives as it was given.
func TestLinePasses(t *testing.T) {
	eachLine(t, func(t *testing.T, shell, line string, c hooks.Client, r hooks.Registration) {
		answer := string(c.Refuse(hooks.Event{Kind: r.Kind, Name: r.Event}, "it's \"$HOME\" `x` \\ 100% é\n{\"isError\":true}").Stdout)
		answers := map[string]string{answer: answer, "-": ""}
		if !r.Kind.CanBlock() {
			answers = map[string]string{answer: answer, "": ""}
		}
		for given, want := range answers {
			home := filepath.Join(t.TempDir(), "a $home with 'quotes'")
			put(t, filepath.Join(home, "answer"), "")
			if err := os.WriteFile(filepath.Join(home, "answer"), []byte(given), 0o644); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(home, ".local/bin/gatewright"), `echo "$@" > "$HOME/args"; cat "$HOME/answer"`)
			stdout, stderr, exit := run(t, shell, line, home, system)
			wantExit, wantStderr := 0, ""
			if given == answer && r.Kind.CanBlock() && c.ByStderr {
				wantExit, wantStderr = hooks.ExitBlock, ByUs+"\n"
			}
			if exit != wantExit || stdout != want || stderr != wantStderr {
				t.Errorf("%s: exit %d, stdout %s, stderr %s", given, exit, stdout, stderr)
			}
			args, err := os.ReadFile(filepath.Join(home, "args"))
			flags := map[bool]string{true: " --require-policy --guarded\n", false: " --require-policy\n"}[r.Kind.CanBlock()]
			if err != nil || string(args) != "hook "+c.Name+flags {
				t.Errorf("called with %q, %v", args, err)
			}
		}
	})
}

// TestLineFinds: the program below HOME comes before PATH, and PATH before
// giving up; a user's own line names one program.
func TestLineFinds(t *testing.T) {
	c := hooks.Claude()
	home, other := t.TempDir(), t.TempDir()
	put(t, filepath.Join(other, "gatewright"), "echo other >> $HOME/ran; printf -- -")
	path := other + ":" + system
	if _, stderr, exit := run(t, "sh", Shared().Text(c, c.Events[0]), home, path); exit != 0 {
		t.Error(exit, stderr)
	}
	put(t, filepath.Join(home, ".local/bin/gatewright"), "echo home >> $HOME/ran; printf -- -")
	if _, stderr, exit := run(t, "sh", Shared().Text(c, c.Events[0]), home, path); exit != 0 {
		t.Error(exit, stderr)
	}
	program := filepath.Join(t.TempDir(), "a \"b\" $(touch x) `d` it's \\ \\\\ e; \"; f", "gatewright") // B37e
	put(t, program, "echo own >> $HOME/ran; printf -- -")
	own, err := Own(program)
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := run(t, "sh", own.Text(c, c.Events[0]), home, path); exit != 0 {
		t.Error(exit, stderr)
	}
	if ran, err := os.ReadFile(filepath.Join(home, "ran")); string(ran) != "other\nhome\nown\n" {
		t.Errorf("%q %v", ran, err)
	}
	if line, ok := lineOf(own.Text(c, c.Events[0]), c, c.Events[0]); !ok || line != own {
		t.Errorf("the line is not recognised: %v", line)
	}
}
