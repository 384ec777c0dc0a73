package gate

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

// usePrefix begins the keys under which the uses of a proof are kept, and endPrefix
// those of calls that have ended.
const (
	usePrefix = "use:"
	endPrefix = "end:"
)

// use is a call that a proof has carried.
type use struct {
	Call string `json:"call"`
	At   int64  `json:"at"` // Unix nanoseconds
}

// sameAnnouncement is how long a second announcement of a call counts as the first.
const sameAnnouncement = time.Minute

func (c *call) usesOf(key string) (uses []use, err error) {
	if record := c.facts.record(usePrefix + key); len(record) > 0 {
		err = json.Unmarshal(record, &uses)
	}
	return uses, err
}

// isThis reports a use by this very call, announced twice. One that has ended is
// another: some clients use ids again.
func (c *call) isThis(u use) bool {
	at := time.Unix(0, u.At)
	if c.ev.ToolUseID == "" || u.Call != c.id() || c.facts.Now.Sub(at) > sameAnnouncement {
		return false
	}
	var ended int64
	_ = json.Unmarshal(c.facts.record(endPrefix+c.id()), &ended) // 0: it has not
	return ended < u.At
}

// usedBy counts the other calls that a proof has carried. One of which that cannot be
// read is used up.
func (c *call) usedBy(key string) int {
	uses, err := c.usesOf(key)
	if err != nil {
		return math.MaxInt
	}
	return len(slices.DeleteFunc(uses, c.isThis))
}

// id tells calls apart as far as a client does.
func (c *call) id() string { return shortKey("i" + c.ev.ToolUseID + " " + c.facts.Digest) }

// useProofs adds this call to those that its proofs have carried.
func (c *call) useProofs() []Evidence {
	var out []Evidence
	slices.Sort(c.uses)
	for _, key := range slices.Compact(c.uses) {
		if uses, err := c.usesOf(key); err == nil && !slices.ContainsFunc(uses, c.isThis) {
			uses = append(uses, use{c.id(), c.facts.Now.UnixNano()})
			out = append(out, Evidence{usePrefix + key, hooks.EncodeJSON(uses)})
		}
	}
	return out
}

// needUses notes that a proof may be used up, which is written.
func (c *call) needUses(n *Needs) {
	n.Uses = n.Uses || c.layer.UsesUp()
}

// wantEnds: the end of a call is kept where proofs can be used up.
func wantEnds(set *policy.Set) bool {
	return slices.ContainsFunc(set.Layers, (*policy.Layer).UsesUp)
}

// end keeps that a call has ended.
func (l *lesson) end(set *policy.Set) {
	if l.ev.ToolUseID == "" || !wantEnds(set) {
		return
	}
	l.Evidence = append(l.Evidence, Evidence{endPrefix + l.id(), hooks.EncodeJSON(l.now.UnixNano())})
}
