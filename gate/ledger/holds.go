package ledger

import (
	"encoding/binary"
	"encoding/json"
	"errors"
)

// Open returns the holds of a call that are not settled.
func (t *Tx) Open(call string) ([]Hold, error) {
	ids, err := t.openIDs(call)
	if err != nil {
		return nil, err
	}
	var out []Hold
	for _, id := range ids {
		h, err := t.hold(string(id))
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

func (t *Tx) openIDs(call string) ([][]byte, error) {
	raw := t.get(callsBucket, call)
	if raw == nil {
		return nil, nil
	}
	var ids [][]byte // base64 in JSON: an id is not text
	return ids, json.Unmarshal(raw, &ids)
}

func (t *Tx) putOpenIDs(call string, ids [][]byte) error {
	if len(ids) == 0 {
		return t.tx.Bucket(callsBucket).Delete([]byte(call))
	}
	raw, err := json.Marshal(ids)
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
	if err := errors.Join(t.changeTotal(h.Window, "0", h.Amount), t.putHold(h)); err != nil {
		return Hold{}, err
	}
	if h.Settled {
		return h, nil
	}
	ids, err := t.openIDs(h.Call)
	if err != nil {
		return Hold{}, err
	}
	return h, t.putOpenIDs(h.Call, append(ids, []byte(h.id)))
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
	return errors.Join(t.putHold(h), t.changeTotal(h.Window, before, amount), t.closeHold(h))
}

// Release gives a hold back, open or settled.
func (t *Tx) Release(id string) error {
	h, err := t.hold(id)
	if err != nil {
		return err
	}
	return errors.Join(
		t.tx.Bucket(holdsBucket).Delete([]byte(id)),
		t.changeTotal(h.Window, h.Amount, "0"),
		t.closeHold(h),
	)
}

// closeHold takes a hold off its call's list of open ones.
func (t *Tx) closeHold(h Hold) error {
	ids, err := t.openIDs(h.Call)
	if err != nil || len(ids) == 0 {
		return err
	}
	var rest [][]byte
	for _, id := range ids {
		if string(id) != h.id {
			rest = append(rest, id)
		}
	}
	return t.putOpenIDs(h.Call, rest)
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
