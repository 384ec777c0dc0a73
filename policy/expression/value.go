// Package expression evaluates conditions and values that a policy writes in the
// syntax of expr-lang. Numbers are exact, and what cannot be decided is a value of
// its own: it never turns into true or false by accident.
package expression

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/policy/exact"
)

// Kind is what sort of value a Value is.
type Kind uint8

// The kinds. The zero Value is absent: a member that is not there, or null.
const (
	Absent Kind = iota
	Unknown
	Bool
	Number
	Text
	List
	Object
	Time
	Duration
)

// String names the kind for messages.
func (k Kind) String() string {
	return [...]string{"absent", "unknown", "true or false", "a number", "a text", "a list", "an object", "a time", "a duration"}[k]
}

// Value is an immutable value of an expression.
type Value struct {
	kind    Kind
	flag    bool
	text    string
	number  exact.Decimal
	list    []Value
	json    *document        // of an object that came as JSON
	members map[string]Value // of any other object
	only    []string         // what is known of it; nil is all
	at      time.Time
	span    time.Duration
}

// MaxItems bounds every list. What would be longer is unknown.
const MaxItems = 10_000

var unknown = Value{kind: Unknown}

// NewUnknown is the value of what cannot be decided.
func NewUnknown() Value { return unknown }

// NewBool is true or false.
func NewBool(b bool) Value { return Value{kind: Bool, flag: b} }

// NewTruth turns a three-valued condition into a value.
func NewTruth(t exact.Truth) Value {
	if t == exact.Unknown {
		return unknown
	}
	return NewBool(t == exact.True)
}

// NewText is a text. One with a replacement character stands for characters that
// were lost, so nothing can be said of it.
func NewText(s string) Value {
	if strings.ContainsRune(s, '\uFFFD') {
		return unknown
	}
	return Value{kind: Text, text: s}
}

// NewNumber is a number.
func NewNumber(d exact.Decimal) Value { return Value{kind: Number, number: d} }

// NewInt is a whole number.
func NewInt(n int) Value { return NewNumber(exact.FromInt(int64(n))) }

// NewTime is an instant.
func NewTime(t time.Time) Value { return Value{kind: Time, at: t} }

// NewDuration is a span of time.
func NewDuration(d time.Duration) Value { return Value{kind: Duration, span: d} }

// NewList is a list; unknown if it is too long.
func NewList(items []Value) Value {
	if len(items) > MaxItems {
		return unknown
	}
	return Value{kind: List, list: items}
}

// NewObject is an object with these members.
func NewObject(members map[string]Value) Value { return Value{kind: Object, members: members} }

// FromJSON is the value of a JSON document; absent for null and nothing. One whose
// lists would take too long to read is unknown.
func FromJSON(v gjson.Result) Value { return new(evaluator).fromJSON(v) }

// ParseJSON is the value of a JSON text.
func ParseJSON(text []byte) Value { return FromJSON(gjson.ParseBytes(text)) }

// Kind is the sort of the value.
func (v Value) Kind() Kind { return v.kind }

// Truth is the value as a condition: what is neither true nor false is unknown.
func (v Value) Truth() exact.Truth {
	if v.kind != Bool {
		return exact.Unknown
	}
	return exact.Of(v.flag)
}

// Number gives a number's value.
func (v Value) Number() (exact.Decimal, bool) { return v.number, v.kind == Number }

// Total adds up numbers; unknown if one is none.
func Total(values []Value) Value { return sum(new(evaluator), values, nil) }

// Empty reports no number but zero, no text, no list items, or nothing at all.
func (v Value) Empty() bool {
	switch v.kind {
	case Absent:
		return true
	case Number:
		return v.number.Sign() == 0
	case List:
		return len(v.list) == 0
	}
	return false
}

// Key writes a text, a number, true or false so that equal values, and only they,
// have equal keys.
func (v Value) Key() (string, bool) { return v.key() }
