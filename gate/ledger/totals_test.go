package ledger

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"
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
