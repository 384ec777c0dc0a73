package ledger

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// TestHours: whatever is reserved, settled and given back, at whatever times, and although
// an older version writes between that knows no hours: what is spent since any time is
// what the holds come to.
func TestHours(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "book")
	random := rand.New(rand.NewPCG(3, 4))
	start := time.Date(2026, 3, 1, 0, 30, 0, 0, time.UTC)
	windows := []string{"w", "w2", "w\x01", "v"}
	var held []Hold
	quick := 0
	update(t, folder, func(tx *Tx) (bool, error) {
		for step := range 3000 {
			window := windows[random.IntN(len(windows))]
			var err error
			switch n := random.IntN(10); {
			case n < 5 || len(held) == 0:
				var h Hold
				at := start.Add(time.Duration(random.IntN(48*60)) * time.Minute)
				h, err = tx.Reserve(Hold{Window: window, Call: fmt.Sprint(step), Amount: fmt.Sprintf("%d.%02d", random.IntN(9), random.IntN(100)), At: at})
				held = append(held, h)
			case n < 7:
				i := random.IntN(len(held))
				held[i].Amount = fmt.Sprintf("%d.5", random.IntN(9))
				err = tx.Settle(held[i].ID(), held[i].Amount)
			case n < 9:
				i := random.IntN(len(held))
				err = tx.Release(held[i].ID())
				held = append(held[:i], held[i+1:]...)
			default: // another version knows the total only
				i := random.IntN(len(held))
				old, _ := tx.total(held[i].Window)
				now, _ := replaced(old, held[i].Amount, "0")
				err = errors.Join(tx.put(totalsBucket, held[i].Window, []byte(now)), tx.tx.Bucket(holdsBucket).Delete([]byte(held[i].ID())))
				held = append(held[:i], held[i+1:]...)
			}
			if err != nil {
				return false, err
			}
			since := start.Add(time.Duration(random.IntN(50*60)-60) * time.Minute)
			if whole, _ := tx.hoursCount(window); whole {
				quick++
			}
			got, err := tx.Spent(window, since)
			if want := heldSince(held, window, since); err != nil || got != want {
				return false, fmt.Errorf("step %d, %q since %s: %s, want %s: %w", step, window, since, got, want, err)
			}
		}
		return true, nil
	})
	if quick < 1000 {
		t.Errorf("the hours counted %d times only", quick)
	}
}

func heldSince(held []Hold, window string, since time.Time) string {
	sum := new(big.Rat)
	for _, h := range held {
		if h.Window == window && !h.At.Before(since) {
			_ = add(sum, h.Amount)
		}
	}
	return decimalText(sum)
}

// TestHoursOfOlder: an older version keeps a window's total and knows no hours. Whatever it
// has done, what is spent is what is held.
func TestHoursOfOlder(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 30, 0, 0, time.UTC) }
	for name, older := range map[string]func(tx *Tx, first, second Hold) error{
		"one at an earlier time, and one given back": func(tx *Tx, first, _ Hold) error {
			_, err := tx.Reserve(Hold{Window: "w", Call: "c", Amount: "5", At: at(9)})
			return errors.Join(err, tx.Release(first.ID()))
		},
		"one given back, and one that grows": func(tx *Tx, first, second Hold) error {
			return errors.Join(tx.Release(first.ID()), tx.Settle(second.ID(), "8"))
		},
	} {
		folder := filepath.Join(t.TempDir(), "book")
		var first, second Hold
		update(t, folder, func(tx *Tx) (bool, error) {
			var err1, err2 error
			first, err1 = tx.Reserve(Hold{Window: "w", Call: "c", Amount: "5", At: at(0)})
			second, err2 = tx.Reserve(Hold{Window: "w", Call: "c", Amount: "3", At: at(10)})
			return true, errors.Join(err1, err2)
		})
		before := spent(t, folder, "w", at(5))
		book, err := Create(folder)
		if err != nil {
			t.Fatal(err)
		}
		err = book.db.Update(func(inner *bolt.Tx) error { // which notes no epoch
			tx, err := begin(inner)
			kept := map[string]string{}
			for _, key := range tx.keys(totalsBucket, hoursOf("w")) {
				kept[key] = string(tx.get(totalsBucket, key))
			}
			err = errors.Join(err, older(tx, first, second))
			for _, key := range tx.keys(totalsBucket, hoursOf("w")) {
				err = errors.Join(err, tx.tx.Bucket(totalsBucket).Delete([]byte(key)))
			}
			for key, value := range kept {
				err = errors.Join(err, tx.put(totalsBucket, key, []byte(value)))
			}
			return err
		})
		if err = errors.Join(err, book.Close()); err != nil {
			t.Fatal(err)
		}
		if got := spent(t, folder, "w", at(5)); before != "3" || got != "8" {
			t.Errorf("%s: %s before, %s after", name, before, got)
		}
	}
}
