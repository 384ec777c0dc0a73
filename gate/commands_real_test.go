package gate

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatewright/gate/shell"
)

// theatre is a PATH on which every program that lines of testdata/cases/shell run is a stub
// that writes down how it was called; those that only start others are the real ones.
func theatre(t *testing.T, lines []string) (path, log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "sh", "env", "nice", "nohup", "timeout", "xargs", "find", "cat", "printf", "echo", "true", "false", "test", "[", "stdbuf", "setsid", "tee", "grep", "sed", "awk", "sort", "wc", "tr", "cut", "head"} {
		if real, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(real, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	stub := "#!/bin/bash\nprintf '%s\\n' \"${0##*/} $*\" >> " + log + "\n[ \"$(grep -c . " + log + ")\" -lt 3 ]\n"
	for _, line := range lines {
		commands, _ := shell.List(line, func(string) (string, bool) { return "", false })
		for _, c := range commands {
			name := filepath.Join(bin, c.Name())
			if _, err := os.Lstat(name); c.Name() != "" && err != nil {
				if err := os.WriteFile(name, []byte(stub), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return bin, log
}

// executed are the calls of stubs that a real bash makes of a line.
func executed(t *testing.T, path, log, line string) []string {
	t.Helper()
	if err := os.RemoveAll(log); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Env, cmd.Dir, cmd.WaitDelay = []string{"PATH=" + path, "HOME=/nonexistent"}, t.TempDir(), time.Second
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
			t.Fatal(line, err)
		}
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// TestRealBash: what a real bash runs of a line is among what is found in it, and of a
// line that only mentions a command neither runs it.
func TestRealBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("SKIPPED: there is no bash here")
	}
	const refund = "stripe refunds create --amount 90000"
	checked, ran := 0, 0
	for _, name := range []string{"reaching.txt", "mentions.txt"} {
		var lines []string
		for _, line := range linesOf(t, name) {
			if !strings.Contains(line, "trap ") && !strings.Contains(line, "exec ") { // they end or outlive the line
				lines = append(lines, strings.ReplaceAll(line, "@", refund))
			}
		}
		path, log := theatre(t, append(lines, refund))
		for _, line := range lines {
			commands, err := shell.List(line, func(string) (string, bool) { return "", false })
			if err != nil {
				t.Errorf("%v: %s", err, line)
			}
			found := map[string]bool{}
			for _, c := range commands {
				found[c.Line()] = true
			}
			checked++
			for _, call := range executed(t, path, log, line) {
				if strings.HasPrefix(call, "stripe ") {
					ran++
					if name == "mentions.txt" {
						t.Errorf("bash runs %q of\n%s", call, line)
					}
				}
				if !found[call] && strings.HasPrefix(call, "stripe ") && !foundInPart(commands, call) {
					t.Errorf("bash runs %q, which was not found, of\n%s", call, line)
				}
			}
		}
	}
	t.Logf("%d lines, of which bash ran the command %d times", checked, ran)
	if ran < 80 {
		t.Errorf("bash ran the command only %d times", ran)
	}
}

// foundInPart reports a command that was found with words which the line does not show.
func foundInPart(commands []shell.Command, call string) bool {
	for _, c := range commands {
		if line := c.Line(); strings.Contains(line, shell.Unknown) && shell.MayMatch(call, line) {
			return true
		}
	}
	return false
}
