package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/expression"
)

// gather keeps one of several calls, and what the calls of its group come to.
// Things that are told apart by something may pass from one group to another: they
// are in none, and compared one by one.
func (l *lesson) gather(f policy.Fact, join string, attributed bool, past expression.Value, r record) {
	if f.By != nil {
		p, _ := l.program(f.By)
		place, known := l.evalPast(p, past).Key()
		if place = shortKey(place); !known {
			place = l.callPlace(oddPrefix(f))
			l.note("fact " + f.ID + ": the call does not say what tells it apart")
			r.Odd = true
		}
		l.put(oddPrefix(f)+place, r)
		return
	}
	if !attributed {
		l.put(oddPrefix(f)+l.callPlace(oddPrefix(f)), r)
		return
	}
	key := groupPrefix(f, join) + l.callPlace(groupPrefix(f, join))
	if summable(f) {
		l.put(totalKey(f, join), l.newTotal(f, join, key, r))
	} else if l.facts.record(totalKey(f, join)) != nil {
		l.put(totalKey(f, join), false) // made by another policy, it lacks this call
	}
	if form := l.form(f, join); l.facts.record(form) == nil || l.forgotten(f) {
		l.put(form, true)
	}
	l.put(key, r)
}

func (l *lesson) put(key string, value any) {
	l.Evidence = append(l.Evidence, Evidence{key, hooks.EncodeJSON(value)})
}

// forgotten reports that this very call makes stale what was kept before.
func (l *lesson) forgotten(f policy.Fact) bool { return slices.Contains(l.Stale, factPrefix(f)) }

// newTotal is what a group comes to with a new record. One that takes the place of
// another, and a total that was made by other expressions, are added up anew.
func (l *lesson) newTotal(f policy.Fact, join, key string, r record) total {
	j := l.judgeOf(f)
	j.where, _ = others(f) // the joins hold within a group
	t, known := l.total(f, join)
	switch {
	case l.forgotten(f):
		t = newTotal()
	case !known || l.facts.record(key) != nil:
		t = newTotal()
		l.addAll(&t, j, groupPrefix(f, join), key)
	}
	t.add(f, hooks.EncodeJSON(r), j)
	return t.kept(l.madeBy(f))
}

// callPlace is a place under a prefix for this call alone. An end that is told twice
// goes to one place, and a call that uses an id again to another.
func (l *lesson) callPlace(prefix string) string {
	base := fmt.Sprintf("%020d", l.now.UnixNano())
	if l.ev.ToolUseID != "" {
		base = shortKey("i" + l.ev.ToolUseID + " " + l.digest)
	}
	for n := 0; ; n++ {
		place := fmt.Sprintf("%d:%s %d", len(base), base, n)
		before := gjson.ParseBytes(l.facts.record(prefix + place))
		if !before.IsObject() || l.now.Sub(time.Unix(0, before.Get("at").Int())).Abs() < sameEnd {
			return place
		}
	}
}
