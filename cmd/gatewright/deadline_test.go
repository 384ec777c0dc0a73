//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/install"
)

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
	return p.hold(filepath.Dir(p.sessionFile("claude", "s-1")))
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

// TestB31Timeout: the refusal is there at least a second before the client would stop
// waiting, whatever is slow.
func TestB31Timeout(t *testing.T) {
	if latest := deadline + 2*grace; install.Timeout < 10 || latest+time.Second > install.Timeout*time.Second {
		t.Errorf("the client waits %d s, and we may take %v", install.Timeout, latest)
	}
}
