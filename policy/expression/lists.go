package expression

import (
	"unicode/utf8"

	"gatewright/policy/exact"
)

func length(e *evaluator, args []Value) Value {
	switch v := args[0]; v.kind {
	case List:
		return NewInt(len(v.list))
	case Text:
		return NewInt(utf8.RuneCountInString(v.text))
	case Object:
		return NewInt(len(e.keys(v)))
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

func keys(e *evaluator, args []Value) Value {
	if args[0].kind != Object {
		return unknown
	}
	var names []Value
	for _, name := range e.keys(args[0]) {
		if !e.spend(1) {
			return unknown
		}
		names = append(names, NewText(name))
	}
	return NewList(names)
}

func values(e *evaluator, args []Value) Value {
	if args[0].kind != Object {
		return unknown
	}
	var out []Value
	for _, name := range e.keys(args[0]) {
		if !e.spend(1) {
			return unknown
		}
		out = append(out, e.member(args[0], name))
	}
	return NewList(out)
}

func concat(_ *evaluator, args []Value) Value {
	var out []Value
	for _, arg := range args {
		if arg.kind != List || len(out)+len(arg.list) > MaxItems {
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
	out, ok := e.flat(nil, args[0].list)
	if !ok {
		return unknown
	}
	return NewList(out)
}

func (e *evaluator) flat(out, list []Value) ([]Value, bool) {
	for _, item := range list {
		ok := len(out) < MaxItems && e.spend(1)
		if ok && item.kind == List {
			out, ok = e.flat(out, item.list)
		} else {
			out = append(out, item)
		}
		if !ok {
			return nil, false
		}
	}
	return out, true
}
