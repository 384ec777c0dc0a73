package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"

	"gatewright/hooks"
)

// caseFile is one kind of fault that people reported, as tests of the real
// program: a policy, events and the right answers.
type caseFile struct {
	ID     string
	Title  string
	Why    string // where the answer is stricter than the report recommends
	Policy string
	Case   []reportCase
}

type reportCase struct {
	Name   string
	Policy string   // instead of the file's
	Extra  string   // after the file's
	Setup  string   // see place.prepare
	Env    []string // added
	Steps  []step
	// AtOnce runs all steps in parallel; Pass then says how many are not denied.
	AtOnce bool
	Pass   int
}

type step struct {
	Client, Event, Session, Agent, ID, Mode string
	Tool, Args, Response, Error             string
	Stdin                                   string   // instead of an event
	Argv                                    []string // instead of hook CLIENT
	OpenPipe                                bool     // stdin is not closed

	Expect   string // deny, ask, silence, dash, or usage: an exit code that is neither 0 nor 2
	Category string
	Contains []string // in the reason
	Lacks    []string // nowhere on stdout
	Stderr   string   // part of it
}

// TestCases runs every file of testdata/cases.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/cases/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range files {
		var f caseFile
		meta, err := toml.DecodeFile(path, &f)
		if err != nil || len(meta.Undecoded()) > 0 || len(f.Case) == 0 {
			t.Fatal(path, err, meta.Undecoded())
		}
		t.Run(f.ID, func(t *testing.T) {
			for _, c := range f.Case {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					c.run(t, f)
				})
			}
		})
	}
}

func (c reportCase) run(t *testing.T, f caseFile) {
	p := newPlace(t)
	text := f.Policy + c.Extra
	if c.Policy != "" {
		text = c.Policy
	}
	p.writePolicy(text)
	p.prepare(c.Setup)
	p.env = append(p.env, c.Env...)
	if c.AtOnce {
		c.runAtOnce(p)
		return
	}
	if len(c.Steps) == 0 {
		t.Fatal("a case without steps")
	}
	for i, s := range c.Steps {
		p.expect(fmt.Sprintf("step %d", i+1), s, p.play(s))
	}
}

func (c reportCase) runAtOnce(p *place) {
	answers := make([]answer, len(c.Steps))
	var wait sync.WaitGroup
	for i, s := range c.Steps {
		wait.Go(func() { answers[i] = p.play(s) })
	}
	wait.Wait()
	passed := 0
	for _, a := range answers {
		if a.stdout == "" && a.exit == 0 {
			passed++
		}
	}
	if passed != c.Pass {
		p.t.Errorf("%d calls passed, want %d: %v", passed, c.Pass, answers)
	}
}

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
	for key, text := range map[string]string{"agent_id": s.Agent, "error": s.Error} {
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

// expect compares an answer with what the step expects. Every answer must be
// one of the few forms that a client understands.
func (p *place) expect(name string, s step, a answer) {
	p.t.Helper()
	got, reason := shapeOf(a)
	want := s.Expect
	if got != want {
		p.t.Errorf("%s: got %s, want %s\nstdout: %.400s\nstderr: %.400s", name, got, want, a.stdout, a.stderr)
		return
	}
	if s.Category != "" && gjson.Get(reason, "errorCategory").Str != s.Category {
		p.t.Errorf("%s: want category %s: %s", name, s.Category, reason)
	}
	for _, part := range s.Contains {
		if !strings.Contains(reason, part) {
			p.t.Errorf("%s: the reason lacks %q: %s", name, part, reason)
		}
	}
	for _, part := range s.Lacks {
		if strings.Contains(a.stdout, part) {
			p.t.Errorf("%s: stdout has %q", name, part)
		}
	}
	if !strings.Contains(a.stderr, s.Stderr) {
		p.t.Errorf("%s: stderr lacks %q: %s", name, s.Stderr, a.stderr)
	}
	if strings.Contains(a.stderr, "goroutine ") {
		p.t.Errorf("%s: a Go trace: %s", name, a.stderr)
	}
}

// shapeOf names the form of an answer, and gives the reason of a denial.
func shapeOf(a answer) (shape, reason string) {
	switch {
	case a.exit != 0 && a.exit != 1 && a.exit != 2 && a.stdout == "":
		return "usage", ""
	case a.exit != 0:
		return fmt.Sprintf("exit %d", a.exit), ""
	case a.stdout == "":
		return "silence", ""
	case a.stdout == "-":
		return "dash", "" // guarded silence
	case !gjson.Valid(a.stdout) || hooks.Strict([]byte(a.stdout)) != nil:
		return "broken JSON", ""
	}
	out := gjson.Parse(a.stdout)
	inner := out.Get("hookSpecificOutput")
	switch keys := keysOf(out); {
	case slices.Equal(keys, []string{"systemMessage"}):
		return "notice", out.Get("systemMessage").Str
	case slices.Equal(keys, []string{"decision", "reason"}) && strings.TrimSpace(out.Get("reason").Str) != "":
		return out.Get("decision").Str, out.Get("reason").Str
	case !slices.Equal(keys, []string{"hookSpecificOutput"}):
		return "an unknown object", ""
	}
	switch keys := keysOf(inner); {
	case slices.Equal(keys, []string{"hookEventName", "additionalContext"}):
		return "context", inner.Get("additionalContext").Str
	case slices.Equal(keys, []string{"hookEventName", "updatedInput"}):
		return "rewritten", inner.Get("updatedInput").Raw
	case slices.Equal(keys, []string{"hookEventName", "permissionDecision", "updatedInput"}) && inner.Get("permissionDecision").Str == "allow":
		return "allow", inner.Get("updatedInput").Raw
	case slices.Equal(keys, []string{"hookEventName", "permissionDecision", "updatedInput", "permissionDecisionReason"}):
		return inner.Get("permissionDecision").Str, inner.Get("permissionDecisionReason").Str
	case slices.Equal(keys, []string{"hookEventName", "updatedToolOutput"}):
		return "replaced", inner.Get("updatedToolOutput").Raw
	case !slices.Equal(keys, []string{"hookEventName", "permissionDecision", "permissionDecisionReason"}):
		return "an object with other fields", ""
	}
	reason = inner.Get("permissionDecisionReason").Str
	event := inner.Get("hookEventName").Str
	if event != "PreToolUse" && event != "PreSkillShellCommand" || strings.TrimSpace(reason) == "" {
		return "an incomplete object", ""
	}
	return inner.Get("permissionDecision").Str, reason
}

func keysOf(v gjson.Result) []string {
	var keys []string
	v.ForEach(func(k, _ gjson.Result) bool {
		keys = append(keys, k.Str)
		return true
	})
	return keys
}
