package expression

import (
	"math"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"

	"gatewright/policy/exact"
)

func (e *evaluator) binary(n *ast.BinaryNode) Value {
	left := e.eval(n.Left)
	switch n.Operator {
	case "and", "&&":
		if left.Truth() == exact.False {
			return NewBool(false)
		}
		return NewTruth(min(left.Truth(), e.eval(n.Right).Truth()))
	case "or", "||":
		if left.Truth() == exact.True {
			return NewBool(true)
		}
		return NewTruth(max(left.Truth(), e.eval(n.Right).Truth()))
	case "??":
		if left.kind == Absent {
			return e.eval(n.Right)
		}
		return left
	}
	return e.operate(n.Operator, left, e.eval(n.Right))
}

func (e *evaluator) operate(operator string, a, b Value) Value {
	switch operator {
	case "==":
		return NewTruth(e.equal(a, b))
	case "!=":
		return NewTruth(e.equal(a, b).Not())
	case "in":
		return NewTruth(e.contains(b, a))
	case "..":
		return e.span(a, b)
	case "<", ">", "<=", ">=":
		return e.ordered(operator, a, b)
	case "contains", "startsWith", "endsWith", "matches":
		return e.textual(operator, a, b)
	}
	return e.calculate(operator, a, b)
}

func (e *evaluator) ordered(operator string, a, b Value) Value {
	n, ok := e.order(a, b)
	if !ok {
		return unknown
	}
	switch operator {
	case "<":
		return NewBool(n < 0)
	case ">":
		return NewBool(n > 0)
	case "<=":
		return NewBool(n <= 0)
	}
	return NewBool(n >= 0)
}

func (e *evaluator) textual(operator string, a, b Value) Value {
	if a.kind != Text || b.kind != Text || !e.spend(weight(a)+weight(b)) {
		return unknown
	}
	switch operator {
	case "contains":
		return NewBool(strings.Contains(a.text, b.text))
	case "startsWith":
		return NewBool(strings.HasPrefix(a.text, b.text))
	case "endsWith":
		return NewBool(strings.HasSuffix(a.text, b.text))
	}
	return e.matches(a.text, b.text)
}

func (e *evaluator) calculate(operator string, a, b Value) Value {
	switch {
	case a.kind == Number && b.kind == Number:
		return e.numeric(operator, a.number, b.number)
	case a.kind == Text && b.kind == Text && operator == "+" && e.makes(len(a.text)+len(b.text)):
		return NewText(a.text + b.text)
	case a.kind == Duration && b.kind == Duration:
		return added(operator, a.span, b.span)
	case a.kind == Time && b.kind == Duration && operator == "+":
		return NewTime(a.at.Add(b.span))
	case a.kind == Time && b.kind == Duration && operator == "-" && b.span != math.MinInt64:
		return NewTime(a.at.Add(-b.span))
	case a.kind == Time && b.kind == Time && operator == "-":
		return between(a.at, b.at)
	}
	return unknown
}

// added adds or subtracts durations. A sum that is too long is unknown: it would
// turn round to the other side of zero.
func added(operator string, a, b time.Duration) Value {
	switch {
	case operator == "+" && (a+b > a) == (b > 0):
		return NewDuration(a + b)
	case operator == "-" && (a-b < a) == (b > 0):
		return NewDuration(a - b)
	}
	return unknown
}

// between is a span of time; one that is too long for a duration is unknown.
func between(a, b time.Time) Value {
	d := a.Sub(b)
	if d == math.MaxInt64 || d == math.MinInt64 {
		return unknown
	}
	return NewDuration(d)
}

// maxSize bounds numbers, in bits: products of products stay cheap.
const maxSize = 4096

func (e *evaluator) numeric(operator string, a, b exact.Decimal) Value {
	if a.Size()+b.Size() > maxSize || !e.spend(numberWeight(a)+numberWeight(b)) {
		return unknown
	}
	switch operator {
	case "+":
		return NewNumber(a.Add(b))
	case "-":
		return NewNumber(a.Sub(b))
	case "*":
		return NewNumber(a.Mul(b))
	}
	quotient, ok := a.Quo(b)
	switch {
	case ok && operator == "/":
		return NewNumber(quotient)
	case ok && operator == "%": // as in Go: the sign is that of a
		whole := quotient.Floor()
		if quotient.Sign() < 0 && whole.Cmp(quotient) != 0 {
			whole = whole.Add(exact.FromInt(1))
		}
		return NewNumber(a.Sub(whole.Mul(b)))
	}
	return unknown
}

// span is a..b, both ends included.
func (e *evaluator) span(a, b Value) Value {
	from, okA := a.number.Int()
	to, okB := b.number.Int()
	if a.kind != Number || b.kind != Number || !okA || !okB {
		return unknown
	}
	if from > to {
		return NewList(nil)
	}
	// The difference of two ends may not fit an int.
	if last := uint(to) - uint(from); last >= MaxItems || !e.spend(int(last)+1) {
		return unknown
	}
	list := make([]Value, 0, to-from+1)
	for i := range to - from + 1 {
		list = append(list, NewInt(from+i))
	}
	return NewList(list)
}
