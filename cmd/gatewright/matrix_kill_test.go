//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gatewright/gate/ledger"
	"gatewright/install"
)

// newAsking is a place in which one client is registered.
func newAsking(t *testing.T, client string) *asking {
	a := &asking{newPlace(t), client, install.Shared()}
	a.writePolicy(matrixPolicy)
	a.installProgram()
	return a
}

// TestMatrixKilledBetween: money of a call that was let through stays reserved if the
// hook that should have settled it is killed.
func TestMatrixKilledBetween(t *testing.T) {
	for _, client := range []string{"claude", "codex"} {
		a := newAsking(t, client)
		a.record()
		paid := a.refund("C-1", 300, "toolu_50")
		done := paid
		done.Client, done.Event, done.Response = client, "PostToolUse", `{"content":[]}`
		if h := (fault{}).ask(a, paid); h.word != "silence" {
			t.Fatalf("%+v", h)
		}
		if h := a.askAndSignal(a.lineFor(done), "PostToolUse", []byte(a.stdin(done)), syscall.SIGKILL); h.word != "line" {
			t.Errorf("%s received %+v", client, h)
		}
		for amount, want := range map[int]string{101: "deny", 100: "silence"} {
			if h := (fault{}).ask(a, a.refund("C-1", amount, fmt.Sprint("toolu_", amount))); h.word != want {
				t.Errorf("%s: %d after 600 and 300: %+v, want %s", client, amount, h, want)
			}
		}
	}
}

// TestMatrixNobodyListens: a client that has closed its end of stdout receives nothing;
// the program ends without a trace, and what it has reserved stays reserved.
func TestMatrixNobodyListens(t *testing.T) {
	for _, client := range []string{"claude", "codex"} {
		a := newAsking(t, client)
		a.record()
		for amount, want := range map[int]string{9000: "deny", 300: "silence"} {
			s := a.refund("C-1", amount, fmt.Sprint("toolu_", amount))
			s.Client = client
			read, write, err := os.Pipe()
			a.must(errors.Join(err, read.Close()))
			cmd := exec.Command("gatewright", "hook", client)
			var stderr bytes.Buffer
			cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = a.env, a.repo, strings.NewReader(a.stdin(s)), write, &stderr
			_ = cmd.Run()
			a.must(write.Close())
			exit := cmd.ProcessState.ExitCode()
			if strings.Contains(stderr.String(), "goroutine ") || exit == 1 || want == "deny" && exit == 0 {
				t.Errorf("%s %d: exit %d, %s", client, amount, exit, stderr.String())
			}
		}
		if h := (fault{}).ask(a, a.refund("C-1", 101, "toolu_101")); h.word != "deny" {
			t.Errorf("%s: 101 after 600 and 300: %+v", client, h)
		}
	}
}

// writes are the system calls by which the program keeps something.
var writes = []string{"openat", "flock", "ftruncate", "pwrite64", "fdatasync", "fsync", "write", "linkat", "renameat", "unlinkat"}

// acts are what the program is killed at: to reserve, settle and prove, and to make the
// state in the first place.
var acts = []string{"reserve", "settle", "prove", "first"}

// TestMatrixKilled kills the program at each of its writes: what was acknowledged is
// there afterwards, what was not may be, no ledger is damaged, and the client never
// receives silence for a call whose reservation is not there.
func TestMatrixKilled(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil || exec.Command(strace, "-o", "/dev/null", "true").Run() != nil {
		t.Skip("SKIPPED: strace does not work here, so the program is not killed at each of its writes")
	}
	var killed sync.Map
	t.Run("acts", func(t *testing.T) {
		for i, act := range acts {
			for j, call := range writes {
				client := []string{"claude", "codex"}[(i+j)%2]
				t.Run(act+"/"+call, func(t *testing.T) {
					t.Parallel()
					killed.Store(act+" "+call, killAt(t, strace, act, call, client))
				})
			}
		}
	})
	total := 0
	for _, act := range acts {
		row := fmt.Sprintf("killed to %-8s", act)
		for _, call := range writes {
			times, _ := killed.Load(act + " " + call)
			n, _ := times.(int)
			row, total = row+fmt.Sprintf("  %s %d", call, n), total+n
		}
		t.Log(row)
	}
	if total < 40 {
		t.Errorf("killed %d times only: this looks at nothing", total)
	}
}

// killAt kills one kind of act at the first, second, … of one system call, and says how
// often.
func killAt(t *testing.T, strace, act, call, client string) (killed int) {
	a := newAsking(t, client)
	sure, perhaps := 0, 0 // reservations of 10
	if act != "first" {
		a.record()
	}
	for n := 1; n <= 6; n++ {
		s := a.refund("C-1", 10, fmt.Sprint("toolu_", n))
		switch act {
		case "settle":
			if h := (fault{}).ask(a, s); h.word != "silence" {
				t.Fatalf("%+v", h)
			}
			sure++
			s.Event, s.Response = "PostToolUse", `{"content":[]}`
		case "prove":
			s = a.ended(fmt.Sprint("D-", n), fmt.Sprint("toolu_", n))
		case "first":
			s.Tool, s.Args = "mcp__billing__issue_credit", `{"amount_usd":10}`
		}
		word := a.askKilled(strace, fmt.Sprintf("%s:signal=SIGKILL:when=%d", call, n), s).word
		if s.Event == "" && word == "silence" {
			sure++
		} else if s.Event == "" {
			perhaps++
		}
		a.count(act, call, n, sure, perhaps)
		if word != "line" {
			break // it does not make this call so often
		}
		killed++
	}
	if act != "first" && a.left(heard{stderr: "x"}) != kept {
		t.Error("what was recorded before is lost")
	}
	if act == "first" { // nothing that is left over is in the way
		if h := (fault{}).ask(a, a.ended("C-1", "toolu_99")); h.word != "silence" || h.stderr != "" {
			t.Errorf("after it: %+v", h)
		}
	}
	return killed
}

// askKilled gives an event to the line while strace kills the program.
func (a *asking) askKilled(strace, inject string, s step) heard {
	a.t.Helper()
	target, err := os.Readlink(a.program())
	a.must(err)
	a.must(os.Remove(a.program()))
	script := fmt.Sprintf("#!/bin/sh\nexec %s -f -qq -o /dev/null -e trace=%s -e inject=%s %s \"$@\"\n",
		strace, strings.Split(inject, ":")[0], inject, target)
	a.must(os.WriteFile(a.program(), []byte(script), 0o700))
	defer func() {
		a.must(os.Remove(a.program()))
		a.must(os.Symlink(target, a.program()))
	}()
	return fault{}.ask(a, s)
}

// count compares the reservations of 10 in both books with those that were
// acknowledged, and each book's sums with what they are the sums of.
func (a *asking) count(act, call string, n, sure, perhaps int) {
	a.t.Helper()
	books := map[string]string{"spend": filepath.Join(a.stateDir(), "spend")}
	if act != "first" {
		books["session"] = filepath.Dir(a.sessionFile(a.client, "s-1"))
	}
	for name, folder := range books {
		tens := 0
		err := withBook(folder, view, func(tx *ledger.Tx) (bool, error) {
			sums := map[string]*big.Rat{}
			err := tx.Holds(func(h ledger.Hold) error {
				if h.Amount == "10" {
					tens++
				}
				if sums[h.Window] == nil {
					sums[h.Window] = new(big.Rat)
				}
				amount, _ := new(big.Rat).SetString(h.Amount)
				sums[h.Window].Add(sums[h.Window], amount)
				return nil
			})
			for window, sum := range sums {
				total, wrong := tx.Spent(window, time.Time{})
				if kept, _ := new(big.Rat).SetString(total); wrong == nil && kept.Cmp(sum) != 0 {
					wrong = fmt.Errorf("the total of %s is %s, not %s", window, total, sum.FloatString(2))
				}
				err = errors.Join(err, wrong)
			}
			return false, err
		})
		if err != nil || tens < sure || tens > sure+perhaps {
			a.t.Errorf("%s, killed at %s %d: %d reservations in %s, acknowledged %d, perhaps %d more: %v", act, call, n, tens, name, sure, perhaps, err)
		}
	}
}
