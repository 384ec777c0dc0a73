//go:build unix

package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"gatewright/install"
)

// matrixPolicy has a table of every kind: without memory, with facts, with sums.
const matrixPolicy = `version = 1
[[limit]]
id = "each"
tools = ["issue_refund"]
amount = "amount_usd"
max = "5000"
[[limit]]
id = "session"
tools = ["issue_refund"]
amount = "amount_usd"
max = "1000"
per = "session"
[[limit]]
id = "day"
tools = ["issue_refund", "issue_credit"]
amount = "amount_usd"
max = "2000"
per = "24h"
` + verifyTables

// What the four calls of a cell receive: one over the limit of each, one for a
// customer who is not verified, one for a customer who is, and one of a tool that no
// table names.
const (
	judged    = "deny deny silence silence" // as without the fault
	forgotten = "deny deny deny silence"    // what depends on the memory is denied
	shut      = "deny deny deny deny"
	byLine    = "line line line line" // denied by the registered line
	refused   = "deny"                // the first call only, which cannot be read
)

// What is left of what was recorded before, once the fault is mended.
const (
	kept   = "kept"   // proved and spent as before
	closed = "closed" // whatever depends on it is denied until a person decides
)

// fault is what goes wrong in a row of the matrix.
type fault struct {
	name   string
	before func(p *place) (skip string) // before anything is recorded
	breaks func(p *place)
	mends  func(p *place)
	line   func(p *place) install.Line // instead of the one that teams share
	stdin  func(event string) []byte   // instead of the first call's event
	open   bool                        // stdin is not closed
	asks   func(*asking, step) heard   // instead of ask
	pre    string                      // what calls receive; a bar separates what is as good
	post   string                      // what a call that has run receives: silence if empty
	left   string                      // kept if empty
	only   string                      // one client
}

// after changes what a call that has run receives.
func (f fault) after(post string) fault {
	f.post = post
	return f
}

// cell is a row of the table that is printed.
type cell struct{ fault, client, event, received, exit, left string }

type table struct {
	sync.Mutex
	rows []cell
}

func (t *table) add(c ...cell) {
	t.Lock()
	defer t.Unlock()
	t.rows = append(t.rows, c...)
}

// print orders the rows as the faults are.
func (t *table) print(test *testing.T, order []fault) {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nfault\tclient\tevent\treceived\texit\tleft of what was before")
	for _, f := range order {
		slices.SortStableFunc(t.rows, func(a, b cell) int { return strings.Compare(a.client, b.client) })
		for _, c := range t.rows {
			if c.fault == f.name {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", c.fault, c.client, c.event, c.received, c.exit, c.left)
			}
		}
	}
	_ = w.Flush()
	test.Log(out.String())
}

// TestMatrix breaks one thing after the other, for each client, and looks at what the
// client receives for calls that are about to run and for one that has run, through
// the registered line, and at what is left of what was recorded before. A call that
// the intact policy denies or cannot prove never gets silence.
func TestMatrix(t *testing.T) {
	var rows table
	faults := allFaults()
	t.Run("cells", func(t *testing.T) {
		for _, f := range faults {
			for _, client := range []string{"claude", "codex"} {
				if f.only != "" && f.only != client {
					continue
				}
				t.Run(f.name+"/"+client, func(t *testing.T) {
					t.Parallel()
					rows.add(f.run(t, client)...)
				})
			}
		}
	})
	rows.print(t, faults)
}

// asking is one client in one place.
type asking struct {
	*place
	client string
	line   install.Line
}

func (f fault) run(t *testing.T, client string) []cell {
	a := &asking{newPlace(t), client, install.Shared()}
	a.writePolicy(matrixPolicy)
	a.installProgram()
	if f.before != nil {
		if skip := f.before(a.place); skip != "" {
			return []cell{{f.name, client, "SKIPPED", skip, "", ""}}
		}
	}
	a.record()
	if f.line != nil {
		a.line = f.line(a.place)
	}
	f.breaks(a.place)
	pre := f.calls(a)
	late := a.ended("C-3", "toolu_30")
	post := f.ask(a, late)
	a.line = install.Shared()
	if f.mends != nil {
		f.mends(a.place)
	}
	left := a.left(post)
	check := func(what, got, want string) {
		if !slices.Contains(strings.Split(want, "|"), got) {
			t.Errorf("%s: %s, want %s\n%s", what, got, want, post.stderr)
		}
	}
	check("calls received", words(pre), f.pre)
	check("the call that has run received", post.word, or(f.post, "silence"))
	check("left of what was before", left, or(f.left, kept))
	return []cell{
		{f.name, client, "PreToolUse", words(pre), exits(pre), left},
		{f.name, client, "PostToolUse", post.word, exits([]heard{post}), left},
	}
}

// calls asks about the four calls, or about the first one if only that is broken.
func (f fault) calls(a *asking) []heard {
	steps := []step{a.refund("C-1", 9000, "toolu_10"), a.refund("C-2", 20, "toolu_11"), a.refund("C-1", 20, "toolu_12"),
		{Tool: "mcp__notes__list", ID: "toolu_13", Args: "{}"}}
	if f.stdin != nil {
		steps = steps[:1]
	}
	var list []heard
	for _, s := range steps {
		list = append(list, f.ask(a, s))
	}
	return list
}

func (f fault) ask(a *asking, s step) heard {
	s.Client = a.client
	text := a.stdin(s)
	switch {
	case f.asks != nil:
		return f.asks(a, s)
	case f.stdin != nil:
		return a.ask(a.lineFor(s), eventOf(s), f.stdin(text), f.open)
	}
	return a.ask(a.lineFor(s), eventOf(s), []byte(text), false)
}

func eventOf(s step) string { return or(s.Event, "PreToolUse") }

func (a *asking) lineFor(s step) string { return lineOf(a.line, a.client, eventOf(s)) }

func (a *asking) refund(customer string, amount int, id string) step {
	return step{Tool: "mcp__billing__issue_refund", ID: id, Args: fmt.Sprintf(`{"amount_usd":%d,"customer_id":%q}`, amount, customer)}
}

// ended is the end of the call that verifies a customer.
func (a *asking) ended(customer, id string) step {
	s := verification(customer, "")
	s.ID = id
	return s
}

// record proves one customer and spends 600, before anything is broken.
func (a *asking) record() {
	a.t.Helper()
	paid := a.refund("C-1", 600, "toolu_02")
	done := paid
	done.Event, done.Response = "PostToolUse", `{"content":[{"type":"text","text":"{\"paid\":true}"}]}`
	for _, s := range []step{a.ended("C-1", "toolu_01"), paid, done} {
		if h := (fault{}).ask(a, s); h.word != "silence" || strings.Contains(h.stderr, "gatewright") {
			a.t.Fatalf("%s %s before the fault: %+v", s.Event, s.Tool, h)
		}
	}
}

// left looks at what was recorded before. What the call under the fault has shown
// must be there, too, unless that was said.
func (a *asking) left(post heard) string {
	credit := step{Tool: "mcp__billing__issue_credit", ID: "toolu_42", Args: `{"amount_usd":1900}`}
	later := a.refund("C-3", 20, "toolu_43")
	var got []string
	for _, s := range []step{a.refund("C-1", 20, "toolu_40"), a.refund("C-1", 450, "toolu_41"), credit, later} {
		got = append(got, (fault{}).ask(a, s).word)
	}
	switch strings.Join(got[:3], " ") {
	case "silence deny deny":
		if got[3] == "deny" && post.word == "silence" && post.stderr == "" {
			return "LOST WITHOUT A WORD"
		}
		return kept
	case "deny deny deny":
		return closed
	}
	return "LOST: " + strings.Join(got, " ")
}

func words(list []heard) string {
	var out []string
	for _, h := range list {
		out = append(out, h.word)
	}
	return strings.Join(out, " ")
}

func exits(list []heard) string {
	var out []string
	for _, h := range list {
		out = append(out, fmt.Sprint(h.exit))
	}
	return strings.Join(out, " ")
}

// isRoot: some faults can be made by root only, and others need another user then.
func isRoot() bool { return os.Geteuid() == 0 }
