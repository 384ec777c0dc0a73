package main

import (
	"slices"
	"strconv"
	"time"

	"gatewright/gate"
	"gatewright/policy/exact"
)

// replaySpend is what one replayed session has reserved and spent.
type replaySpend struct {
	windows map[string]*replayWindow
	calls   map[string]*replayCall
	next    int
}

// replayWindow adds up one limit. A session's clock never goes back, so its holds
// are in the order of their times, and each leaves the total once.
type replayWindow struct {
	length time.Duration
	total  exact.Decimal
	young  []*replayHold // those that count, if the window has a length
}

type replayHold struct {
	gate.Hold
	at  time.Time
	old bool // it has left its window
}

// replayCall is what is known of a call by its id and tool.
type replayCall struct {
	open    []*replayHold
	settled []string // digests of arguments
}

func (s *replaySpend) call(key string) *replayCall {
	if s.calls[key] == nil {
		s.calls[key] = &replayCall{}
	}
	return s.calls[key]
}

// spent is the total of the holds that are not older than the window is long.
func (w *replayWindow) spent(now time.Time) exact.Decimal {
	for w.length > 0 && len(w.young) > 0 && w.young[0].at.Before(now.Add(-w.length)) {
		w.total = w.total.Sub(w.young[0].Amount)
		w.young[0].old, w.young = true, w.young[1:]
	}
	return w.total
}

func (s *replaySpend) reserve(list []gate.Reservation, now time.Time, digest, call string, open bool) {
	for _, r := range list {
		s.next++
		h := &replayHold{at: now, Hold: gate.Hold{ID: strconv.Itoa(s.next), Window: r.Window.Name, Shared: r.Window.Shared, Digest: digest, Amount: r.Amount}}
		w := s.windows[h.Window]
		if w == nil {
			w = &replayWindow{length: r.Window.Length}
			s.windows[h.Window] = w
		}
		if w.total = w.total.Add(h.Amount); w.length > 0 {
			w.young = append(w.young, h)
		}
		if open {
			s.call(call).open = append(s.call(call).open, h)
		} else {
			s.call(call).end(h.Digest)
		}
	}
}

// own is what a call holds itself in a window of that length: it may be announced
// twice.
func (s *replaySpend) own(w gate.Window, now time.Time, digest, call string) (exact.Decimal, bool) {
	var sum exact.Decimal
	held := false
	for _, h := range s.call(call).open {
		if h.Window == w.Name && !h.old && h.Digest == digest && now.Sub(h.at) <= sameCall {
			sum, held = sum.Add(h.Amount), true
		}
	}
	return sum, held
}

// settle makes a call's hold final with the amount that was spent.
func (s *replaySpend) settle(call string, settled gate.Hold) {
	c := s.call(call)
	i := slices.IndexFunc(c.open, func(h *replayHold) bool { return h.ID == settled.ID })
	if i < 0 {
		return
	}
	h := c.open[i]
	if w := s.windows[h.Window]; !h.old {
		w.total = w.total.Sub(h.Amount).Add(settled.Amount)
	}
	h.Amount = settled.Amount
	c.open = slices.Delete(c.open, i, i+1)
	c.end(h.Digest)
}

func (c *replayCall) end(digest string) {
	if !slices.Contains(c.settled, digest) {
		c.settled = append(c.settled, digest)
	}
}
