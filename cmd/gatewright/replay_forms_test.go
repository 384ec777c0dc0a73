package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
)

// asTranscript writes a hook event as Claude Code keeps it.
func asTranscript(ev gjson.Result) string {
	line := map[string]any{"sessionId": ev.Get("session_id").Str}
	say := func(role string, content any) {
		line["type"], line["message"] = role, map[string]any{"role": role, "content": content}
	}
	id := ev.Get("session_id").Str + "/" + ev.Get("tool_use_id").Str
	switch ev.Get("hook_event_name").Str {
	case "UserPromptSubmit":
		say("user", ev.Get("prompt").Str)
	case "PreToolUse":
		say("assistant", []any{
			map[string]any{"type": "text", "text": "I will."},
			map[string]any{"type": "tool_use", "id": id, "name": ev.Get("tool_name").Str, "input": rawJSON(ev.Get("tool_input").Raw)},
		})
	case "PostToolUse":
		text := []any{map[string]any{"type": "text", "text": ev.Get("tool_response").Str}}
		say("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": ev.Get("is_error").Bool(), "content": text}})
	}
	return string(hooks.EncodeJSON(line)) + "\n"
}

// asRollout writes a hook event as Codex keeps it.
func asRollout(ev gjson.Result) string {
	var item map[string]any
	switch ev.Get("hook_event_name").Str {
	case "UserPromptSubmit":
		item = map[string]any{"type": "user_message", "message": ev.Get("prompt").Str}
	case "PreToolUse":
		server, tool := splitTool(ev.Get("tool_name").Str)
		item = map[string]any{"type": "function_call", "namespace": server, "name": tool, "call_id": ev.Get("tool_use_id").Str, "arguments": ev.Get("tool_input").Raw}
	case "PostToolUse":
		item = map[string]any{"type": "function_call_output", "call_id": ev.Get("tool_use_id").Str, "output": ev.Get("tool_response").Str}
	}
	return string(hooks.EncodeJSON(map[string]any{"timestamp": "2024-05-15T15:00:00Z", "type": "response_item", "payload": item})) + "\n"
}

func splitTool(name string) (server, tool string) {
	i := strings.LastIndex(name, "__")
	return name[:i], name[i+2:]
}

// TestReplayForms: a session says the same whichever client kept it.
func TestReplayForms(t *testing.T) {
	for _, domain := range replayDomains {
		want, sessions := tallyOf(t, domain, ofTestdata(t, "replay", domain+".jsonl")), eventsOf(t, domain)
		dir := t.TempDir()
		var transcripts, rollouts []string
		for i, id := range slices.Sorted(maps.Keys(sessions)) {
			rollout := string(hooks.EncodeJSON(map[string]any{"type": "session_meta", "payload": map[string]any{"type": "session_meta", "id": id}})) + "\n"
			transcript := `{"type":"summary","summary":"a session"}` + "\n"
			for _, ev := range sessions[id] {
				transcript, rollout = transcript+asTranscript(ev), rollout+asRollout(ev)
			}
			transcripts = append(transcripts, writeFile(t, dir, fmt.Sprint(i, ".jsonl"), transcript))
			if !strings.Contains(rollout, "Error: ") { // a rollout does not say that a call failed
				rollouts = append(rollouts, writeFile(t, dir, fmt.Sprint("rollout-", i, ".jsonl"), rollout))
			}
		}
		sameVerdicts(t, "a transcript", want, tallyOf(t, domain, transcripts...), len(sessions))
		sameVerdicts(t, "a rollout", want, tallyOf(t, domain, rollouts...), len(rollouts))
	}
}

func writeFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func eventsOf(t *testing.T, domain string) map[string][]gjson.Result {
	t.Helper()
	text, err := os.ReadFile(ofTestdata(t, "replay", domain+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string][]gjson.Result{}
	for line := range strings.Lines(string(text)) {
		ev := gjson.Parse(line)
		sessions[ev.Get("session_id").Str] = append(sessions[ev.Get("session_id").Str], ev)
	}
	return sessions
}

// tallyOf is what is said to every call of each session, in their order.
func tallyOf(t *testing.T, domain string, files ...string) map[string][][]string {
	t.Helper()
	rec, err := readRecordings(files, "claude", func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	set, said := policyOf(t, domain), map[string][][]string{}
	for id, events := range rec.sessions {
		for _, call := range replaySession(set, recordingTime(t), events) {
			said[id] = append(said[id], append([]string{call.Tool}, saidTo(call)...))
		}
	}
	return said
}

func sameVerdicts(t *testing.T, form string, want, got map[string][][]string, sessions int) {
	t.Helper()
	if len(got) != sessions {
		t.Errorf("%s: %d sessions, want %d", form, len(got), sessions)
	}
	for id, calls := range got {
		if !reflect.DeepEqual(calls, want[id]) {
			t.Errorf("%s of %s: %q, want %q", form, id, calls, want[id])
		}
	}
}

// TestReplayRecordings replays recorded sessions that do not belong to the
// project, if there are any.
func TestReplayRecordings(t *testing.T) {
	dir := os.Getenv("GATEWRIGHT_REPLAY")
	if dir == "" {
		t.Skip("SKIPPED: GATEWRIGHT_REPLAY names no folder with recorded sessions")
	}
	p := newPlace(t)
	for domain, names := range map[string][]string{
		"airline": {"tau1-airline-gpt-4o", "tau1-airline-groundtruth"},
		"retail":  {"tau2-retail-groundtruth"},
		"banking": {"agentdojo-banking-smurfing"},
	} {
		argv := []string{"replay", "--policy", ofTestdata(t, "policies", domain+".toml"), "--now", replayNow, "--expect", filepath.Join(dir, "expected.jsonl")}
		for _, name := range names {
			argv = append(argv, filepath.Join(dir, name+".jsonl"))
		}
		if a := p.run("", false, argv...); a.exit != 0 || !strings.Contains(a.stdout, "\n0 differences from ") {
			t.Errorf("%s: exit %d\n%s%s", domain, a.exit, a.stdout, a.stderr)
		}
	}
}
