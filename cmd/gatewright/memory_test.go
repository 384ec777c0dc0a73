package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

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

const verifyPolicy = `version = 1
[[fact]]
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

// TestB26Facts: twenty processes record at the same time; nothing is lost and no
// lock or temporary file is left.
func TestB26Facts(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(verifyPolicy)
	var posts []step
	for i := range 20 {
		posts = append(posts, verification(fmt.Sprintf("C-%02d", i), []string{"sub-1", ""}[i%2]))
	}
	reportCase{Steps: posts, Pass: 20}.runAtOnce(p)
	for i := range 20 {
		s := step{Tool: "mcp__billing__issue_refund", Args: fmt.Sprintf(`{"amount_usd":20,"customer_id":"C-%02d"}`, i), Expect: "silence"}
		p.expect(s.Args, s, p.play(s))
	}
	p.noStrayFiles()
}

// noStrayFiles allows what the state folder is made of and nothing else.
func (p *place) noStrayFiles() {
	p.t.Helper()
	p.must(filepath.WalkDir(p.stateDir(), func(path string, d os.DirEntry, err error) error {
		name := d.Name()
		if err == nil && !d.IsDir() && name != "key" && name != ledger.FileName && name != policyName && filepath.Ext(name) != ".jsonl" {
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

// TestB26Audit: fifty denials at the same time leave fifty whole lines.
func TestB26Audit(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(capPolicy)
	var calls []step
	for i := range 50 {
		calls = append(calls, refundOf(9000, fmt.Sprintf("toolu_%02d", i)))
	}
	reportCase{Steps: calls, Pass: 0}.runAtOnce(p)
	seen := map[string]bool{}
	for _, line := range p.auditLines() {
		if !gjson.Valid(line) || gjson.Get(line, "verdict").Str != "deny" || gjson.Get(line, "rules.0.id").Str != "cap" {
			t.Errorf("bad line %s", line)
		}
		if strings.Contains(line, "9000") || strings.Contains(line, "C-1") {
			t.Errorf("an argument's value is in the audit: %s", line)
		}
		seen[gjson.Get(line, "tool_use_id").Str] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d lines with an id of their own, want 50", len(seen))
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

// hookIn runs a hook in this process, with a deadline of its own. It also
// returns the channel on which a worker that was too late ends.
func (p *place) hookIn(s step, deadline time.Duration, stdin io.Reader) (answer, <-chan hooks.Output) {
	h, err := parseHook([]string{"claude"})
	p.must(err)
	h.stdin, h.env, h.start, h.deadline = stdin, p.env, time.Now(), deadline
	var stdout, stderr bytes.Buffer
	exit := h.run(&stdout, &stderr)
	return answer{exit, stdout.String(), stderr.String()}, h.answers
}

// lockSession holds the session's lock as another process would.
func (p *place) lockSession() (unlock func()) {
	dir, err := os.Open(filepath.Dir(p.sessionFile("claude", "s-1")))
	p.must(err)
	p.must(unix.Flock(int(dir.Fd()), unix.LOCK_EX))
	return func() { p.must(dir.Close()) }
}

// TestLockHeld: while another process holds a session's lock, calls that depend
// on the session are denied at the deadline, and all others are answered.
func TestLockHeld(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(verifyPolicy)
	v := verification("C-1", "")
	p.expect("verify", v, p.play(v))
	unlock := p.lockSession()

	s := refundOf(20, "toolu_09")
	s.Expect, s.Category = "deny", "TRANSIENT"
	gated, lateGated := p.hookIn(s, 50*time.Millisecond, strings.NewReader(p.stdin(s)))
	p.expect("gated", s, gated)
	other := step{Tool: "Read", Args: "{}", Expect: "silence"}
	free, _ := p.hookIn(other, time.Minute, strings.NewReader(p.stdin(other)))
	p.expect("other", other, free)
	v.Stderr = "no answer within"
	post, latePost := p.hookIn(v, 50*time.Millisecond, strings.NewReader(p.stdin(v)))
	p.expect("post", v, post)

	if lines := strings.Join(p.auditLines(), "\n"); strings.Count(lines, `"verdict":"deny"`) != 1 || !strings.Contains(lines, "no answer within") {
		t.Errorf("the denial is not in the audit: %s", lines)
	}
	unlock()
	<-lateGated
	<-latePost
	if lines := strings.Join(p.auditLines(), "\n"); strings.Count(lines, `"verdict"`) != 2 {
		t.Errorf("a call has two verdicts in the audit: %s", lines)
	}
}

// TestLateReservation: a call that was denied at the deadline reserves nothing
// afterwards.
func TestLateReservation(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(capPolicy + `per = "session"`)
	first := refundOf(1, "toolu_0")
	first.Expect = "silence"
	p.expect("first", first, p.play(first))
	unlock := p.lockSession()
	s := refundOf(900, "toolu_1")
	s.Expect, s.Category = "deny", "TRANSIENT"
	a, late := p.hookIn(s, 50*time.Millisecond, strings.NewReader(p.stdin(s)))
	p.expect("late", s, a)
	unlock()
	<-late
	s = refundOf(999, "toolu_2")
	s.Expect = "silence"
	p.expect("next", s, p.play(s))
}

// TestStdinStaysSilent: a client that never sends anything gets a denial at the
// deadline.
func TestStdinStaysSilent(t *testing.T) {
	p := newPlace(t)
	r, w := io.Pipe()
	s := step{Expect: "deny", Category: "TRANSIENT"}
	a, late := p.hookIn(s, 50*time.Millisecond, r)
	p.expect("silent", s, a)
	w.Close()
	<-late
}

// TestBrokenDecoder: whatever a decoder does instead of giving an event, the
// call is denied, without a trace.
func TestBrokenDecoder(t *testing.T) {
	decoders := map[string]func([]byte) (hooks.Event, error){
		"panic": func([]byte) (hooks.Event, error) { panic("boom") },
		"error": func([]byte) (hooks.Event, error) { return hooks.Event{}, errors.New("boom") },
	}
	for name, decode := range decoders {
		p := newPlace(t)
		h := &hook{client: hooks.Claude(), stdin: strings.NewReader(p.stdin(step{Tool: "Read"})), env: p.env, deadline: time.Minute}
		h.client.Decode = decode
		var stdout, stderr bytes.Buffer
		exit := h.run(&stdout, &stderr)
		s := step{Expect: "deny", Stderr: "boom"}
		p.expect(name, s, answer{exit, stdout.String(), stderr.String()})
		if lines := p.auditLines(); len(lines) != 1 || gjson.Get(lines[0], "verdict").Str != "deny" {
			t.Errorf("%s: audit %v", name, lines)
		}
	}
}

// TestKeyRace: processes that start at the same time agree on one key.
func TestKeyRace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	keys := make([]string, 16)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			key, err := installKey(dir)
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(key)
		})
	}
	wait.Wait()
	for _, k := range keys {
		if k != keys[0] || len(k) != keySize {
			t.Fatal("the processes have different keys")
		}
	}
}
