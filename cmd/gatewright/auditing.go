package main

import (
	"crypto/sha256"
	"encoding/hex"

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

// record writes the audit line of the working goroutine's answer, if it is the
// answer. A line that cannot be written is a word on stderr and changes nothing.
func (h *hook) record(ev hooks.Event, set *policy.Set, e auditEntry) {
	if !h.claim() {
		return
	}
	if err := h.audit(ev, set, e); err != nil {
		h.notes = append(h.notes, "no audit line: "+err.Error())
	}
}

func (h *hook) audit(ev hooks.Event, set *policy.Set, e auditEntry) error {
	dir, err := stateDir(h.env)
	if err != nil {
		return err
	}
	s := &state{dir: dir}
	return audit.Write(s.auditDir(), audit.Entry{
		Time:     h.start,
		Event:    ev,
		Verdict:  e.verdict,
		Digest:   e.digest,
		Policy:   policyDigest(set),
		Holds:    e.held,
		Notes:    e.notes,
		Duration: clock().Sub(h.start),
	})
}

// policyDigest tells versions of a policy apart. Its text is no secret.
func policyDigest(set *policy.Set) string {
	if set.Empty() {
		return ""
	}
	return layersDigest(set.Layers...)
}

func layersDigest(layers ...*policy.Layer) string {
	sum := sha256.New()
	for _, layer := range layers {
		sum.Write(layer.Text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}
