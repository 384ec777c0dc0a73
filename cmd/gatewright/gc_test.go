package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewright/gate/ledger"
)

const gcPolicy = verifyPolicy + `[[limit]]
id = "session"
tools = ["issue_refund"]
amount = "amount_usd"
max = "1000"
per = "session"
[[limit]]
id = "day"
tools = ["issue_refund"]
amount = "amount_usd"
max = "2000"
per = "24h"
`

// age makes everything in a session's folder so old.
func (p *place) age(session string, by time.Duration) {
	p.t.Helper()
	then := time.Now().Add(-by)
	p.must(filepath.WalkDir(p.sessionFolder(session), func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, then, then)
	}))
}

func (p *place) sessionFolder(session string) string {
	return sessionDirOf(p.stateDir(), "claude", session)
}

// in makes a step one of a session.
func (s step) in(session string) step {
	s.Session = session
	return s
}

const month = 31 * 24 * time.Hour

// sessionsOfAllKinds leaves a session of each kind, all but "new" so old that they have
// expired.
func (p *place) sessionsOfAllKinds() {
	v, pay := verification("C-1", ""), refundOf(100, "toolu_1")
	pay.Expect = "silence"
	done := pay
	done.Event, done.Response = "PostToolUse", `"ok"`
	other := done
	other.Args, other.Expect = `{"amount_usd":101,"customer_id":"C-1"}`, "context"
	for name, steps := range map[string][]step{
		"new": {v}, "proved": {v}, "spent": {v, pay, done}, "unsettled": {v, pay}, "closed": {v, pay, other}, "damaged": {v},
	} {
		for _, s := range steps {
			p.expect(name, s, p.play(s.in(name)))
		}
	}
	p.must(os.Truncate(filepath.Join(p.sessionFolder("damaged"), ledger.FileName), 8192))
	for name, note := range map[string]string{"noted": "policy-12345678", "answered": answererName, "missed": unreadName + "1"} {
		p.must(os.MkdirAll(p.sessionFolder(name), 0o700))
		p.must(os.WriteFile(filepath.Join(p.sessionFolder(name), note), []byte("x"), 0o600))
	}
	for _, name := range []string{"proved", "spent", "unsettled", "closed", "damaged", "noted", "answered", "missed"} {
		p.age(name, month)
	}
}

// TestGC removes what has expired, says so, and leaves what must not be forgotten.
func TestGC(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	p.sessionsOfAllKinds()
	outside := filepath.Join(p.home, "outside")
	p.must(os.MkdirAll(outside, 0o700))
	p.must(os.WriteFile(filepath.Join(outside, "file"), nil, 0o600))
	p.must(os.Symlink(outside, filepath.Join(p.stateDir(), "sessions", strings.Repeat("ab", 16))))
	long := time.Now().Add(-month)
	p.must(os.Chtimes(filepath.Join(outside, "file"), long, long))
	p.must(os.Chtimes(outside, long, long))

	before := p.tree()
	dry := p.run("", false, "gc", "--dry-run")
	if now := p.tree(); now != before || dry.exit != 0 {
		t.Errorf("--dry-run changed something: %+v", dry)
	}
	if a := p.run("", false, "gc", "--older-than", "90d"); a.exit != 0 || p.tree() != before {
		t.Errorf("--older-than 90d: %+v", a)
	}
	real := p.run("", false, "gc")
	if want := strings.ReplaceAll(dry.stdout, "would remove", "removed"); sorted(real.stdout) != sorted(want) || real.exit != 0 {
		t.Errorf("%+v, but --dry-run said\n%s", real, dry.stdout)
	}
	for name, part := range map[string]string{"unsettled": ledger.ErrUnsettled.Error(), "closed": ledger.ErrClosed.Error(), "damaged": ledger.ErrDamaged.Error(),
		"proved": "removed", "spent": "removed", "noted": "removed"} {
		line := lineWith(real.stdout, filepath.Base(p.sessionFolder(name)))
		if !strings.Contains(line, part) {
			t.Errorf("%s: %q lacks %q", name, line, part)
		}
		if _, err := os.Stat(p.sessionFolder(name)); (err == nil) != (part != "removed") {
			t.Errorf("%s: its folder: %v", name, err)
		}
	}
	for name, file := range map[string]string{"answered": answererName, "missed": unreadName + "1", "new": ledger.FileName, "unsettled": ledger.FileName} {
		if _, err := os.Stat(filepath.Join(p.sessionFolder(name), file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(outside, "file")); err != nil {
		t.Error("a folder that is not ours was emptied", err)
	}
	for _, wrong := range []string{"1h", "x", "-3d"} {
		if a := p.run("", false, "gc", "--older-than", wrong); a.exit == 0 {
			t.Errorf("--older-than %s was taken", wrong)
		}
	}
}

// tree lists all files of the state with their sizes.
func (p *place) tree() string {
	var out strings.Builder
	p.must(filepath.WalkDir(p.stateDir(), func(path string, d os.DirEntry, err error) error {
		if info, infoErr := d.Info(); infoErr == nil {
			fmt.Fprintln(&out, path, info.Size(), info.ModTime())
		}
		return err
	}))
	return out.String()
}

// TestExpired: a session that was removed begins with nothing proved, and nothing that
// depends on what it had spent passes, until a person reopens it. The limits over a
// time go on.
func TestExpired(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	p.sessionsOfAllKinds()
	p.run("", false, "gc")
	pay, v, read := refundOf(950, "toolu_7").in("spent"), verification("C-1", "").in("spent"), step{Tool: "Read", Args: "{}", Expect: "silence"}.in("spent")
	pay.Expect, pay.Category, pay.Stderr = "deny", "PERMISSION", "start a new session"
	p.expect("a refund in it", pay, p.play(pay))
	v.Stderr = "start a new session"
	p.expect("a proof in it", v, p.play(v))
	p.expect("the refund again", pay, p.play(pay))
	p.expect("another call", read, p.play(read))

	person, out := p.person()
	p.must(person.reopen("spent"))
	if !strings.Contains(out.String(), "reopened") {
		t.Error(out)
	}
	pay.Category, pay.Stderr, v.Stderr = "VALIDATION", "", ""
	p.expect("a person has reopened it", pay, p.play(pay))
	p.expect("proved anew", v, p.play(v))
	pay.Expect, pay.Category = "silence", ""
	p.expect("its own budget begins anew", pay, p.play(pay))
	v = verification("C-1", "").in("fresh")
	p.expect("another session", v, p.play(v))
	pay = refundOf(750, "toolu_8").in("fresh")
	pay.Expect, pay.Contains = "deny", []string{`"rule":"day"`} // 100 three times and 950 are spent
	p.expect("the day's budget does not", pay, p.play(pay))
}

// TestExpiredReads: what only reads the memory of a session that was removed is denied, too:
// a fact that would have closed a gate, a call that failed before.
func TestExpiredReads(t *testing.T) {
	p := newPlace(t)
	p.writePolicy("version = 1\n[[fact]]\nid = \"fraud\"\nfrom = [\"mcp__crm__flag\"]\n" +
		"[[gate]]\nid = \"no-fraud\"\ntools = [\"mcp__pay__wire\"]\nunless = [\"fraud\"]\n" +
		"[retry]\ntools = [\"mcp__shop__*\"]\nafter = \"1000h\"\n")
	flag := step{Event: "PostToolUse", Tool: "mcp__crm__flag", Args: `{}`, Response: `[{"type":"text","text":"{\"ok\":true}"}]`}
	wire := step{Tool: "mcp__pay__wire", Args: `{}`, Expect: "deny"}
	failed := step{Event: "PostToolUseFailure", Tool: "mcp__shop__buy", Args: `{}`, Error: `{"status":404}`}
	buy := step{Tool: "mcp__shop__buy", Args: `{}`, Expect: "deny"}
	p.play(flag)
	p.play(failed)
	p.expect("flagged", wire, p.play(wire))
	p.expect("failed before", buy, p.play(buy))
	p.age("s-1", month)
	p.run("", false, "gc")
	wire.Stderr, buy.Stderr = "start a new session", "start a new session"
	p.expect("flagged, and removed", wire, p.play(wire))
	p.expect("failed before, and removed", buy, p.play(buy))
}

// TestTidyUp: the beginning of a session removes some of what has expired, at most once
// a day. Calls never do.
func TestTidyUp(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	old := func(n int) {
		for i := range n {
			p.must(os.MkdirAll(p.sessionFolder(fmt.Sprint("old", i)), 0o700))
			p.age(fmt.Sprint("old", i), month)
		}
	}
	left := func() int {
		entries, err := os.ReadDir(filepath.Join(p.stateDir(), "sessions"))
		p.must(err)
		return len(entries)
	}
	old(60)
	v, pay := verification("C-1", ""), refundOf(1, "toolu_1")
	pay.Expect = "silence"
	p.expect("verify", v, p.play(v))
	p.expect("pay", pay, p.play(pay))
	if left() != 61 {
		t.Fatal("a call tidied up", left())
	}
	start := step{Event: "SessionStart", Source: "startup", Expect: "notice"}
	p.expect("start", start, p.play(start))
	if got := left(); got != 61-sweepMost {
		t.Errorf("%d are left", got)
	}
	p.expect("start", start, p.play(start))
	if got := left(); got != 61-sweepMost {
		t.Errorf("%d are left: it tidied up again", got)
	}
	tomorrow := time.Now().Add(-25 * time.Hour)
	p.must(os.Chtimes(filepath.Join(p.stateDir(), sweptName), tomorrow, tomorrow))
	v = v.in("reader")
	p.expect("verify", v, p.play(v))
	p.age("reader", month)
	start = start.in("reader")
	p.expect("start", start, p.play(start))
	if got := left(); got != 2 {
		t.Errorf("%d are left the next day", got)
	}
	pay = refundOf(1, "toolu_2").in("reader")
	pay.Expect = "silence"
	p.expect("the session that goes on is none of them", pay, p.play(pay))
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

func sorted(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestTidyUpGoesOn: sessions of which only what makes them stricter is left do not keep
// others from being removed, a pipe in the place of a note holds nobody up, and forms of
// policies that are old go.
func TestTidyUpGoesOn(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	for i := range 120 {
		name := fmt.Sprint("old", i)
		p.must(os.MkdirAll(p.sessionFolder(name), 0o700))
		p.must(os.WriteFile(filepath.Join(p.sessionFolder(name), answererName), []byte("x"), 0o600))
		p.must(os.WriteFile(filepath.Join(p.sessionFolder(name), "policy-00000000"), []byte("x"), 0o600))
		p.age(name, month)
	}
	old := filepath.Join(p.stateDir(), "policies", "old")
	p.must(os.MkdirAll(filepath.Dir(old), 0o700))
	p.must(os.WriteFile(old, nil, 0o600))
	past := time.Now().Add(-month)
	p.must(os.Chtimes(old, past, past))
	first := p.run("", false, "gc")
	for i := range 120 {
		p.age(fmt.Sprint("old", i), month)
	}
	second := p.run("", false, "gc")
	if !strings.Contains(first.stdout, "removed 120 sessions") || !strings.Contains(second.stdout, "removed 0 sessions") {
		t.Errorf("%.300s\n%.300s", first.stdout, second.stdout)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an old form is still there")
	}
	swept := filepath.Join(p.stateDir(), sweptName)
	p.must(os.RemoveAll(swept))
	if mkfifo(swept) != nil {
		return
	}
	start := step{Event: "SessionStart", Source: "startup", Expect: "notice"}
	p.expect("a pipe", start, p.play(start))
}
