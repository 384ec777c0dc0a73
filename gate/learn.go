package gate

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
)

// Hold is a reservation of a finished call that is not settled yet.
type Hold struct {
	ID     string
	Window string
	Shared bool
	Digest string // of the arguments that were checked
	Amount policy.Decimal
}

// Memory is what Learn needs to know of the past.
type Memory struct {
	Now    time.Time
	Digest string // of the arguments that ran
	Open   []Hold // of this call's tool_use_id and tool
	// Settled holds the digests of arguments with which a call of this id and
	// tool has ended before.
	Settled []string
}

// Evidence is a record to keep under a key.
type Evidence struct {
	Key   string
	Value []byte
}

// Lesson is what a finished call leaves behind.
type Lesson struct {
	Evidence []Evidence
	// Settle names the holds that count for good, each with its final amount;
	// Release those that are given back.
	Settle  []Hold
	Release []Hold
	// Charge is spent without a hold: the arguments that ran draw on a budget
	// that was not checked.
	Charge []Reservation
	Freeze string   // why this session's stateful calls are denied from now on
	Notes  []string // for stderr
}

// lesson is a finished call while it is learnt from.
type lesson struct {
	*call
	Lesson
	now     time.Time
	changed bool // other arguments ran than were checked
	read    *hooks.Result
}

// Wants is what a finished call can leave behind.
type Wants struct {
	Record bool // evidence
	Settle bool // the end of a reservation
}

// Teaches says what a finished call can leave behind; nothing is opened for a
// call that no table learns from.
func Teaches(set *policy.Set, ctx Context, ev hooks.Event) Wants {
	var w Wants
	newCall(ctx, ev).each(set, func(k kind) func(*call) {
		if k.wants == nil {
			return nil
		}
		return func(c *call) { k.wants(c, &w) }
	})
	return w
}

// Learn says what to remember of a finished call.
func Learn(set *policy.Set, ctx Context, memory Memory, ev hooks.Event) Lesson {
	l := &lesson{call: newCall(ctx, ev), now: memory.Now}
	l.settle(set, memory)
	l.each(set, func(k kind) func(*call) {
		if k.learn == nil {
			return nil
		}
		return func(*call) { k.learn(l) }
	})
	return l.Lesson
}

func (l *lesson) note(text string) { l.Notes = append(l.Notes, text) }

// result reads the call's result once, and only if somebody asks.
func (l *lesson) result() hooks.Result {
	if l.read == nil {
		r := l.ev.Result()
		l.read = &r
	}
	return *l.read
}

// settle ends the call's reservations. They are given back only if the server
// itself refused: after anything else the money may have moved.
func (l *lesson) settle(set *policy.Set, m Memory) {
	if len(m.Open) == 0 {
		l.settleUnannounced(set, m)
		return
	}
	holds := slices.DeleteFunc(slices.Clone(m.Open), func(h Hold) bool { return h.Digest != m.Digest })
	if len(holds) == 0 {
		if l.ev.ToolUseID == "" || slices.Contains(m.Settled, m.Digest) {
			return // another call's reservation, or an end that is told again
		}
		holds, l.changed = m.Open, true
	}
	if l.ev.ToolUseID == "" {
		holds = onePerWindow(holds)
	}
	if l.changed {
		l.Freeze = "a call of " + l.ev.Tool + " ran with other arguments than were checked"
	}
	switch {
	case l.refused():
		l.Release = holds
	case l.changed:
		l.settleChanged(set, holds)
	default:
		l.Settle = holds
	}
}

// onePerWindow keeps the first hold of each window: calls without an id cannot
// be told apart, so one result settles one of them.
func onePerWindow(holds []Hold) []Hold {
	seen := map[string]bool{}
	return slices.DeleteFunc(holds, func(h Hold) bool {
		again := seen[h.Window]
		seen[h.Window] = true
		return again
	})
}

// settleUnannounced charges a call that ran although it was never checked, as
// when the hook was killed before it answered.
func (l *lesson) settleUnannounced(set *policy.Set, m Memory) {
	if l.ev.ToolUseID == "" || slices.Contains(m.Settled, m.Digest) || l.result().Failed {
		return
	}
	for _, r := range l.charges(set) {
		l.Charge = append(l.Charge, r)
	}
}

// settleChanged counts the larger of what was checked and what ran, and charges
// the budgets that only the arguments that ran draw on.
func (l *lesson) settleChanged(set *policy.Set, holds []Hold) {
	ran := l.charges(set)
	for _, h := range holds {
		if r, ok := ran[h.Window]; ok && r.Amount.Cmp(h.Amount) > 0 {
			h.Amount = r.Amount
		}
		delete(ran, h.Window)
		l.Settle = append(l.Settle, h)
	}
	for _, r := range ran {
		l.Charge = append(l.Charge, r)
	}
}

// charges is what the arguments that ran cost, by window.
func (l *lesson) charges(set *policy.Set) map[string]Reservation {
	ran := map[string]Reservation{}
	for _, layer := range set.Layers {
		l.layer = layer
		for _, limit := range l.limits() {
			if ch, problem := l.charge(limit); problem == "" && !limit.Per.PerCall() {
				ran[ch.window.Name] = Reservation{ch.window, limit.Source, ch.amount}
			}
		}
	}
	return ran
}

// refused reports a definite refusal by a server. A shell is none: its failure
// says nothing about what it did before.
func (l *lesson) refused() bool {
	r := l.result()
	if !r.Failed || l.ev.Stopped || !strings.HasPrefix(l.ev.Tool, "mcp__") {
		return false
	}
	var doc gjson.Result
	if hooks.Strict([]byte(r.Error)) == nil {
		doc = gjson.Parse(r.Error)
	}
	category, known := errorsctx.Classify(r.Error, doc)
	return known && category != errorsctx.Transient
}

// frozen is the finding on every stateful call of a session in which a call ran
// with other arguments than were checked.
func frozen(why string) Finding {
	f := own(ruleFrozen, errorsctx.Permission,
		"This session is closed for calls that depend on what it has proved or spent. A person can reopen it: gatewright release --session ID, at a terminal.")
	f.Detail = why
	return f
}

// Warning is what the model is told after a call that closed the session.
func (l Lesson) Warning() string {
	if l.Freeze == "" {
		return ""
	}
	return "Gatewright: " + l.Freeze + ". Calls that depend on what this session has proved or spent are refused until a person reopens it."
}
