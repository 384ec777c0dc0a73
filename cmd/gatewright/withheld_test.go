//go:build unix

package main

import (
	"bytes"
	"gatewright/gate"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

const hidingPolicy = `version = 1
[[normalize]]
id = "hide"
tools = ["mcp__crm__*"]
paths = ["**.ssn"]
redact = true
`

// TestWithoutMemory: a result is changed, and a failure read, although the memory is
// held by somebody else.
func TestWithoutMemory(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(verifyPolicy + strings.TrimPrefix(hidingPolicy, "version = 1\n"))
	v := verification("C-1", "")
	p.expect("verify", v, p.play(v))
	unlock := p.lockSession()
	for _, tt := range []struct {
		s    step
		want string
	}{
		{step{Event: "PostToolUse", Tool: v.Tool, Args: v.Args, Response: `"{\"ssn\":\"123\"}"`, Expect: "replaced", Stderr: "no answer within"}, "redacted:"},
		{step{Event: "PostToolUseFailure", Tool: v.Tool, Args: v.Args, Error: "Access denied", Expect: "context", Stderr: "no answer within"}, "PERMISSION"},
	} {
		got, late := p.hookIn(tt.s, 500*time.Millisecond, strings.NewReader(p.stdin(tt.s)))
		tt.s.Contains = []string{tt.want}
		p.expect(tt.s.Event, tt.s, got)
		defer func() { <-late }()
	}
	unlock()
}

// TestWithheld: a result in which something is to be hidden is not shown if that takes
// too long.
func TestWithheld(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(hidingPolicy)
	event := p.stdin(step{Event: "PostToolUse", Tool: "mcp__crm__list", Args: `{}`, Response: `[{"type":"text","text":"{\"ssn\":\"123\"}"}]`})
	h, err := parseHook([]string{"claude"})
	if err != nil {
		t.Fatal(err)
	}
	h.stdin, h.env, h.start, h.deadline = strings.NewReader(event), p.env, time.Now(), deadline
	ready := h.answerSafely()
	h.ready(*h.event.Load(), gate.Withheld(*h.event.Load())) // as it was before
	var stdout, stderr bytes.Buffer
	if code := h.write(h.tooLate(), &stdout, &stderr); code != 0 {
		t.Errorf("exit %d", code)
	}
	text := gjson.Get(stdout.String(), "hookSpecificOutput.updatedToolOutput.0.text").Str
	if !strings.Contains(string(ready.Stdout), "redacted:") || gjson.Get(text, "rule").Str != "withheld" || strings.Contains(stdout.String(), "123") {
		t.Errorf("in time %s, too late %s %s", ready.Stdout, stdout.String(), stderr.String())
	}

	event = p.stdin(step{Event: "PostToolUse", Tool: "mcp__other__list", Args: `{}`, Response: `"{\"ssn\":\"123\"}"`})
	h, _ = parseHook([]string{"claude"})
	h.stdin, h.env, h.start, h.deadline = strings.NewReader(event), p.env, time.Now(), deadline
	if out := h.answerSafely(); len(out.Stdout) > 0 {
		t.Errorf("a result in which nothing is hidden: %s", out.Stdout)
	}
}
