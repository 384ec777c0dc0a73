package expression

import (
	"strings"

	"gatewright/policy/exact"
)

// equal compares exactly. Values of different kinds, absent ones and unknown ones
// cannot be compared: two absent ids are not equal.
func equal(a, b Value) exact.Truth {
	if a.kind != b.kind || a.kind == Absent || a.kind == Unknown {
		return exact.Unknown
	}
	switch a.kind {
	case Bool:
		return exact.Of(a.flag == b.flag)
	case Number:
		return exact.Of(a.number.Cmp(b.number) == 0)
	case Text:
		return exact.Of(a.text == b.text)
	case List:
		return equalLists(a.list, b.list)
	case Time:
		return exact.Of(a.at.Equal(b.at))
	case Duration:
		return exact.Of(a.span == b.span)
	}
	return equalObjects(a, b)
}

func equalLists(a, b []Value) exact.Truth {
	if len(a) != len(b) {
		return exact.False
	}
	t := exact.True
	for i := range a {
		t = min(t, equal(a[i], b[i]))
	}
	return t
}

func equalObjects(a, b Value) exact.Truth {
	names := a.keys()
	if len(names) != len(b.keys()) {
		return exact.False
	}
	t := exact.True
	for _, name := range names {
		t = min(t, equal(a.member(name), b.member(name)))
	}
	return t
}

// order compares what has an order: numbers, texts, times and durations.
func order(a, b Value) (int, bool) {
	if a.kind != b.kind {
		return 0, false
	}
	switch a.kind {
	case Number:
		return a.number.Cmp(b.number), true
	case Text:
		return strings.Compare(a.text, b.text), true
	case Time:
		return a.at.Compare(b.at), true
	case Duration:
		return int(min(max(a.span-b.span, -1), 1)), true
	}
	return 0, false
}

// contains says whether a list has an item that is equal, or an object a member of
// that name.
func contains(in, v Value) exact.Truth {
	switch {
	case in.kind == List:
		t := exact.False
		for _, item := range in.list {
			t = max(t, equal(item, v))
		}
		return t
	case in.kind == Object && v.kind == Text:
		if member := in.member(v.text); member.kind == Unknown {
			return exact.Unknown
		}
		for _, name := range in.keys() {
			if name == v.text {
				return exact.True
			}
		}
		return exact.False
	}
	return exact.Unknown
}

// key writes a scalar so that equal values, and only they, have equal keys.
func (v Value) key() (string, bool) {
	switch v.kind {
	case Bool:
		if v.flag {
			return "b1", true
		}
		return "b0", true
	case Number:
		return "n" + v.number.Ratio(), true
	case Text:
		return "s" + v.text, true
	}
	return "", false
}
