package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatewright/gate/ledger"
)

// loadPolicy gives each customer a budget of three for the session, and all together one
// for the day that nobody reaches.
const loadPolicy = `version = 1
[[limit]]
id = "customer"
tools = ["issue_refund"]
amount = "amount_usd"
max = "3"
per = "session"
key = ["customer_id"]
[[limit]]
id = "day"
tools = ["issue_refund"]
amount = "amount_usd"
max = "1000000"
per = "24h"
` + verifyTables

const (
	loadProcesses = 64
	loadCustomers = 12
)

// loaded is what the processes of a load test were answered.
type loaded struct {
	sync.Mutex
	reserved, settled, released map[string]bool // by the call's id: acknowledged
	perhaps                     map[string]bool // ids of calls that were killed at some time
	verified                    map[string]bool // customers
	times                       []time.Duration
	ran                         time.Duration // how long the last one did
	killed                      int
	odd                         []string
}

// TestLoad runs many processes on one session at the same time, calls and their ends
// mixed, and kills some of them. What was acknowledged is there afterwards, no sum is
// over its limit, and no ledger is damaged. GATEWRIGHT_LOAD is for how long, 2s if it
// is not set; -v shows calls per second and how long they took.
func TestLoad(t *testing.T) {
	length, err := time.ParseDuration(or(os.Getenv("GATEWRIGHT_LOAD"), "2s"))
	if err != nil {
		t.Fatal("GATEWRIGHT_LOAD: ", err)
	}
	p := newPlace(t)
	p.writePolicy(loadPolicy)
	for i := range loadCustomers {
		v := verification(fmt.Sprint("C-", i), "")
		p.expect("verify", v, p.play(v))
	}
	l := &loaded{reserved: map[string]bool{}, settled: map[string]bool{}, released: map[string]bool{}, perhaps: map[string]bool{}, verified: map[string]bool{}}
	begin := time.Now()
	var wait sync.WaitGroup
	for worker := range loadProcesses {
		wait.Go(func() {
			random := rand.New(rand.NewPCG(uint64(worker), 1))
			for n := 0; n == 0 || time.Since(begin) < length; n++ {
				l.round(p, random, fmt.Sprintf("w%d-%d", worker, n))
			}
		})
	}
	wait.Wait()
	took := time.Since(begin)
	l.check(p)
	slices.Sort(l.times)
	n := len(l.times)
	t.Logf("%d processes at a time for %v: %d answers and %d killed, %.0f calls/s, p50 %v, p99 %v; %d reserved, %d settled, %d given back",
		loadProcesses, took.Round(time.Second), n, l.killed, float64(n+l.killed)/took.Seconds(), l.times[n/2].Round(time.Millisecond), l.times[n*99/100].Round(time.Millisecond),
		len(l.reserved), len(l.settled), len(l.released))
}

// round is one call from its beginning to its end, or something else.
func (l *loaded) round(p *place, random *rand.Rand, id string) {
	customer := l.customer(random)
	pay := step{Tool: "mcp__billing__issue_refund", ID: id, Args: fmt.Sprintf(`{"amount_usd":1,"customer_id":%q}`, customer)}
	switch random.IntN(4) {
	case 0:
		l.play(p, random, step{Tool: "Read", ID: id, Args: "{}"})
		return
	case 1:
		fresh := "F-" + id
		v := verification(fresh, []string{"", "sub-1"}[random.IntN(2)])
		if l.play(p, random, v) == "silence" {
			l.note(l.verified, fresh)
		}
		return
	}
	switch l.play(p, random, pay) {
	case "silence":
		l.note(l.reserved, id)
	case "killed":
		l.note(l.perhaps, id)
		return
	default:
		return
	}
	done, ended := pay, l.settled
	done.Event, done.Response = "PostToolUse", `{"content":[],"structuredContent":{"paid":true}}`
	if random.IntN(4) == 0 {
		done.Event, done.Response, done.Error, ended = "PostToolUseFailure", "", `{"status":403,"message":"Access denied"}`, l.released
	}
	if word := l.play(p, random, done); word == "silence" || word == "context" {
		l.note(ended, id)
	} else {
		l.note(l.perhaps, id)
	}
}

// customer is one of a few whose budget is soon spent, or one who was verified since.
func (l *loaded) customer(random *rand.Rand) string {
	l.Lock()
	defer l.Unlock()
	for customer := range l.verified {
		if random.IntN(2) == 0 {
			return customer // maps are walked in any order
		}
		break
	}
	return fmt.Sprint("C-", random.IntN(loadCustomers))
}

func (l *loaded) note(in map[string]bool, key string) {
	l.Lock()
	defer l.Unlock()
	in[key] = true
}

// play runs one process; one in sixteen is killed as soon as it is there, and
// three while they run, or after.
func (l *loaded) play(p *place, random *rand.Rand, s step) string {
	cmd := exec.Command("gatewright", "hook", "claude")
	cmd.Env, cmd.Dir, cmd.Stdin = p.env, p.repo, strings.NewReader(p.stdin(s))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		p.t.Error(err)
		return "not started"
	}
	started := time.Now()
	switch random.IntN(16) {
	case 0:
		_ = cmd.Process.Kill()
	case 1, 2, 3:
		kill := time.AfterFunc(time.Duration(random.Int64N(int64(l.usual()))), func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
	}
	_ = cmd.Wait() // its exit code tells
	took, ran := time.Since(begin), time.Since(started)
	l.Lock()
	defer l.Unlock()
	if cmd.ProcessState.ExitCode() < 0 {
		l.killed++
		return "killed"
	}
	l.times, l.ran = append(l.times, took), ran
	word, _ := shapeOf(answer{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()})
	if s.Event != "" && stderr.Len() > 0 {
		word = "told: " + stderr.String() // that it was not recorded
	}
	if strings.Contains(stderr.String(), "damaged") || strings.HasPrefix(word, "exit") || word == "broken JSON" {
		l.odd = append(l.odd, word+" "+stderr.String())
	}
	return word
}

// usual is about as long as a process runs.
func (l *loaded) usual() time.Duration {
	l.Lock()
	defer l.Unlock()
	return l.ran + 10*time.Millisecond
}

// check compares both books with what was acknowledged.
func (l *loaded) check(p *place) {
	p.t.Helper()
	for _, odd := range l.odd {
		p.t.Errorf("an answer that should not be: %.500s", odd)
	}
	if len(l.reserved) == 0 || len(l.settled) == 0 || len(l.verified) == 0 || l.killed == 0 {
		p.t.Errorf("this looks at nothing: %d reserved, %d settled, %d verified, %d killed", len(l.reserved), len(l.settled), len(l.verified), l.killed)
	}
	for _, folder := range []string{p.sessionFolder("s-1"), p.stateDir() + "/spend"} {
		err := withBook(folder, view, func(tx *ledger.Tx) (bool, error) { return false, l.checkBook(p, folder, tx) })
		if err != nil {
			p.t.Errorf("%s: %v", folder, err)
		}
	}
	for customer := range l.verified {
		_, reason := shapeOf(p.play(step{Tool: "mcp__billing__issue_refund", ID: customer, Args: fmt.Sprintf(`{"amount_usd":1,"customer_id":%q}`, customer)}))
		if strings.Contains(reason, "verify-first") {
			p.t.Errorf("that %s is verified is lost", customer)
		}
	}
	p.noStrayFiles()
}

func (l *loaded) checkBook(p *place, folder string, tx *ledger.Tx) error {
	found, sums := map[string]ledger.Hold{}, map[string]int{}
	err := tx.Holds(func(h ledger.Hold) error {
		for id := range l.reserved {
			if h.Call == callOf(id) {
				found[id] = h
			}
		}
		for id := range l.perhaps {
			if h.Call == callOf(id) {
				found[id] = h
			}
		}
		sums[h.Window]++
		return nil
	})
	for id := range l.reserved {
		h, there := found[id]
		switch {
		case l.perhaps[id]:
		case l.released[id] && there:
			p.t.Errorf("%s: what was given back for %s still counts", folder, id)
		case !l.released[id] && !there:
			p.t.Errorf("%s: the reservation of %s is lost", folder, id)
		case l.settled[id] && !h.Settled:
			p.t.Errorf("%s: the settlement of %s is lost", folder, id)
		}
	}
	all := 0
	for window, count := range sums {
		all += count
		if total, err := tx.Spent(window, time.Time{}); err != nil || total != fmt.Sprint(count) {
			p.t.Errorf("%s: the total of %s is %s, not %d: %v", folder, window, total, count, err)
		}
		if strings.Contains(window, "/customer/") && count > 3 {
			p.t.Errorf("%s: %d of 3 are spent", window, count)
		}
	}
	if all != len(found) {
		p.t.Errorf("%s: %d reservations, and %d of them were asked for", folder, all, len(found))
	}
	return err
}

func callOf(id string) string {
	return ledger.CallKey("claude/s-1", id, "mcp__billing__issue_refund")
}
