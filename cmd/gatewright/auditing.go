package main

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"gatewright/gate"
	"gatewright/gate/audit"
	"gatewright/hooks"
	"gatewright/policy"
)

// auditEntry is what one hook call adds to the audit besides its event.
type auditEntry struct {
	verdict gate.Verdict
	digest  string
	held    []string
	notes   []string
}

// audit writes the line. If it cannot be written, that is said on stderr and
// changes nothing else.
func (h *hook) audit(ev hooks.Event, set *policy.Set, e auditEntry) {
	dir, err := stateDir(h.env)
	if err == nil {
		s := &state{dir: dir}
		err = audit.Write(s.auditDir(), audit.Entry{
			Time:     h.start,
			Event:    ev,
			Verdict:  e.verdict,
			Digest:   e.digest,
			Policy:   policyDigest(set),
			Holds:    e.held,
			Notes:    e.notes,
			Duration: time.Since(h.start),
		})
	}
	if err != nil {
		h.notes = append(h.notes, "no audit line: "+err.Error())
	}
}

// policyDigest tells versions of a policy apart. Its text is no secret.
func policyDigest(set *policy.Set) string {
	if set.Empty() {
		return ""
	}
	sum := sha256.New()
	for _, layer := range set.Layers {
		sum.Write(layer.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
