package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/install"
)

// samples are calls that must be denied: the first under the starter policy, the
// second, whose name holds a character that no tool's name may, under every one.
var samples = []scene{
	{tried: "a refund of 900", tool: "mcp__payments__process_refund", args: `{"customer_id":"self-check","amount_usd":900}`},
	{tried: "a call of a tool with a hidden character in its name", tool: "mcp__self\u200b_check__refund", args: `{}`},
}

// selfCheck runs the line that each client would now run, as the file has it.
func (r *registrar) selfCheck(edits []edit) error {
	dir := r.repo.Root
	if r.everywhere() { // silent without a policy
		temp, remove, err := starterDir()
		if err != nil {
			return err
		}
		defer remove()
		dir = temp
	}
	r.say("self-check: the registered line, run as the client runs it")
	var failed error
	tried := map[string]bool{} // several files hold the same line
	for _, e := range edits {
		written, err := install.ReadFile(e.file.Path)
		if err != nil {
			return err
		}
		line, _ := install.RegisteredAt(written, e.client, "PreToolUse")
		if tried[line] {
			continue
		}
		tried[line] = true
		t, err := r.tryLine(e.client, line, dir)
		if err != nil {
			r.say("  %-7s FAILED: %v", e.client.Name, err)
			failed = errSelfCheck
			continue
		}
		r.say("  %-7s %s is denied: %s", e.client.Name, t.what, t.reason)
		if lost := r.lost(e.client, dir); lost != "" {
			r.say("  %-7s FAILED: the client would not run it: %s", e.client.Name, lost)
			failed = errInactive
		}
	}
	if failed == nil {
		r.say("Undo with: gatewright uninstall%s", r.flags())
	}
	return failed
}

// starterDir makes a folder with the starter policy.
func starterDir() (dir string, remove func(), err error) {
	temp, err := os.MkdirTemp("", "gatewright-check-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(temp) }
	if err := writePolicy(temp, install.Starter); err != nil {
		remove()
		return "", nil, err
	}
	return temp, remove, nil
}

// lost says why the client would not run what is registered. Of values that we do
// not know we assume that they are good.
func (r *registrar) lost(c hooks.Client, dir string) string {
	w, err := watchOf(c, dir, r.env)
	if err != nil {
		return err.Error()
	}
	w.Required, w.Accepted = !r.everywhere(), w.Doubts()
	return w.Lost()
}

var (
	errSelfCheck = errors.New("the self-check failed: the registration is in place, and every call is denied until this is mended")
	errInactive  = errors.New("gatewright is registered, and not active until this is mended")
)

// flags repeats what install was called with.
func (r *registrar) flags() string {
	text := ""
	if len(r.clients) == 1 {
		text += " --client " + r.clients[0].Name
	}
	if r.scope != install.Project {
		text += " --scope " + string(r.scope)
	}
	return text
}

// trial is what became of a sample.
type trial struct {
	what   string // that was denied
	reason string
	took   time.Duration
}

// tryLine gives the samples to a line until one is denied. What they leave in the
// memory and the audit goes to a folder of their own.
func (r *registrar) tryLine(c hooks.Client, line, dir string) (trial, error) {
	memory, err := os.MkdirTemp("", "gatewright-check-")
	if err != nil {
		return trial{}, err
	}
	defer os.RemoveAll(memory)
	for _, sample := range samples {
		begin := time.Now()
		reason, err := r.runLine(c, line, dir, memory, sample)
		if err != nil || reason != "" {
			return trial{sample.tried, reason, time.Since(begin)}, err
		}
	}
	return trial{}, errors.New("nothing is denied")
}

// lineLimit is how long a client waits for the line. Only tests change it.
var lineLimit = install.Timeout * time.Second

// runLine runs a line as the client does and gives the reason of the denial, as
// the client reads it; empty if there is none.
func (r *registrar) runLine(c hooks.Client, line, dir, memory string, s scene) (string, error) {
	shell := "/bin/sh"
	if c.ByStderr {
		shell = loginShell()
	}
	p := limited{limit: lineLimit, dir: dir, env: append(slices.Clone(r.env), "XDG_STATE_HOME="+memory)}
	if c.StartDirEnv != "" {
		p.env = append(p.env, c.StartDirEnv+"="+dir)
	}
	p.stdin = hooks.EncodeJSON(s.event(dir, "gatewright-self-check", "self-check"))
	out, err := p.run(shell, "-c", line)
	told := strings.TrimSpace(out.stderr)
	if c.ByStderr && out.exit == hooks.ExitBlock && strings.HasSuffix(told, install.ByUs) {
		return strings.TrimSpace(strings.TrimSuffix(told, install.ByUs)), nil
	}
	if err != nil {
		return "", fmt.Errorf("%s (%w); is gatewright in ~/.local/bin or on PATH?", told, err)
	}
	decision := gjson.Parse(out.stdout).Get("hookSpecificOutput")
	if c.ByStderr || decision.Get("permissionDecision").Str != "deny" {
		return "", nil
	}
	return decision.Get("permissionDecisionReason").Str, nil
}

// loginShell is the user's, from the passwd file; SHELL is not what Codex looks
// at.
func loginShell() string {
	shell := passwdField(shellField)
	info, err := os.Stat(shell)
	known := slices.Contains([]string{"sh", "bash", "zsh", "dash", "ksh", "mksh", "fish"}, filepath.Base(shell))
	if err != nil || !info.Mode().IsRegular() || !known {
		return "/bin/sh" // for any other one Codex takes this, too
	}
	return shell
}
