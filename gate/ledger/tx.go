package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Tx reads and writes one book. A nil Tx reads as an empty one.
type Tx struct {
	tx    *bolt.Tx
	epoch int // how often another version has written here; see hours
}

// The buckets of a book.
var (
	factsBucket  = []byte("facts")  // key -> record
	holdsBucket  = []byte("holds")  // window 0 time sequence -> Hold
	callsBucket  = []byte("calls")  // call -> callRecord
	totalsBucket = []byte("totals") // window -> sum of all its holds; see hours
	stateBucket  = []byte("state")  // frozen -> why
)

func allBuckets() [][]byte {
	return [][]byte{factsBucket, holdsBucket, callsBucket, totalsBucket, stateBucket}
}

// begin starts work on a book. They get their buckets all at once, so a book
// with some of them has lost the others.
func begin(tx *bolt.Tx) (*Tx, error) {
	t := &Tx{tx: tx}
	found := 0
	for _, name := range allBuckets() {
		if t.bucket(name) != nil {
			found++
		}
	}
	if found != 0 && found != len(allBuckets()) {
		return nil, fmt.Errorf("%w: it has lost a part", ErrDamaged)
	}
	if later := t.get(stateBucket, formatKey); later != nil {
		return nil, fmt.Errorf("%w (%.20q)", ErrLater, later)
	}
	t.epoch = t.readEpoch()
	return t, nil
}

// formatKey is where a later version says that its records mean something else than
// those of this one, which says nothing.
const formatKey = "format"

// ErrLater is the error of a ledger that only a later version can read.
var ErrLater = errors.New("the ledger was written by a later gatewright: install that version, or a newer one")

// writable returns a bucket to write to; the first write makes all of them.
func (t *Tx) writable(name []byte) (*bolt.Bucket, error) {
	if b := t.bucket(name); b != nil {
		return b, nil
	}
	for _, each := range allBuckets() {
		if _, err := t.tx.CreateBucketIfNotExists(each); err != nil {
			return nil, err
		}
	}
	return t.bucket(name), nil
}

// Hold is an amount counted in a window: reserved before a call, settled after.
type Hold struct {
	Window  string    `json:"window"`
	Limit   string    `json:"limit"`
	Call    string    `json:"call"` // see CallKey
	Tool    string    `json:"tool"`
	Digest  string    `json:"digest"` // of the arguments
	Amount  string    `json:"amount"` // exact decimal
	At      time.Time `json:"at"`
	Settled bool      `json:"settled,omitempty"`

	id string
}

// ID names the hold within its book.
func (h Hold) ID() string { return h.id }

// CallKey identifies a call for its reservations: the client's id for it, if
// there is one, and the tool. Ids are unique only within a session.
func CallKey(session, toolUseID, tool string) string {
	return fmt.Sprintf("%d:%s%d:%s%s", len(session), session, len(toolUseID), toolUseID, tool)
}

func (t *Tx) bucket(name []byte) *bolt.Bucket {
	if t == nil {
		return nil
	}
	return t.tx.Bucket(name)
}

func (t *Tx) get(bucket []byte, key string) []byte {
	if b := t.bucket(bucket); b != nil {
		return b.Get([]byte(key))
	}
	return nil
}

func (t *Tx) put(bucket []byte, key string, value []byte) error {
	b, err := t.writable(bucket)
	if err != nil {
		return err
	}
	return b.Put([]byte(key), value)
}

// Fact returns a copy of the newest record under a key, or nil.
func (t *Tx) Fact(key string) []byte {
	return append([]byte(nil), t.get(factsBucket, key)...)
}

// PutFact keeps a record as the newest under its key.
func (t *Tx) PutFact(key string, record []byte) error {
	return t.put(factsBucket, key, record)
}

// Facts visits the records whose keys begin with prefix, in the order of the keys.
// What it gives is valid during the visit.
func (t *Tx) Facts(prefix string, visit func(key string, record []byte)) {
	b := t.bucket(factsBucket)
	if b == nil {
		return
	}
	c := b.Cursor()
	for k, v := c.Seek([]byte(prefix)); k != nil && strings.HasPrefix(string(k), prefix); k, v = c.Next() {
		visit(string(k), v)
	}
}

// DropFacts forgets the records whose keys begin with prefix.
func (t *Tx) DropFacts(prefix string) error {
	var keys []string
	t.Facts(prefix, func(key string, _ []byte) { keys = append(keys, key) })
	for _, key := range keys {
		if err := t.bucket(factsBucket).Delete([]byte(key)); err != nil {
			return err
		}
	}
	return nil
}

const frozenKey = "frozen"

// Frozen says why the session is closed for stateful calls, or nothing.
func (t *Tx) Frozen() string { return string(t.get(stateBucket, frozenKey)) }

// Freeze closes the session; an empty reason opens it.
func (t *Tx) Freeze(why string) error {
	if why == "" && t.Frozen() == "" {
		return nil
	}
	return t.put(stateBucket, frozenKey, []byte(why))
}

func decodeHold(key, value []byte) (Hold, error) {
	var h Hold
	if err := json.Unmarshal(value, &h); err != nil {
		return Hold{}, fmt.Errorf("kept reservation cannot be read: %w", err)
	}
	h.id = string(key)
	if place := string(append(windowPrefix(h.Window), stamp(h.At)...)); !strings.HasPrefix(h.id, place) {
		return Hold{}, fmt.Errorf("%w: a reservation is not where it belongs", ErrDamaged)
	}
	return h, nil
}
