package main

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"strings"

	"gatewright/hooks"
)

type answer struct {
	exit           int
	stdout, stderr string
}

// play sends a step to the real program.
func (p *place) play(s step) answer {
	client := s.Client
	if client == "" {
		client = "claude"
	}
	argv := s.Argv
	if argv == nil {
		argv = []string{"hook", client}
	}
	return p.run(p.stdin(s), s.OpenPipe, argv...)
}

// run starts the program. A pipe that is left open is closed after it ended.
func (p *place) run(stdin string, open bool, argv ...string) answer {
	cmd := exec.Command("gatewright", argv...)
	cmd.Env, cmd.Dir = p.env, p.repo
	if p.uid != 0 {
		runAs(cmd, p.uid)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		p.t.Error(err)
		return answer{}
	}
	if err := cmd.Start(); err != nil {
		p.t.Error(err)
		return answer{}
	}
	_, unread := io.WriteString(pipe, stdin)
	if !open {
		pipe.Close()
	}
	err = cmd.Wait()
	if unread != nil && cmd.ProcessState.ExitCode() != exitUsage {
		p.t.Errorf("writing stdin: %v", unread) // only a wrong command line reads nothing
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Error(err)
	}
	return answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// stdin builds the event as the step's client sends it. @8MiB in a value stands
// for that much text.
func (p *place) stdin(s step) string {
	if s.Stdin != "" || s.Tool == "" && s.Event == "" {
		return strings.NewReplacer("@REPO", p.repo, "@BADUTF8", "\xff").Replace(s.Stdin)
	}
	event := map[string]any{
		"session_id":      or(s.Session, "s-1"),
		"transcript_path": "/nope/none.jsonl",
		"cwd":             p.repo,
		"permission_mode": or(s.Mode, "default"),
		"hook_event_name": or(s.Event, "PreToolUse"),
		"tool_name":       s.Tool,
		"tool_use_id":     or(s.ID, "toolu_01"),
	}
	for key, raw := range map[string]string{"tool_input": s.Args, "tool_response": s.Response} {
		if raw != "" {
			event[key] = rawJSON(strings.ReplaceAll(raw, "@8MiB", strings.Repeat("x", 8<<20)))
		}
	}
	for key, text := range map[string]string{"agent_id": s.Agent, "error": s.Error, "source": s.Source} {
		if text != "" {
			event[key] = text
		}
	}
	return string(hooks.EncodeJSON(event)) + "\n"
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
