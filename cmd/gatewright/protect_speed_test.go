package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

// TestShellSpeed: a long line is no reason to deny it for the time it takes.
func TestShellSpeed(t *testing.T) {
	judge := shellJudge(t)
	var many, folders strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&many, " d/f%d", i)
		fmt.Fprintf(&folders, " d%d/f", i)
	}
	for name, line := range map[string]string{
		"files":    "rm" + many.String(),
		"copies":   "cp -r" + many.String() + " .",
		"folders":  "rm" + folders.String(),
		"places":   strings.Repeat("cd d;", 8) + "rm" + many.String()[:20000],
		"deep":     "rm " + strings.Repeat("a/", 20000),
		"homes":    "touch" + strings.Repeat(" ~a", 20000),
		"patterns": "touch" + strings.Repeat(" *a[b]c", 20000),
		"clients":  "x" + strings.Repeat(" codex", 20000),
		"us":       "x" + strings.Repeat(" gatewright", 20000),
	} {
		start := time.Now()
		if what, evades := judge("claude", line); what+evades != "" {
			t.Errorf("%s: denied: %s%s", name, what, evades)
		}
		if took := time.Since(start); took > 2*time.Second { // far below, on an idle machine
			t.Errorf("%s: %s", name, took)
		}
	}
}

// TestRepositoryMark: without its .git the policies of a repository count no more.
func TestRepositoryMark(t *testing.T) {
	_, repo, set, h := shellRepository(t)
	for path, want := range map[string]bool{"/.git": true, "/.git/config": false, "/sub/.git": false} {
		ev := hooks.Event{Kind: hooks.PreToolUse, Client: "claude", CWD: repo, Tool: "Write",
			Args: hooks.EncodeJSON(map[string]string{"file_path": repo + path})}
		if what, _ := h.protect(ev, set); (what != "") != want {
			t.Errorf("%s: %q", path, what)
		}
	}
	if what, _ := h.protect(hooks.Event{Tool: "Write", Args: []byte(`{"file_path":"/x"}`)}, &policy.Set{}); what != "" {
		t.Error(what)
	}
}

// FuzzProtectShell: no line ends the program.
func FuzzProtectShell(f *testing.F) {
	for _, name := range []string{"denied.txt", "evading.txt", "ordinary.txt"} {
		for _, line := range linesOf(f, name) {
			f.Add(line)
		}
	}
	judge := shellJudge(f)
	f.Fuzz(func(t *testing.T, line string) {
		judge("claude", line)
		judge("codex", line)
	})
}

// TestWorktreeMark: the .git of a linked worktree is a file that leads to the
// policies of the main checkout.
func TestWorktreeMark(t *testing.T) {
	home, repo, _, h := shellRepository(t)
	tree := filepath.Join(home, "tree")
	for path, text := range map[string]string{tree + "/.git": "gitdir: " + repo + "/.git/worktrees/tree\n", repo + "/.git/worktrees/tree/HEAD": ""} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set, err := policy.Load(tree, policy.Places{})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]bool{"rm .git": true, "mv .git x": true, "echo gitdir: /x > .git": true, "rm -rf " + repo + "/.git": true, "rm x": false} {
		ev := hooks.Event{Kind: hooks.PreToolUse, Client: "claude", CWD: tree, Tool: "Bash", Args: hooks.EncodeJSON(map[string]string{"command": line})}
		if what, _ := h.protect(ev, set); (what != "") != want {
			t.Errorf("%s: %q", line, what)
		}
	}
}
