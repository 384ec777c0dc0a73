package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

// opened is an absolute path that a program has opened.
var opened = regexp.MustCompile(`open(?:at)?\((?:AT_FDCWD, )?"(/[^"]*)"[^)]*\) = \d`)

// opens gives the files that a call opens in the state folder and the repository, as
// strace sees them. Names that are digests or dates are left out.
func (p *place) opens(strace string, s step) []string {
	p.t.Helper()
	program, err := exec.LookPath("gatewright")
	p.must(err)
	trace := filepath.Join(p.t.TempDir(), "trace")
	cmd := exec.Command(strace, "-f", "-qq", "-e", "trace=open,openat", "-o", trace, program, "hook", "claude")
	cmd.Env, cmd.Dir, cmd.Stdin = p.env, p.repo, strings.NewReader(p.stdin(s))
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(trace)
	p.must(err)
	digests := regexp.MustCompile(`[0-9a-f]{32}|policy-[0-9a-f]{8}|\d{4}-\d\d-\d\d`)
	var files []string
	for _, m := range opened.FindAllStringSubmatch(string(text), -1) {
		for _, root := range []string{p.stateDir(), p.repo} {
			if rel, err := filepath.Rel(root, m[1]); err == nil && filepath.IsLocal(rel) {
				files = append(files, strings.ReplaceAll(digests.ReplaceAllString(rel, "*"), "sessions/*/*", "sessions/*/policy-*"))
			}
		}
	}
	return files
}

const workPolicy = `version = 1
[[fact]]
id = "verified"
from = ["mcp__crm__verify"]
where = 'past.result.ok == true'
[[gate]]
id = "verify-first"
tools = ["close_account"]
needs = ["verified"]
[[limit]]
id = "cap-a-day"
tools = ["process_refund"]
amount = "amount_usd"
max = "1000"
per = "24h"
[[rule]]
id = "no"
effect = "deny"
match = { tool = ["drop_table"] }
`

// TestOpens: a call reads what it needs and nothing else. A ledger is looked at before it
// is opened, and so is the session's when money is spent, which may be frozen.
func TestOpens(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: there is no strace that could tell which files are opened")
	}
	const file = ".gatewright/policy.toml"
	read := step{Tool: "Read", Args: `{"file_path":"/x"}`}
	refund := step{Tool: "mcp__billing__process_refund", Args: `{"amount_usd":1}`}
	verify := step{Event: "PostToolUse", Tool: "mcp__crm__verify", Args: `{}`, Response: `[{"type":"text","text":"{\"ok\":true}"}]`}
	p := newPlace(t)
	if out, err := exec.Command(strace, "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: strace cannot trace here: %s", out)
	}
	expect := func(what string, s step, want ...string) {
		t.Helper()
		if got := p.opens(strace, s); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	expect("no policy", read, ".git")
	p.writePolicy(workPolicy)
	for range 2 { // the key and the forms are there then
		for _, s := range []step{read, refund, verify} {
			p.play(s)
		}
	}
	always := []string{".git", file, "policies/*", "key", "sessions/*/policy-*"}
	judged := append(slices.Clip(always), "key")
	const audit, session, spend = "audit/*.jsonl", "sessions/*", "spend"
	expect("silence", read, append(judged, audit)...)
	expect("deny", step{Tool: "mcp__db__drop_table", Args: `{}`}, append(judged, audit)...)
	expect("gate", step{Tool: "close_account", Args: `{}`}, append(judged, session, session+"/ledger.db", session+"/ledger.db", audit)...)
	expect("limit", refund, append(judged, spend, spend+"/ledger.db", spend+"/ledger.db", session, session+"/ledger.db", session+"/ledger.db", audit)...)
	expect("fact", verify, append(judged, session, session+"/ledger.db", session+"/ledger.db", audit)...)
}

// TestDecides: what judging a call takes does not grow with the rules that are about
// other tools.
func TestDecides(t *testing.T) {
	for _, rules := range []int{50, 500} {
		text := workPolicy
		for i := range rules {
			text += fmt.Sprintf("[[rule]]\nid = \"r%d\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__s%d__delete_*\"], arg = [{ path = \"a\", eq = true }] }\n", i, i)
		}
		l, err := policy.Parse(policy.Repo, "/repo/.gatewright/policy.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		ev := hooks.Event{Kind: hooks.PreToolUse, Client: "claude", Session: "s", Tool: "Read", Args: []byte(`{"file_path":"/x"}`)}
		set := &policy.Set{Layers: []*policy.Layer{l}}
		if got := testing.AllocsPerRun(20, func() { gate.Decide(set, gate.Context{}, gate.Facts{}, ev) }); got > float64(40+4*rules) {
			t.Errorf("%d rules: %v allocations", rules, got)
		}
	}
}
