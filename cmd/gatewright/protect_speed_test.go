package main

import (
	"fmt"
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
