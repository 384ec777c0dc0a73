package gate

import (
	"slices"
	"strings"

	"gatewright/policy"
)

// settle ends the call's reservations. They are given back only if the server
// itself refused: after anything else the money may have moved.
func (l *lesson) settle(set *policy.Set, m Memory) {
	if len(m.Open) == 0 {
		l.settleUnannounced(set, m)
		return
	}
	holds := slices.DeleteFunc(slices.Clone(m.Open), func(h Hold) bool { return h.Digest != m.Digest })
	if len(holds) == 0 {
		if l.ev.ToolUseID == "" || slices.Contains(m.Settled, m.Digest) {
			return // another call's reservation, or an end that is told again
		}
		holds, l.changed = m.Open, true
	}
	if l.ev.ToolUseID == "" {
		holds = onePerWindow(holds)
	}
	if l.changed {
		l.Freeze = "a call of " + l.ev.Tool + " ran with other arguments than were checked"
	}
	var moved []Hold
	for _, h := range holds {
		if l.refused(l.meaning(depthOf(set, h))) {
			l.Release = append(l.Release, h)
		} else {
			moved = append(moved, h)
		}
	}
	if l.changed && len(moved) > 0 {
		l.settleChanged(set, moved)
		return
	}
	l.Settle = moved
}

// depthOf finds the layer whose limit made a hold: what a narrower layer says of a
// failure gives nothing back. Of a hold that is nobody's no layer says anything.
func depthOf(set *policy.Set, h Hold) int {
	for i, layer := range set.Layers {
		if strings.HasPrefix(h.Window, budgetsOf(layer)) {
			return i
		}
	}
	return noLayer
}

// onePerWindow keeps the first hold of each window: calls without an id cannot
// be told apart, so one result settles one of them.
func onePerWindow(holds []Hold) []Hold {
	seen := map[string]bool{}
	return slices.DeleteFunc(holds, func(h Hold) bool {
		again := seen[h.Window]
		seen[h.Window] = true
		return again
	})
}

// settleUnannounced charges a call that ran although it was never checked, as
// when the hook was killed before it answered.
func (l *lesson) settleUnannounced(set *policy.Set, m Memory) {
	if l.ev.ToolUseID == "" || slices.Contains(m.Settled, m.Digest) || l.result().Failed {
		return
	}
	for _, r := range l.charges(set) {
		l.Charge = append(l.Charge, r)
	}
}

// settleChanged counts the larger of what was checked and what ran, and charges
// the budgets that only the arguments that ran draw on.
func (l *lesson) settleChanged(set *policy.Set, holds []Hold) {
	ran := l.charges(set)
	for _, h := range holds {
		if r, ok := ran[h.Window]; ok && r.Amount.Cmp(h.Amount) > 0 {
			h.Amount = r.Amount
		}
		delete(ran, h.Window)
		l.Settle = append(l.Settle, h)
	}
	for _, r := range ran {
		l.Charge = append(l.Charge, r)
	}
}

// charges is what the arguments that ran cost, by window.
func (l *lesson) charges(set *policy.Set) map[string]Reservation {
	ran := map[string]Reservation{}
	for _, layer := range set.Layers {
		l.layer = layer
		for _, limit := range l.limits() {
			if ch, problem := l.charge(limit); problem == "" && !limit.Per.PerCall() {
				ran[ch.window.Name] = Reservation{ch.window, limit.Source, ch.amount}
			}
		}
	}
	return ran
}

// refused reports a definite refusal by a server. A shell is none: its failure
// says nothing about what it did before.
func (l *lesson) refused(m meaning) bool {
	return m.Definite && !l.ev.Stopped && l.ofServer()
}
