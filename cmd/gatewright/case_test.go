package main

import (
	"fmt"
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
	Then   []step // after those that ran at once
	Lines  int    // of the audit, each of a call of its own
}

type step struct {
	Setup                                   string // before this step; see place.prepare
	Client, Event, Session, Agent, ID, Mode string
	Source                                  string // of a SessionStart
	Tool, Args, Response, Error             string
	Stdin                                   string   // instead of an event
	Argv                                    []string // instead of hook CLIENT
	OpenPipe                                bool     // stdin is not closed
	Times                                   int      // played so often; @N is 01, 02, …

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
	if len(c.Steps) == 0 {
		t.Fatal("a case without steps")
	}
	steps := c.Steps
	if c.AtOnce {
		c.runAtOnce(p)
		steps = c.Then
	}
	for i, s := range expanded(steps) {
		p.prepare(s.Setup)
		p.expect(fmt.Sprintf("step %d", i+1), s, p.play(s))
	}
	if c.Lines > 0 {
		p.wholeLines(c.Lines)
	}
}

// expanded writes out the steps that are played several times.
func expanded(steps []step) (list []step) {
	for _, s := range steps {
		if s.Times == 0 {
			list = append(list, s)
		}
		for i := range s.Times {
			each, number := s, fmt.Sprintf("%02d", i+1)
			for _, text := range []*string{&each.Agent, &each.ID, &each.Args, &each.Response} {
				*text = strings.ReplaceAll(*text, "@N", number)
			}
			list = append(list, each)
		}
	}
	return list
}

func (c reportCase) runAtOnce(p *place) {
	steps := expanded(c.Steps)
	answers := make([]answer, len(steps))
	var wait sync.WaitGroup
	for i, s := range steps {
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
	p.noStrayFiles()
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
