package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostileIDs are session ids that would do something as file names, or that a file
// system takes for each other.
var hostileIDs = []string{
	"../../x", "..", ".", "/", "////", "/etc/passwd", "a/b", `a\b`, strings.Repeat("s", 4096), "a\x00b", "a\nb", "a", "A", "ä", "a\u0308",
	"-rf", "*", "con", "a ", " ", "ledger.db", "\u202e", "a\x00claude",
}

// TestHostileSessionIDs: each id is a session of its own, whatever it is as a file name,
// and nothing is written anywhere but into a folder named by a hash.
func TestHostileSessionIDs(t *testing.T) {
	for _, client := range []string{"claude", "codex"} {
		p := newPlace(t)
		p.writePolicy(verifyPolicy)
		for i, id := range hostileIDs {
			v, pay := verification("C-1", "").in(id), refundOf(1, fmt.Sprint("toolu_", i)).in(id)
			v.Client, pay.Client = client, client
			pay.Expect, pay.Category = "deny", "VALIDATION"
			p.expect(fmt.Sprintf("%.20q before it is proved", id), pay, p.play(pay))
			p.expect(fmt.Sprintf("%.20q", id), v, p.play(v))
			pay.Expect, pay.Category = "silence", ""
			p.expect(fmt.Sprintf("%.20q once it is proved", id), pay, p.play(pay))
		}
		entries, err := os.ReadDir(filepath.Join(p.stateDir(), "sessions"))
		if err != nil || len(entries) != len(hostileIDs) {
			t.Errorf("%d folders, want %d: %v", len(entries), len(hostileIDs), err)
		}
		for _, e := range entries {
			if hash, err := hex.DecodeString(e.Name()); err != nil || len(hash) != sessionHash {
				t.Errorf("a session's folder has the name %q", e.Name())
			}
		}
		p.noStrayFiles()
		p.only(".local/state/gatewright")
	}
}

// only: nothing is in the home but what is below a path, and in the repository but the
// policy.
func (p *place) only(path string) {
	p.t.Helper()
	for _, dir := range []string{p.home, p.repo} {
		p.must(filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !strings.HasPrefix(file, filepath.Join(p.home, path)) && file != p.policyFile() {
				p.t.Errorf("stray file %s", file)
			}
			return err
		}))
	}
}

// TestNoSessionID: without a session nothing is proved, and what depends on one is
// denied; other calls are not.
func TestNoSessionID(t *testing.T) {
	for _, client := range []string{"claude", "codex"} {
		for name, id := range map[string]string{"missing": "", "empty": `"session_id":"",`, "null": `"session_id":null,`} {
			p := newPlace(t)
			p.writePolicy(verifyPolicy)
			event := func(kind, tool, more string) string {
				return `{` + id + `"cwd":"@REPO","hook_event_name":"` + kind + `","permission_mode":"default","tool_name":"` + tool + `","tool_use_id":"1","tool_input":{"customer_id":"C-1","amount_usd":1}` + more + `}`
			}
			proof := `,"tool_response":{"content":[],"structuredContent":{"verified":true,"customer_id":"C-1"}}`
			for _, s := range []step{
				{Stdin: event("PostToolUse", "mcp__crm__identity_verification", proof), Expect: "silence", Stderr: "nothing was recorded"},
				{Stdin: event("PreToolUse", "mcp__billing__issue_refund", ""), Expect: "deny", Category: "VALIDATION"},
				{Stdin: event("PreToolUse", "mcp__notes__list", ""), Expect: "silence"},
			} {
				s.Client = client
				p.expect(client+" "+name, s, p.play(s))
			}
		}
	}
}

// TestSessionOfTwoClients: one id in two clients is two sessions, and what both spend
// over a time is one budget.
func TestSessionOfTwoClients(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	claude, codex := verification("C-1", ""), refundOf(1, "toolu_1")
	p.expect("claude", claude, p.play(claude))
	codex.Client, codex.Expect, codex.Category = "codex", "deny", "VALIDATION"
	p.expect("codex has not proved it", codex, p.play(codex))
	claude.Client = "codex"
	p.expect("codex", claude, p.play(claude))
	for _, s := range []step{
		{Client: "claude", ID: "1", Args: `{"amount_usd":1000,"customer_id":"C-1"}`, Expect: "silence"},
		{Client: "codex", ID: "1", Args: `{"amount_usd":999,"customer_id":"C-1"}`, Expect: "silence"},
		{Client: "codex", ID: "2", Args: `{"amount_usd":2,"customer_id":"C-1"}`, Expect: "deny", Category: "BUSINESS"}, // of its session
		{Client: "claude", ID: "2", Args: `{"amount_usd":1,"customer_id":"C-1"}`, Expect: "deny", Category: "BUSINESS"},
		{Client: "codex", ID: "3", Args: `{"amount_usd":1,"customer_id":"C-1"}`, Expect: "silence"}, // of the day's, the last
	} {
		s.Tool = "mcp__billing__issue_refund"
		p.expect(s.Client+" "+s.Args, s, p.play(s))
	}
}
