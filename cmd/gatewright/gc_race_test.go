//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestGCAtOnce: several gc at a time remove each session once, and none of them fails in
// another way than by saying that one is at work.
func TestGCAtOnce(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	for i := range 30 {
		p.must(os.MkdirAll(p.sessionFolder(fmt.Sprint("old", i)), 0o700))
		p.age(fmt.Sprint("old", i), month)
	}
	answers := make([]answer, 6)
	var wait sync.WaitGroup
	for i := range answers {
		wait.Go(func() { answers[i] = p.run("", false, "gc") })
	}
	wait.Wait()
	removed := 0
	for _, a := range answers {
		removed += strings.Count(a.stdout, ", last used")
		if a.exit != 0 && !strings.Contains(a.stderr, errSweeping.Error()) {
			t.Errorf("%+v", a)
		}
	}
	if removed != 30 {
		t.Errorf("%d were removed, not 30", removed)
	}
	p.hold(filepath.Join(p.stateDir(), "sessions"))
	if a := p.run("", false, "gc"); a.exit != 1 || !strings.Contains(a.stderr, errSweeping.Error()) {
		t.Errorf("beside another one: %+v", a)
	}
}

// TestGCAndHooks: a session at work is left alone; and if the clock jumps, so that gc
// takes it for an old one, no more is spent in it than its limit.
func TestGCAndHooks(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(gcPolicy)
	v := verification("C-1", "")
	p.expect("verify", v, p.play(v))
	p.age("s-1", month)
	unlock := p.lockSession()
	if a := p.run("", false, "gc"); a.exit != 0 || strings.Contains(a.stdout, ", last used") {
		t.Errorf("gc took a session that is locked: %+v", a)
	}
	unlock()
	p.must(os.Chtimes(p.sessionFolder("s-1"), time.Now(), time.Now()))

	jumped := *p
	jumped.env = append(append([]string(nil), p.env...), "TEST_CLOCK=1000h")
	passed := make([]answer, 20)
	var wait sync.WaitGroup
	for i := range passed {
		wait.Go(func() {
			s := refundOf(100, fmt.Sprint("toolu_", i))
			passed[i] = p.play(s)
		})
		if i%5 == 2 {
			wait.Go(func() { jumped.run("", false, "gc") })
		}
	}
	wait.Wait()
	silent := 0
	for _, a := range passed {
		switch shape, _ := shapeOf(a); shape {
		case "silence":
			silent++
		case "deny":
		default:
			t.Errorf("%s: %+v", shape, a)
		}
	}
	if silent > 10 {
		t.Errorf("%d refunds of 100 passed", silent)
	}
}
