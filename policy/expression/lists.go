package expression

import (
	"slices"

	"gatewright/policy/exact"
)

func length(_ *evaluator, args []Value) Value {
	switch v := args[0]; v.kind {
	case List:
		return NewInt(len(v.list))
	case Text:
		return NewInt(len([]rune(v.text)))
	case Object:
		return NewInt(len(v.keys()))
	}
	return unknown
}

func first(_ *evaluator, args []Value) Value { return end(args[0], 0) }

func last(_ *evaluator, args []Value) Value { return end(args[0], -1) }

func end(v Value, index int) Value {
	if v.kind != List {
		return unknown
	}
	return itemAt(v.list, exact.FromInt(int64(index)))
}

func keys(_ *evaluator, args []Value) Value {
	if args[0].kind != Object {
		return unknown
	}
	var names []Value
	for _, name := range args[0].keys() {
		names = append(names, NewText(name))
	}
	return NewList(names)
}

func values(_ *evaluator, args []Value) Value {
	if args[0].kind != Object {
		return unknown
	}
	var out []Value
	for _, name := range args[0].keys() {
		out = append(out, args[0].member(name))
	}
	return NewList(out)
}

func concat(_ *evaluator, args []Value) Value {
	var out []Value
	for _, arg := range args {
		if arg.kind != List {
			return unknown
		}
		out = append(out, arg.list...)
	}
	return NewList(out)
}

// flatten takes the lists in a list apart, however deep they are.
func flatten(e *evaluator, args []Value) Value {
	if args[0].kind != List {
		return unknown
	}
	var out []Value
	for _, item := range args[0].list {
		if item.kind == List {
			item = flatten(e, []Value{item})
			out = append(out, item.list...)
		} else {
			out = append(out, item)
		}
		if len(out) > MaxItems {
			return unknown
		}
	}
	return NewList(out)
}

func uniq(_ *evaluator, args []Value) Value {
	counts, ok := multiset(args[0])
	if !ok {
		return unknown
	}
	var out []Value
	for _, item := range args[0].list {
		if key, _ := item.key(); counts[key] > 0 {
			out, counts[key] = append(out, item), 0
		}
	}
	return NewList(out)
}

// multiset counts the scalars of a list; false if it holds anything else.
func multiset(v Value) (map[string]int, bool) {
	if v.kind != List {
		return nil, false
	}
	counts := map[string]int{}
	for _, item := range v.list {
		key, ok := item.key()
		if !ok {
			return nil, false
		}
		counts[key]++
	}
	return counts, true
}

// subMultiset says whether every item of the first list is in the second, as often
// as in the first.
func subMultiset(_ *evaluator, args []Value) Value {
	few, okA := multiset(args[0])
	many, okB := multiset(args[1])
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
func sameSet(_ *evaluator, args []Value) Value {
	a, okA := setOf(args[0], args[2:])
	b, okB := setOf(args[1], args[2:])
	if !okA || !okB {
		return unknown
	}
	return NewBool(slices.Equal(a, b))
}

func setOf(v Value, members []Value) ([]string, bool) {
	if v.kind != List {
		return nil, false
	}
	var set []string
	for _, item := range v.list {
		parts := []Value{item}
		if len(members) > 0 {
			parts = nil
			for _, m := range members {
				parts = append(parts, item.member(m.text))
			}
		}
		text := ""
		for _, part := range parts {
			key, ok := part.key()
			if !ok {
				return nil, false
			}
			text += key + "\x00"
		}
		set = append(set, text)
	}
	slices.Sort(set)
	return slices.Compact(set), true
}

// lookup reads a constant table by one key after the other. Where there is no such
// entry the value is absent.
func lookup(e *evaluator, args []Value) Value {
	v := e.env.Tables[args[0].text]
	for _, key := range args[1:] {
		name, ok := "", key.kind == Text
		if ok {
			name = key.text
		} else if key.kind == Number {
			name, ok = key.number.String(), true
		}
		if !ok {
			return unknown
		}
		if v.kind == Absent {
			return Value{}
		}
		v = v.member(name)
	}
	return v
}
