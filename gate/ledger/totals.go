package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// Sums are kept, so that thousands of holds are not read for each call: of a window its
// total, and of each hour what was held in it. Beside the hours stands what they are of,
// the total, the last hold and an epoch, which ends when another version writes to the
// book: where that is not the window's, they do not count.

// Spent is the exact sum of the holds of a window that are younger than since. A zero
// since means all of them.
func (t *Tx) Spent(window string, since time.Time) (string, error) {
	if since.IsZero() {
		return t.total(window)
	}
	sum, until := new(big.Rat), hourOf(since).Add(time.Hour)
	if whole, err := t.hoursCount(window); err != nil {
		return "", err
	} else if !whole {
		until = time.Time{}
	}
	err := t.each(window, since, until, func(h Hold) error { return add(sum, h.Amount) })
	if err == nil && !until.IsZero() {
		err = t.addHours(window, until, sum)
	}
	return decimalText(sum), err
}

// total is a window's running total. There is one as soon as there is a hold.
func (t *Tx) total(window string) (string, error) {
	if total := t.get(totalsBucket, window); total != nil {
		return string(total), nil
	}
	err := t.each(window, time.Time{}, time.Time{}, func(Hold) error {
		return fmt.Errorf("%w: it has lost a total", ErrDamaged)
	})
	return "0", err
}

// hourOf is the hour in which something is held.
func hourOf(at time.Time) time.Time {
	return time.Unix(0, max(at.UnixNano(), 0)).Truncate(time.Hour)
}

// hoursOf is where it is kept what a window's hours are of; their sums follow it.
func hoursOf(window string) string { return string(windowPrefix(window)) }

// hoursCount reports whether the hours are of all that is held.
func (t *Tx) hoursCount(window string) (bool, error) {
	total, err := t.total(window)
	return string(t.get(totalsBucket, hoursOf(window))) == t.hoursMark(window, total), err
}

// hoursMark is what the hours of a window are of, if they are of all that is held.
func (t *Tx) hoursMark(window, total string) string {
	return fmt.Sprintf("%d %s %s", t.epoch, total, t.last(window))
}

// epochKey is where the last transaction of a version that knows hours is noted, with
// its epoch.
const epochKey = "hours"

// readEpoch begins a new epoch if the last transaction was another version's.
func (t *Tx) readEpoch() int {
	var last, epoch int
	if _, err := fmt.Sscanf(string(t.get(stateBucket, epochKey)), "%d %d", &last, &epoch); err != nil {
		return 0
	}
	before := t.tx.ID()
	if t.tx.Writable() {
		before--
	}
	if last != before {
		epoch++
	}
	return epoch
}

// markEpoch notes that this transaction knows hours.
func (t *Tx) markEpoch() error {
	if t.bucket(stateBucket) == nil {
		return nil // nothing was written
	}
	return t.put(stateBucket, epochKey, fmt.Appendf(nil, "%d %d", t.tx.ID(), t.epoch))
}

// last is the id of the last hold of a window.
func (t *Tx) last(window string) string {
	b := t.bucket(holdsBucket)
	if b == nil {
		return ""
	}
	prefix := windowPrefix(window)
	c := b.Cursor()
	k, _ := c.Seek(append([]byte(window), 1)) // what follows all of them
	if k == nil {
		k, _ = c.Last()
	} else {
		k, _ = c.Prev()
	}
	if !bytes.HasPrefix(k, prefix) {
		return ""
	}
	return string(k)
}

// addHours adds all hours from one on.
func (t *Tx) addHours(window string, from time.Time, sum *big.Rat) error {
	b := t.bucket(totalsBucket)
	if b == nil {
		return nil
	}
	prefix := hoursOf(window)
	c := b.Cursor()
	for k, v := c.Seek(append([]byte(prefix), stamp(from)...)); k != nil && len(k) == len(prefix)+8 && strings.HasPrefix(string(k), prefix); k, v = c.Next() {
		if err := add(sum, string(v)); err != nil {
			return err
		}
	}
	return nil
}

// change replaces one amount, which is held from a time on, by another: in the window's
// total, in the hour's, and by hold where it is kept itself.
func (t *Tx) change(window string, at time.Time, before, after string, hold func() error) error {
	whole, err := t.hoursCount(window)
	if err == nil && !whole {
		err = t.countHours(window)
	}
	if err != nil {
		return err
	}
	old, err := t.total(window)
	if err != nil {
		return err
	}
	total, err := replaced(old, before, after)
	if err != nil {
		return err
	}
	key := hoursOf(window) + string(stamp(hourOf(at)))
	hour, err := replaced(t.sumAt(key), before, after)
	if err != nil {
		return err
	}
	if err := errors.Join(hold(), t.put(totalsBucket, window, []byte(total)), t.put(totalsBucket, key, []byte(hour))); err != nil {
		return err
	}
	return t.put(totalsBucket, hoursOf(window), []byte(t.hoursMark(window, total)))
}

func (t *Tx) sumAt(key string) string {
	if sum := t.get(totalsBucket, key); sum != nil {
		return string(sum)
	}
	return "0"
}

// countHours adds the hours of a window up anew.
func (t *Tx) countHours(window string) error {
	hours := map[string]*big.Rat{}
	err := t.each(window, time.Time{}, time.Time{}, func(h Hold) error {
		key := hoursOf(window) + string(stamp(hourOf(h.At)))
		if hours[key] == nil {
			hours[key] = new(big.Rat)
		}
		return add(hours[key], h.Amount)
	})
	if err != nil {
		return err
	}
	for _, key := range t.keys(totalsBucket, hoursOf(window)) {
		err = errors.Join(err, t.tx.Bucket(totalsBucket).Delete([]byte(key)))
	}
	for key, sum := range hours {
		err = errors.Join(err, t.put(totalsBucket, key, []byte(decimalText(sum))))
	}
	return err
}

// keys lists the keys of a bucket that begin with prefix.
func (t *Tx) keys(bucket []byte, prefix string) []string {
	b := t.bucket(bucket)
	if b == nil {
		return nil
	}
	var keys []string
	c := b.Cursor()
	for k, _ := c.Seek([]byte(prefix)); k != nil && strings.HasPrefix(string(k), prefix); k, _ = c.Next() {
		keys = append(keys, string(k))
	}
	return keys
}

// replaced is a sum in which one amount takes the place of another.
func replaced(sum, before, after string) (string, error) {
	total, less := new(big.Rat), new(big.Rat)
	if err := errors.Join(add(total, sum), add(total, after), add(less, before)); err != nil {
		return "", err
	}
	return decimalText(total.Sub(total, less)), nil
}

// add adds an exact decimal to sum.
func add(sum *big.Rat, amount string) error {
	r, ok := new(big.Rat).SetString(amount)
	if !ok {
		return fmt.Errorf("the kept amount %q is not a number", amount)
	}
	sum.Add(sum, r)
	return nil
}

// decimalText writes a sum of decimals exactly.
func decimalText(sum *big.Rat) string {
	digits, _ := sum.FloatPrec()
	return sum.FloatString(digits)
}

// each visits the holds of a window from one time up to another, oldest first; a zero
// time is no bound.
func (t *Tx) each(window string, since, until time.Time, visit func(Hold) error) error {
	b := t.bucket(holdsBucket)
	if b == nil {
		return nil
	}
	prefix := string(windowPrefix(window))
	c := b.Cursor()
	for k, v := c.Seek(append(windowPrefix(window), stamp(since)...)); k != nil && len(k) > len(prefix) && string(k[:len(prefix)]) == prefix; k, v = c.Next() {
		if !until.IsZero() && string(k[len(prefix):]) >= string(stamp(until)) {
			return nil
		}
		h, err := decodeHold(k, v)
		if err == nil {
			err = visit(h)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func windowPrefix(window string) []byte {
	return append([]byte(window), 0)
}

// stamp orders times as bytes. Times before 1970 sort first.
func stamp(at time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(at.UnixNano(), 0)))
}
