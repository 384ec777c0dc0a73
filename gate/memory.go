package gate

import (
	"maps"
	"slices"
	"strings"
	"time"

	"gatewright/policy"
	"gatewright/policy/exact"
)

// Needs is what memory a call's verdict depends on.
type Needs struct {
	Windows []Window
	Any     bool // a stateful table matches, even if it reads nothing
	Uses    bool // a proof may be used up
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
	Now    time.Time
	Digest string // of this call's arguments
	// Evidence is the records by key. Record and Records read them from elsewhere
	// if they are set.
	Evidence map[string][]byte
	Record   func(key string) []byte
	Records  func(prefix string, visit func(key string, value []byte))
	User     User
	// Spent is what the other calls in a window have reserved and settled, by
	// Window.Name.
	Spent map[string]exact.Decimal
	// Held marks windows in which this very call holds a reservation already.
	Held map[string]bool
	// Frozen says why this session's stateful calls are denied, or is empty.
	Frozen string
}

func (f Facts) record(key string) []byte {
	if f.Record != nil {
		return f.Record(key)
	}
	return f.Evidence[key]
}

// each visits the records whose keys begin with prefix, in the order of the keys.
func (f Facts) each(prefix string, visit func(key string, value []byte)) {
	if f.Records != nil {
		f.Records(prefix, visit)
		return
	}
	for _, key := range slices.Sorted(maps.Keys(f.Evidence)) {
		if strings.HasPrefix(key, prefix) {
			visit(key, f.Evidence[key])
		}
	}
}

// Reservation is an amount to be counted before a call runs.
type Reservation struct {
	Window Window
	Limit  policy.Source
	Amount exact.Decimal
}
