package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// person is what a person at a terminal can do; the terminal itself is checked
// by the release script.
func (p *place) person() (releaser, *bytes.Buffer) {
	out := &bytes.Buffer{}
	return releaser{dir: p.stateDir(), stdout: out}, out
}

// TestRelease: what is given back can be spent again, from both books.
func TestRelease(t *testing.T) {
	for _, per := range []string{"session", "24h"} {
		p := newPlace(t)
		p.writePolicy(capPolicy + `per = "` + per + `"`)
		first, second := refundOf(600, "toolu_1"), refundOf(600, "toolu_2")
		first.Expect, second.Expect = "silence", "deny"
		p.expect("first", first, p.play(first))
		p.expect("second", second, p.play(second))

		r, out := p.person()
		p.must(r.list())
		rows := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(rows) != 2 {
			t.Fatalf("%s: %s", per, out)
		}
		name := strings.Fields(rows[1])[0]
		if !strings.Contains(strings.Join(p.auditLines(), "\n"), `"reserved":["`+name+`"]`) {
			t.Errorf("the audit does not name %s", name)
		}
		p.must(r.release(name))
		if err := r.release(name); err == nil {
			t.Error("released twice")
		}
		second.Expect = "silence"
		p.expect("after the release", second, p.play(second))
	}
}

// TestReopen: a session in which other arguments ran than were checked stays
// closed until a person opens it, and the larger amount counts.
func TestReopen(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(capPolicy + `per = "session"`)
	check, ran, next := refundOf(100, "toolu_1"), refundOf(700, "toolu_1"), refundOf(300, "toolu_2")
	ran.Event, ran.Response = "PostToolUse", `"ok"`
	check.Expect = "silence"
	p.expect("check", check, p.play(check))
	if a := p.play(ran); !strings.Contains(a.stdout, "ran with other arguments") {
		t.Errorf("the model is not told: %+v", a)
	}
	next.Expect, next.Category = "deny", "PERMISSION"
	p.expect("closed", next, p.play(next))

	r, _ := p.person()
	p.must(r.reopen("s-1"))
	next.Expect, next.Category = "silence", ""
	p.expect("open again", next, p.play(next))
	more := refundOf(1, "toolu_3")
	more.Expect = "deny"
	p.expect("700 and 300 are spent", more, p.play(more))
	if err := r.reopen("nobody"); err == nil {
		t.Error("an unknown session was reopened")
	}
}

// TestReopenDamaged: a ledger that cannot be read is set aside, not deleted.
func TestReopenDamaged(t *testing.T) {
	for _, size := range []int64{100, 6000, 8192, 12288} {
		t.Run(fmt.Sprint("cut to ", size), func(t *testing.T) {
			reopenDamaged(t, func(file string) error { return os.Truncate(file, size) })
		})
	}
	t.Run("garbage", func(t *testing.T) {
		reopenDamaged(t, func(file string) error {
			return os.WriteFile(file, bytes.Repeat([]byte("x"), 32<<10), 0o600)
		})
	})
}

func reopenDamaged(t *testing.T, damage func(file string) error) {
	p := newPlace(t)
	p.writePolicy(verifyPolicy)
	v := verification("C-1", "")
	p.expect("verify", v, p.play(v))
	file := p.sessionFile("claude", "s-1")
	p.must(damage(file))
	s := refundOf(20, "toolu_09")
	s.Expect, s.Category = "deny", "TRANSIENT"
	p.expect("damaged", s, p.play(s))

	r, out := p.person()
	p.must(r.reopen("s-1"))
	aside, err := filepath.Glob(file + ".damaged-*")
	if err != nil || len(aside) != 1 || !strings.Contains(out.String(), "set aside") {
		t.Errorf("%v %v %s", aside, err, out)
	}
	s.Category = "VALIDATION"
	p.expect("nothing is proved", s, p.play(s))
	p.expect("verify again", v, p.play(v))
	s.Expect, s.Category = "silence", ""
	p.expect("proved", s, p.play(s))
}
