package ledger

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
)

// callRecord is what is kept of one call, so that the end of it finds what was
// reserved at its beginning.
type callRecord struct {
	Open    [][]byte `json:"open,omitempty"`    // ids of holds; base64, an id is not text
	Settled []string `json:"settled,omitempty"` // digests of arguments that ran
}

// Open returns the holds of a call that are not settled.
func (t *Tx) Open(call string) ([]Hold, error) {
	record, err := t.call(call)
	if err != nil {
		return nil, err
	}
	var out []Hold
	for _, id := range record.Open {
		h, err := t.hold(string(id))
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// Settled returns the digests of the arguments with which a call has ended: ids
// may be used again, and one end may be told twice.
func (t *Tx) Settled(call string) ([]string, error) {
	record, err := t.call(call)
	return record.Settled, err
}

func (t *Tx) call(call string) (callRecord, error) {
	raw := t.get(callsBucket, call)
	if raw == nil {
		return callRecord{}, nil
	}
	var record callRecord
	return record, json.Unmarshal(raw, &record)
}

func (t *Tx) putCall(call string, record callRecord) error {
	raw, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return t.put(callsBucket, call, raw)
}

var errNoHold = errors.New("a reservation is listed that does not exist")

func (t *Tx) hold(id string) (Hold, error) {
	raw := t.get(holdsBucket, id)
	if raw == nil {
		return Hold{}, errNoHold
	}
	return decodeHold([]byte(id), raw)
}

// Reserve counts a hold from now on, and returns it with its id.
func (t *Tx) Reserve(h Hold) (Hold, error) {
	b, err := t.writable(holdsBucket)
	if err != nil {
		return Hold{}, err
	}
	sequence, err := b.NextSequence()
	if err != nil {
		return Hold{}, err
	}
	id := append(windowPrefix(h.Window), stamp(h.At)...)
	h.id = string(binary.BigEndian.AppendUint64(id, sequence))
	if err := t.change(h.Window, h.At, "0", h.Amount, func() error { return t.putHold(h) }); err != nil {
		return Hold{}, err
	}
	if h.Settled {
		return h, t.closeHold(h)
	}
	record, err := t.call(h.Call)
	if err != nil {
		return Hold{}, err
	}
	record.Open = append(record.Open, []byte(h.id))
	return h, t.putCall(h.Call, record)
}

func (t *Tx) putHold(h Hold) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return t.put(holdsBucket, h.id, raw)
}

// Settle makes an open hold final with the amount that was spent.
func (t *Tx) Settle(id, amount string) error {
	h, err := t.hold(id)
	if err != nil {
		return err
	}
	before := h.Amount
	h.Amount, h.Settled = amount, true
	return errors.Join(t.change(h.Window, h.At, before, amount, func() error { return t.putHold(h) }), t.closeHold(h))
}

// Release gives a hold back, open or settled.
func (t *Tx) Release(id string) error {
	h, err := t.hold(id)
	if err != nil {
		return err
	}
	return errors.Join(
		t.change(h.Window, h.At, h.Amount, "0", func() error { return t.tx.Bucket(holdsBucket).Delete([]byte(id)) }),
		t.closeHold(h),
	)
}

// closeHold takes a hold off its call's list of open ones.
func (t *Tx) closeHold(h Hold) error {
	record, err := t.call(h.Call)
	if err != nil {
		return err
	}
	record.Open = slices.DeleteFunc(record.Open, func(id []byte) bool { return string(id) == h.id })
	if !slices.Contains(record.Settled, h.Digest) {
		record.Settled = append(record.Settled, h.Digest)
	}
	return t.putCall(h.Call, record)
}

// Holds visits every hold of the book.
func (t *Tx) Holds(visit func(Hold) error) error {
	b := t.bucket(holdsBucket)
	if b == nil {
		return nil
	}
	return b.ForEach(func(k, v []byte) error {
		h, err := decodeHold(k, v)
		if err != nil {
			return err
		}
		return visit(h)
	})
}
