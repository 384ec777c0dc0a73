package expression

import (
	"github.com/expr-lang/expr/ast"

	"gatewright/policy/exact"
)

// truths evaluates a condition for every item.
func (e *evaluator) truths(list []Value, n ast.Node) []exact.Truth {
	out := make([]exact.Truth, len(list))
	for i, item := range list {
		out[i] = e.with(n, item, i).Truth()
	}
	return out
}

func allOf(e *evaluator, list []Value, n ast.Node) Value {
	t := exact.True
	for _, truth := range e.truths(list, n) {
		t = min(t, truth)
	}
	return NewTruth(t)
}

func anyOf(e *evaluator, list []Value, n ast.Node) Value {
	t := exact.False
	for _, truth := range e.truths(list, n) {
		t = max(t, truth)
	}
	return NewTruth(t)
}

func noneOf(e *evaluator, list []Value, n ast.Node) Value {
	return NewTruth(anyOf(e, list, n).Truth().Not())
}

// counted says how many are true; false if one is unknown.
func (e *evaluator) counted(list []Value, n ast.Node) (int, bool) {
	count := 0
	for _, truth := range e.truths(list, n) {
		if truth == exact.Unknown {
			return 0, false
		}
		if truth == exact.True {
			count++
		}
	}
	return count, true
}

func oneOf(e *evaluator, list []Value, n ast.Node) Value {
	count, ok := e.counted(list, n)
	if !ok {
		return unknown
	}
	return NewBool(count == 1)
}

func count(e *evaluator, list []Value, n ast.Node) Value {
	if n == nil {
		return NewInt(len(list))
	}
	count, ok := e.counted(list, n)
	if !ok {
		return unknown
	}
	return NewInt(count)
}

// filter is unknown if it is for one item: the list would be another.
func filter(e *evaluator, list []Value, n ast.Node) Value {
	var out []Value
	for i, truth := range e.truths(list, n) {
		switch truth {
		case exact.Unknown:
			return unknown
		case exact.True:
			out = append(out, list[i])
		}
	}
	return NewList(out)
}

func find(e *evaluator, list []Value, n ast.Node) Value {
	for i, truth := range e.truths(list, n) {
		switch truth {
		case exact.Unknown:
			return unknown
		case exact.True:
			return list[i]
		}
	}
	return Value{}
}

func mapped(e *evaluator, list []Value, n ast.Node) Value {
	out := make([]Value, len(list))
	for i, item := range list {
		out[i] = e.with(n, item, i)
	}
	return NewList(out)
}

func sum(e *evaluator, list []Value, n ast.Node) Value {
	total := NewInt(0)
	for i, item := range list {
		if n != nil {
			item = e.with(n, item, i)
		}
		if item.kind != Number {
			return unknown
		}
		total = e.numeric("+", total.number, item.number)
		if total.kind != Number {
			return unknown
		}
	}
	return total
}
