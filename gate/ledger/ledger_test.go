package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func update(t *testing.T, folder string, f func(*Tx) (bool, error)) {
	t.Helper()
	book, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(book.Update(f), book.Close()); err != nil {
		t.Fatal(err)
	}
}

func spent(t *testing.T, folder, window string, since time.Time) string {
	t.Helper()
	var sum string
	update(t, folder, func(tx *Tx) (bool, error) {
		var err error
		sum, err = tx.Spent(window, since)
		return false, err
	})
	return sum
}

// TestHolds follows amounts from reservation to settlement and release, and the
// sums by both ways of adding up.
func TestHolds(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "book")
	now := time.Now()
	call := CallKey("s", "t1", "x")
	var first, second Hold
	update(t, folder, func(tx *Tx) (bool, error) {
		var err1, err2, err3 error
		first, err1 = tx.Reserve(Hold{Window: "w", Call: call, Amount: "0.1", At: now.Add(-time.Hour)})
		second, err2 = tx.Reserve(Hold{Window: "w", Call: call, Amount: "0.2", At: now})
		_, err3 = tx.Reserve(Hold{Window: "w2", Call: call, Amount: "7", At: now, Settled: true})
		return true, errors.Join(err1, err2, err3)
	})
	expect := func(what, total, recent string, open int) {
		t.Helper()
		if got := spent(t, folder, "w", time.Time{}); got != total {
			t.Errorf("%s: total %s, want %s", what, got, total)
		}
		if got := spent(t, folder, "w", now.Add(-time.Minute)); got != recent {
			t.Errorf("%s: recent %s, want %s", what, got, recent)
		}
		update(t, folder, func(tx *Tx) (bool, error) {
			holds, err := tx.Open(call)
			if len(holds) != open {
				t.Errorf("%s: open %v, want %d", what, holds, open)
			}
			return false, err
		})
	}
	expect("reserved", "0.3", "0.2", 2)
	update(t, folder, func(tx *Tx) (bool, error) { return true, tx.Settle(second.ID(), "0.25") })
	expect("settled", "0.35", "0.25", 1)
	update(t, folder, func(tx *Tx) (bool, error) { return true, tx.Release(first.ID()) })
	expect("released", "0.25", "0.25", 0)
	update(t, folder, func(tx *Tx) (bool, error) { return true, tx.Release(second.ID()) })
	expect("all released", "0", "0", 0)
	update(t, folder, func(tx *Tx) (bool, error) {
		if err := tx.Release(second.ID()); err == nil {
			t.Error("a hold was released twice")
		}
		return false, nil
	})
}

// TestNothingKept: a transaction that does not commit leaves no trace.
func TestNothingKept(t *testing.T) {
	folder := t.TempDir()
	update(t, folder, func(tx *Tx) (bool, error) {
		_, err := tx.Reserve(Hold{Window: "w", Call: "c", Amount: "1"})
		return false, err
	})
	if got := spent(t, folder, "w", time.Time{}); got != "0" {
		t.Errorf("spent %s", got)
	}
}

func TestFactsAndFreeze(t *testing.T) {
	folder := t.TempDir()
	update(t, folder, func(tx *Tx) (bool, error) {
		return true, errors.Join(tx.PutFact("k", []byte("1")), tx.PutFact("k", []byte("2")), tx.Freeze("why"))
	})
	book, err := View(folder)
	if err != nil {
		t.Fatal(err)
	}
	err = book.Read(func(tx *Tx) error {
		if string(tx.Fact("k")) != "2" || len(tx.Fact("gone")) != 0 || tx.Frozen() != "why" {
			t.Errorf("fact %s, frozen %q", tx.Fact("k"), tx.Frozen())
		}
		return nil
	})
	if err := errors.Join(err, book.Close()); err != nil {
		t.Error(err)
	}
	update(t, folder, func(tx *Tx) (bool, error) { return true, tx.Freeze("") })
	update(t, folder, func(tx *Tx) (bool, error) {
		if tx.Frozen() != "" {
			t.Errorf("still frozen: %q", tx.Frozen())
		}
		return false, nil
	})
}

// TestNoBook: what was never written reads as empty, and viewing makes nothing.
func TestNoBook(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	if _, err := View(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("viewing made a folder")
	}
	var none *Tx
	if open, err := none.Open("c"); len(open) > 0 || err != nil || none.Frozen() != "" || none.Fact("k") != nil {
		t.Error("a nil Tx is not an empty book")
	}
}

// FuzzBook: whatever is reserved, settled and released in any order, the running
// total is the sum of what is there.
func FuzzBook(f *testing.F) {
	f.Add([]byte{0, 1, 2, 0x10, 0x20, 0x11, 3, 0x20})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 40 {
			return
		}
		folder := t.TempDir()
		var held []Hold
		update(t, folder, func(tx *Tx) (bool, error) {
			for _, s := range steps {
				amount := []string{"1", "0.25", "1000000000000.01", "3"}[s&3]
				var err error
				switch i := int(s >> 2 & 3); {
				case s < 0x10:
					var h Hold
					h, err = tx.Reserve(Hold{Window: "w", Call: "c", Amount: amount, At: time.Unix(int64(s), 0)})
					held = append(held, h)
				case i >= len(held):
				case s < 0x20:
					err = tx.Settle(held[i].ID(), amount)
				default:
					err = tx.Release(held[i].ID())
					held = append(held[:i], held[i+1:]...)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			return true, nil
		})
		total, sum := spent(t, folder, "w", time.Time{}), spent(t, folder, "w", time.Unix(-1, 0))
		if total != sum {
			t.Fatalf("total %s, sum %s", total, sum)
		}
	})
}

// TestDamage: a book that lost a page is damaged, never an emptier book. bbolt
// itself would go back to the transaction before.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	update(t, folder, func(tx *Tx) (bool, error) {
		_, err := tx.Reserve(Hold{Window: "w", Call: "c", Amount: "900"})
		return true, err
	})
	path := filepath.Join(folder, FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := range 2 {
		broken := append([]byte(nil), whole...)
		size := os.Getpagesize()
		clear(broken[page*size : (page+1)*size])
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(folder); !Damaged(err) {
			t.Errorf("without meta page %d: %v", page, err)
		}
	}
}

// TestLostTotal: a hold whose total is gone is damage.
func TestLostTotal(t *testing.T) {
	folder := t.TempDir()
	update(t, folder, func(tx *Tx) (bool, error) {
		_, err := tx.Reserve(Hold{Window: "w", Call: "c", Amount: "900"})
		return true, errors.Join(err, tx.tx.Bucket(totalsBucket).Delete([]byte("w")))
	})
	update(t, folder, func(tx *Tx) (bool, error) {
		if _, err := tx.Spent("w", time.Time{}); !Damaged(err) {
			t.Errorf("a lost total: %v", err)
		}
		return true, tx.tx.DeleteBucket(totalsBucket)
	})
	book, err := Create(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if err := book.Update(func(*Tx) (bool, error) { return false, nil }); !Damaged(err) {
		t.Errorf("a lost bucket: %v", err)
	}
}

// TestRemovedMeanwhile: whoever waits for a book while its folder is removed does not
// write into a folder that nobody finds again, nor into a new book of a session that
// has expired.
func TestRemovedMeanwhile(t *testing.T) {
	for _, marked := range []bool{false, true} {
		folder := filepath.Join(t.TempDir(), "book")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		held, err := lock(folder, true)
		if err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error)
		go func() {
			book, err := Create(folder)
			if err == nil {
				err = errors.Join(book.Update(func(tx *Tx) (bool, error) { return true, tx.PutFact("k", []byte("1")) }), book.Close())
			}
			waiting <- err
		}()
		if marked {
			err = os.WriteFile(folder+expiredMark, nil, 0o600)
		}
		err = errors.Join(err, os.Remove(folder))
		if isStill(held, folder) { // which is what one that waits finds out
			t.Error("a folder that was removed counts as there")
		}
		if err := errors.Join(err, held.Close()); err != nil {
			t.Fatal(err)
		}
		if err := <-waiting; errors.Is(err, ErrExpired) != marked || !marked && err != nil {
			t.Errorf("marked %v: %v", marked, err)
		}
		if _, err := os.Stat(filepath.Join(folder, FileName)); (err == nil) == marked {
			t.Errorf("marked %v: the book: %v", marked, err)
		}
	}
}
