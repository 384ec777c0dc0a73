package expression

import (
	"regexp"
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
	v := operate(n.Operator, left, e.eval(n.Right))
	e.steps += len(v.list) // of a range
	return v
}

func operate(operator string, a, b Value) Value {
	switch operator {
	case "==":
		return NewTruth(equal(a, b))
	case "!=":
		return NewTruth(equal(a, b).Not())
	case "in":
		return NewTruth(contains(b, a))
	case "..":
		return span(a, b)
	case "<", ">", "<=", ">=":
		return ordered(operator, a, b)
	case "contains", "startsWith", "endsWith", "matches":
		return textual(operator, a, b)
	}
	return calculate(operator, a, b)
}

func ordered(operator string, a, b Value) Value {
	n, ok := order(a, b)
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

func textual(operator string, a, b Value) Value {
	if a.kind != Text || b.kind != Text {
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
	pattern, err := compilePattern(b.text)
	if err != nil {
		return unknown
	}
	return NewBool(pattern.MatchString(a.text))
}

// compilePattern reads a regular expression, whose time is linear in the text.
func compilePattern(pattern string) (*regexp.Regexp, error) { return regexp.Compile(pattern) }

// maxSize bounds numbers, in bits: products of products stay cheap.
const maxSize = 4096

func calculate(operator string, a, b Value) Value {
	switch {
	case a.kind == Number && b.kind == Number:
		return numeric(operator, a.number, b.number)
	case a.kind == Text && b.kind == Text && operator == "+" && len(a.text)+len(b.text) <= maxTextSize:
		return NewText(a.text + b.text)
	case a.kind == Duration && b.kind == Duration && operator == "+":
		return NewDuration(a.span + b.span)
	case a.kind == Duration && b.kind == Duration && operator == "-":
		return NewDuration(a.span - b.span)
	case a.kind == Time && b.kind == Duration && operator == "+":
		return NewTime(a.at.Add(b.span))
	case a.kind == Time && b.kind == Duration && operator == "-":
		return NewTime(a.at.Add(-b.span))
	case a.kind == Time && b.kind == Time && operator == "-":
		return between(a.at, b.at)
	}
	return unknown
}

// maxTextSize bounds what texts are put together to, in bytes.
const maxTextSize = 1 << 20

// between is a span of time; one that is too long for a duration is unknown.
func between(a, b time.Time) Value {
	d := a.Sub(b)
	if d == 1<<63-1 || d == -1<<63 {
		return unknown
	}
	return NewDuration(d)
}

func numeric(operator string, a, b exact.Decimal) Value {
	if a.Size()+b.Size() > maxSize {
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
func span(a, b Value) Value {
	from, okA := a.number.Int()
	to, okB := b.number.Int()
	if a.kind != Number || b.kind != Number || !okA || !okB || to-from >= MaxItems {
		return unknown
	}
	var list []Value
	for i := from; i <= to; i++ {
		list = append(list, NewInt(i))
	}
	return NewList(list)
}
