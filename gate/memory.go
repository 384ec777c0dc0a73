package gate

import (
	"time"

	"gatewright/policy"
	"gatewright/policy/exact"
)

// Needs is what memory a call's verdict depends on.
type Needs struct {
	Evidence []string // keys of Facts.Evidence
	Windows  []Window
	Any      bool // a stateful table matches, even if it reads nothing
}

// Empty reports that the verdict needs no memory.
func (n Needs) Empty() bool { return !n.Any }

// Window is the time and the key over which a limit adds up.
type Window struct {
	Name   string
	Shared bool          // of the user, not of one session
	Length time.Duration // 0 = the whole session
}

// Facts is the memory that Decide reads. It holds what Required asked for.
type Facts struct {
	Now      time.Time
	Digest   string            // of this call's arguments
	Evidence map[string][]byte // newest record by key
	// Spent is what the other calls in a window have reserved and settled, by
	// Window.Name.
	Spent map[string]exact.Decimal
	// Held marks windows in which this very call holds a reservation already.
	Held map[string]bool
	// Frozen says why this session's stateful calls are denied, or is empty.
	Frozen string
}

// Reservation is an amount to be counted before a call runs.
type Reservation struct {
	Window Window
	Limit  policy.Source
	Amount exact.Decimal
}
