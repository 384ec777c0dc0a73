package gate

import (
	"time"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// Hold is a reservation of a finished call that is not settled yet.
type Hold struct {
	ID     string
	Window string
	Shared bool
	Digest string // of the arguments that were checked
	Amount exact.Decimal
}

// Memory is what Learn needs to know of the past.
type Memory struct {
	Now    time.Time
	Digest string // of the arguments that ran
	Open   []Hold // of this call's tool_use_id and tool
	// Settled holds the digests of arguments with which a call of this id and
	// tool has ended before.
	Settled []string
	User    User
	// Record gives what is kept under a key, Records visits what is under a prefix.
	// Both or none are set: totals would not see what they have to add up.
	Record  func(key string) []byte
	Records func(prefix string, visit func(key string, value []byte))
}

// Evidence is a record to keep under a key.
type Evidence struct {
	Key   string
	Value []byte
}

// Lesson is what a finished call leaves behind.
type Lesson struct {
	Evidence []Evidence
	Stale    []string // prefixes of records that are no longer true; they go first
	User     *User    // what is known of the person now; nil if that is as before
	// Settle names the holds that count for good, each with its final amount;
	// Release those that are given back.
	Settle  []Hold
	Release []Hold
	// Charge is spent without a hold: the arguments that ran draw on a budget
	// that was not checked.
	Charge []Reservation
	Lost   bool     // an untrusted input could not be kept
	Cite   []string // untrusted inputs that claims must name from now on, as JSON
	Freeze string   // why this session's stateful calls are denied from now on
	Notes  []string // for stderr
}

// lesson is a finished call while it is learnt from.
type lesson struct {
	*call
	Lesson
	now     time.Time
	digest  string
	changed bool // other arguments ran than were checked
}

// Wants is what a finished call can leave behind.
type Wants struct {
	Record bool // evidence
	Settle bool // the end of a reservation
}

// Teaches says what a finished call can leave behind; nothing is opened for a
// call that no table learns from.
func Teaches(set *policy.Set, ctx Context, ev hooks.Event) Wants {
	c := newCall(ctx, ev)
	w := Wants{Record: set.ReadsUser() && c.writes(set) || wantEnds(set)}
	c.each(set, func(k kind) func(*call) {
		if k.wants == nil {
			return nil
		}
		return func(c *call) { k.wants(c, &w) }
	})
	return w
}

// Learn says what to remember of a finished call, of what a person said, and of a
// conversation that was shortened.
func Learn(set *policy.Set, ctx Context, memory Memory, ev hooks.Event) Lesson {
	l := &lesson{call: newCall(ctx, ev), now: memory.Now, digest: memory.Digest}
	l.set = set
	l.facts.Now, l.facts.Digest, l.facts.Record, l.facts.Records = memory.Now, memory.Digest, memory.Record, memory.Records
	l.hear(set, memory.User)
	switch ev.Kind {
	case hooks.UserPrompt:
		l.tryAnew()
		return l.Lesson
	case hooks.SessionStart:
		l.compacted(set)
		return l.Lesson
	}
	l.settle(set, memory)
	l.each(set, func(k kind) func(*call) {
		if k.learn == nil {
			return nil
		}
		return func(*call) { k.learn(l) }
	})
	l.end(set)
	return l.Lesson
}

func (l *lesson) note(text string) { l.Notes = append(l.Notes, text) }

// frozen is the finding on every stateful call of a session in which a call ran
// with other arguments than were checked.
func frozen(why string) Finding {
	f := own(ruleFrozen, errorsctx.Permission,
		"This session is closed for calls that depend on what it has proved or spent. A person can reopen it: gatewright release --session ID, at a terminal.")
	f.Detail = why
	return f
}

// Warning is what the model is told after a call: what its claims must cite, and that
// the session is closed.
func (l Lesson) Warning() string {
	cite := citation(l.Cite)
	if l.Freeze == "" {
		return cite
	}
	if cite != "" {
		cite += "\n"
	}
	return cite + "Gatewright: " + l.Freeze + ". Calls that depend on what this session has proved or spent are refused until a person reopens it."
}
