package policy

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/policy/exact"
)

// Where says when a past call proves a fact. It is a conjunction of equalities
// between a member of that call and an argument of the present one, or a
// constant. The zero Where is always true.
type Where struct {
	Text  string
	Terms []Term
}

// Term is one equality.
type Term struct {
	Past  Member
	Args  errorsctx.Path // of the present call; Whole: compare with Const
	Const gjson.Result
}

// Joins reports whether the term ties the past call to the present one.
func (t Term) Joins() bool { return !t.Args.Whole() }

// Member is what a term reads of a past call.
type Member struct {
	Name   string         // as written: past.result.verified
	Result bool           // of the result; else of the arguments
	Path   errorsctx.Path // Whole = the whole result
}

const (
	pastResult = "past.result"
	pastArgs   = "past.args."
	argsPrefix = "args."
)

// Holds evaluates the conjunction. past gives the value of a member of the past
// call, the zero Result if it was not there.
func (w Where) Holds(past func(Member) gjson.Result, args gjson.Result) exact.Truth {
	all := exact.True
	for _, t := range w.Terms {
		all = min(all, exact.Equal(past(t.Past), t.other(args)))
	}
	return all
}

// other is the side of the equality that is not the past call's. What cannot be
// read without doubt is the zero Result, which equals nothing.
func (t Term) other(args gjson.Result) gjson.Result {
	if !t.Joins() {
		return t.Const
	}
	return One(t.Args, args)
}

// One reads a single value, or the zero Result if it is absent or ambiguous.
func One(p errorsctx.Path, doc gjson.Result) gjson.Result {
	values, presence := p.Lookup(doc)
	if presence != errorsctx.Found || len(values) != 1 {
		return gjson.Result{}
	}
	return values[0]
}

// PastKey identifies what a past call is about: the values of the members that
// join it to a present one. The second result is false if one is missing, so
// that the call is about nothing in particular.
func (w Where) PastKey(past func(Member) gjson.Result) (string, bool) {
	return w.key(func(t Term) gjson.Result { return past(t.Past) })
}

// ArgsKey is the PastKey that a call with these arguments needs.
func (w Where) ArgsKey(args gjson.Result) (string, bool) {
	return w.key(func(t Term) gjson.Result { return One(t.Args, args) })
}

func (w Where) key(value func(Term) gjson.Result) (string, bool) {
	var key strings.Builder
	for _, t := range w.Terms {
		if !t.Joins() {
			continue
		}
		part, ok := exact.ScalarKey(value(t))
		if !ok || len(part) > exact.MaxKey {
			return "", false
		}
		fmt.Fprintf(&key, "%d:%s", len(part), part)
	}
	return key.String(), true
}

// ReadsText reports whether a term compares the whole result.
func (w Where) ReadsText() bool {
	for _, t := range w.Terms {
		if t.Past.Result && t.Past.Path.Whole() {
			return true
		}
	}
	return false
}
