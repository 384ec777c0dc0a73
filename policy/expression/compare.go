package expression

import (
	"cmp"
	"slices"
	"strings"

	"gatewright/policy/exact"
)

// equal compares exactly. Values of different kinds, absent ones and unknown ones
// cannot be compared: two absent ids are not equal.
func (e *evaluator) equal(a, b Value) exact.Truth {
	if a.kind != b.kind || a.kind == Absent || a.kind == Unknown || a.isPartial() || b.isPartial() || !e.spend(weight(a)) {
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
		return e.equalLists(a.list, b.list)
	case Time:
		return exact.Of(a.at.Equal(b.at))
	case Duration:
		return exact.Of(a.span == b.span)
	}
	return e.equalObjects(a, b)
}

func (e *evaluator) equalLists(a, b []Value) exact.Truth {
	if len(a) != len(b) {
		return exact.False
	}
	t := exact.True
	for i := range a {
		if !e.spend(1) {
			return exact.Unknown
		}
		t = min(t, e.equal(a[i], b[i]))
	}
	return t
}

func (e *evaluator) equalObjects(a, b Value) exact.Truth {
	names := e.keys(a)
	if len(names) != len(e.keys(b)) {
		return exact.False
	}
	t := exact.True
	for _, name := range names {
		if !e.spend(1) {
			return exact.Unknown
		}
		t = min(t, e.equal(e.member(a, name), e.member(b, name)))
	}
	return t
}

// order compares what has an order: numbers, texts, times and durations.
func (e *evaluator) order(a, b Value) (int, bool) {
	if a.kind != b.kind || !e.spend(weight(a)+weight(b)) {
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
		return cmp.Compare(a.span, b.span), true
	}
	return 0, false
}

// contains says whether a list has an item that is equal, or an object a member of
// that name.
func (e *evaluator) contains(in, v Value) exact.Truth {
	switch {
	case v.kind == Absent || v.kind == Unknown:
		return exact.Unknown
	case in.kind == List:
		t := exact.False
		for _, item := range in.list {
			if !e.spend(1) {
				return exact.Unknown
			}
			t = max(t, e.equal(item, v))
		}
		return t
	case in.isPartial():
		return exact.Unknown
	case in.kind == Object && v.kind == Text:
		if e.member(in, v.text).kind == Unknown {
			return exact.Unknown
		}
		_, found := slices.BinarySearch(e.keys(in), v.text)
		return exact.Of(found)
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
