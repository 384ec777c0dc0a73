package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"gatewright/gate/ledger"
	"gatewright/hooks"
)

const capPolicy = `version = 1
[[limit]]
id = "cap"
tools = ["issue_refund"]
amount = "amount_usd"
max = "1000"
`

func refundOf(amount int, id string) step {
	return step{Tool: "mcp__billing__issue_refund", ID: id, Args: fmt.Sprintf(`{"amount_usd":%d,"customer_id":"C-1"}`, amount)}
}

// TestParallelRefunds: of two refunds of 600 at the same time under a session
// limit of 1000, exactly one passes.
func TestParallelRefunds(t *testing.T) {
	for range 50 {
		p := newPlace(t)
		p.writePolicy(capPolicy + `per = "session"`)
		reportCase{
			Steps: []step{refundOf(600, "toolu_1"), refundOf(600, "toolu_2")},
			Pass:  1,
		}.runAtOnce(p)
	}
}

// TestDayAcrossClients: a limit over a day is one budget for both clients.
func TestDayAcrossClients(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(capPolicy + `per = "24h"`)
	first, second := refundOf(600, "toolu_1"), refundOf(600, "call_1")
	second.Client, second.Session = "codex", "c-1"
	first.Expect, second.Expect = "silence", "deny"
	p.expect("claude", first, p.play(first))
	p.expect("codex", second, p.play(second))
	second.Args, second.Expect = `{"amount_usd":400}`, "silence"
	p.expect("codex within", second, p.play(second))
}

// TestDayThroughALink: a repository that is reached through a link has no second
// budget.
func TestDayThroughALink(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(capPolicy + `per = "24h"`)
	first := refundOf(600, "toolu_1")
	first.Expect = "silence"
	p.expect("direct", first, p.play(first))
	link := p.repo + "-link"
	p.must(os.Symlink(p.repo, link))
	p.repo = link
	second := refundOf(600, "toolu_2")
	second.Expect = "deny"
	p.expect("through the link", second, p.play(second))
}

const verifyPolicy = "version = 1\n" + verifyTables

const verifyTables = `[[fact]]
id = "verified"
from = ["mcp__crm__identity_verification"]
where = "past.result.verified == true and past.result.customer_id == args.customer_id"
[[gate]]
id = "verify-first"
tools = ["issue_refund"]
needs = ["verified"]
`

func verification(customer, agent string) step {
	return step{
		Event: "PostToolUse", Tool: "mcp__crm__identity_verification", ID: "toolu_08", Agent: agent,
		Args:     fmt.Sprintf(`{"customer_id":%q}`, customer),
		Response: fmt.Sprintf(`{"content":[],"structuredContent":{"verified":true,"customer_id":%q}}`, customer),
		Expect:   "silence",
	}
}

// noStrayFiles allows what the state folder is made of and nothing else.
func (p *place) noStrayFiles() {
	p.t.Helper()
	p.must(filepath.WalkDir(p.stateDir(), func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		if err == nil && !d.IsDir() && name != "key" && name != sweptName && filepath.Ext(name) != ".expired" && name != ledger.FileName && !strings.HasPrefix(name, policyName) && filepath.Ext(name) != ".jsonl" && !(filepath.Base(filepath.Dir(path)) == "policies" && name[0] != '.') {
			p.t.Errorf("stray file %s", path)
		}
		return err
	}))
}

// TestB26Torn: a ledger that cannot be read is no evidence, and it stays as it
// is until a person sets it aside.
func TestB26Torn(t *testing.T) {
	for _, size := range []int64{0, 1, 100, 4096, 8192, 12288} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			p := newPlace(t)
			p.writePolicy(verifyPolicy)
			v := verification("C-1", "")
			p.expect("verify", v, p.play(v))
			file := p.sessionFile("claude", "s-1")
			p.must(os.Truncate(file, size))
			s := refundOf(20, "toolu_09")
			s.Expect, s.Category, s.Stderr = "deny", "TRANSIENT", "ledger.db"
			p.expect("refund", s, p.play(s))
			info, err := os.Stat(file)
			if err != nil || info.Size() != size {
				t.Errorf("the damaged file was touched: %v %v", info, err)
			}
		})
	}
}

func (p *place) sessionFile(client, session string) string {
	return filepath.Join(sessionDirOf(p.stateDir(), client, session), ledger.FileName)
}

// wholeLines: the audit tells so many calls apart in whole lines, and
// none has an argument's value.
func (p *place) wholeLines(want int) {
	p.t.Helper()
	seen := map[string]bool{}
	for _, line := range p.auditLines() {
		if !gjson.Valid(line) || hooks.Strict([]byte(line)) != nil {
			p.t.Errorf("bad line %s", line)
		}
		if strings.Contains(line, "9000") || strings.Contains(line, "C-") {
			p.t.Errorf("an argument's value is in the audit: %s", line)
		}
		if gjson.Get(line, "verdict").Str != "" {
			seen[gjson.Get(line, "tool_use_id").Str+" "+gjson.Get(line, "agent_id").Str] = true
		}
	}
	if len(seen) != want {
		p.t.Errorf("%d calls with an id of their own, want %d", len(seen), want)
	}
}

func (p *place) auditLines() []string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.stateDir(), "audit", "*.jsonl"))
	p.must(err)
	var lines []string
	for _, path := range files {
		text, err := os.ReadFile(path)
		p.must(err)
		lines = append(lines, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
	}
	return lines
}
