package expression

import (
	"maps"
	"strconv"
)

func uniq(e *evaluator, args []Value) Value {
	seen, ok := e.multiset(args[0])
	if !ok {
		return unknown
	}
	var out []Value
	for _, item := range args[0].list {
		if key, _ := item.key(); seen[key] > 0 {
			out, seen[key] = append(out, item), 0
		}
	}
	return NewList(out)
}

// keyed writes a scalar as key does. It pays for it twice: uniq writes each again.
func (e *evaluator) keyed(v Value) (string, bool) {
	if !e.spend(weight(v) + len(v.text)/bytesWritten*2) {
		return "", false
	}
	return v.key()
}

// multiset counts the scalars of a list; false if it holds anything else.
func (e *evaluator) multiset(v Value) (map[string]int, bool) {
	if v.kind != List {
		return nil, false
	}
	counts := map[string]int{}
	for _, item := range v.list {
		key, ok := e.keyed(item)
		if !ok {
			return nil, false
		}
		counts[key]++
	}
	return counts, true
}

// subMultiset says whether every item of the first list is in the second, as often
// as in the first.
func subMultiset(e *evaluator, args []Value) Value {
	few, okA := e.multiset(args[0])
	many, okB := e.multiset(args[1])
	if !okA || !okB {
		return unknown
	}
	for key, n := range few {
		if n > many[key] {
			return NewBool(false)
		}
	}
	return NewBool(true)
}

// sameSet says whether two lists hold the same items, in any order and number. With
// names of members only those count.
func sameSet(e *evaluator, args []Value) Value {
	a, okA := e.setOf(args[0], args[2:])
	b, okB := e.setOf(args[1], args[2:])
	if !okA || !okB {
		return unknown
	}
	return NewBool(maps.Equal(a, b))
}

func (e *evaluator) setOf(v Value, members []Value) (map[string]bool, bool) {
	if v.kind != List {
		return nil, false
	}
	set := map[string]bool{}
	for _, item := range v.list {
		key, ok := e.memberKey(item, members)
		if !ok {
			return nil, false
		}
		set[key] = true
	}
	return set, true
}

// memberKey writes an item's members, or itself. Each part has its length, so that
// no text can look like the end of one and the beginning of another.
func (e *evaluator) memberKey(item Value, members []Value) (string, bool) {
	if len(members) == 0 {
		return e.keyed(item)
	}
	key := ""
	for _, m := range members {
		part, ok := e.keyed(e.member(item, m.text))
		if !ok || !e.makes(len(key)+len(part)) {
			return "", false
		}
		key += strconv.Itoa(len(part)) + ":" + part
	}
	return key, true
}
