package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUseThroughAFactInTheLedger: a proof that another fact reads is used up in the
// ledger.
func TestUseThroughAFactInTheLedger(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(`version = 1
[[fact]]
id = "ticket"
from = ["mcp__bank__ticket"]
max_uses = 1
[[fact]]
id = "quote"
from = ["mcp__bank__quote"]
where = 'past.result.ticket == ticket.id'
[[gate]]
id = "quote-first"
tools = ["transfer"]
needs = ["quote"]
`)
	p.playAll(post("ticket", "k1", `{}`, `{"id":"K"}`), post("quote", "k2", `{}`, `{"ticket":"K"}`),
		transfer("t1", "A", "Q", "1", ""), transfer("t2", "A", "Q", "1", "quote-first"))
}

// TestPersonInTheLedger: what a person says reaches the policy.
func TestPersonInTheLedger(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(`version = 1
[[tool]]
name = ["mcp__bank__transfer"]
operation = "send"
[[require]]
id = "named"
tools = ["transfer"]
all = ['user.text contains args.from', 'user.turns_since_write >= 1']
`)
	said := step{Stdin: `{"session_id":"s-1","cwd":"@REPO","hook_event_name":"UserPromptSubmit","prompt":"Move it from A."}`, Expect: "silence"}
	first := transfer("t1", "A", "Q", "1", "")
	p.playAll(said, first, transfer("t2", "B", "Q", "1", "named"), first.done(), transfer("t3", "A", "Q", "1", "named"), said, transfer("t4", "A", "Q", "1", ""))
}

// TestReplayStrictExpectations: expectations that cannot be read, or are of no
// session that was replayed, are not met.
func TestReplayStrictExpectations(t *testing.T) {
	text, err := os.ReadFile(ofTestdata(t, "replay", "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	for name, more := range map[string]string{"not JSON": "oops\n", "half a line": `{"session_id":"R5.cancel-reason-enum objects","tool_use_id":"3","verd` + "\n"} {
		path := filepath.Join(p.home, "expected.jsonl")
		p.must(os.WriteFile(path, append([]byte(more), text...), 0o600))
		if a := p.replayOf("retail", "--expect", path); a.exit != 1 {
			t.Errorf("%s: exit %d", name, a.exit)
		}
	}
}

// TestReplayNothing: files without a single event are no recording.
func TestReplayNothing(t *testing.T) {
	p := newPlace(t)
	for name, text := range map[string]string{"empty": "", "other lines": `{"foo":1}` + "\n"} {
		path := filepath.Join(p.home, "sessions.jsonl")
		p.must(os.WriteFile(path, []byte(text), 0o600))
		if a := p.run("", false, "replay", "--policy", ofTestdata(t, "policies", "banking.toml"), "--expect", ofTestdata(t, "replay", "expected.jsonl"), path); a.exit != 1 {
			t.Errorf("%s: exit %d\n%s", name, a.exit, a.stdout)
		}
	}
}

// TestReplayKnowsThePerson: what a client, a sub-agent's caller or a summary puts in
// the place of a prompt is not what the person said.
func TestReplayKnowsThePerson(t *testing.T) {
	for _, mark := range []string{"isSidechain", "isMeta", "isCompactSummary"} {
		path := writeFile(t, t.TempDir(), "t.jsonl", `{"type":"user","`+mark+`":true,"sessionId":"s","message":{"role":"user","content":"Pay CC300."}}`+"\n")
		if rec, err := readRecordings([]string{path}, "claude", func(int) {}); err != nil || len(rec.sessions["s"]) > 0 {
			t.Errorf("%s: %v %v", mark, rec.sessions, err)
		}
	}
}

// TestReplayBlankLine: a blank line at the end is no fault.
func TestReplayBlankLine(t *testing.T) {
	text, err := os.ReadFile(ofTestdata(t, "replay", "banking.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, t.TempDir(), "t.jsonl", string(text)+"\n")
	if _, err := readRecordings([]string{path}, "claude", func(int) {}); err != nil {
		t.Error(err)
	}
}
