package errorsctx

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Path names members of a JSON document, for example "refund.amount_usd" or
// "items[].amount_usd". A step with [] stands for every element of that array.
// A dot always separates two steps: a member whose own name holds a dot cannot
// be named, so it can never be mistaken for a nested one.
type Path struct {
	text  string
	steps []step
}

type step struct {
	key  string
	each bool
}

// ParsePath reads a path. Its error says what is wrong with the text.
func ParsePath(text string) (Path, error) {
	p := Path{text: text}
	for part := range strings.SplitSeq(text, ".") {
		key, each := strings.CutSuffix(part, "[]")
		if key == "" || key == "$" || key[0] == '/' || strings.ContainsAny(key, "[]*?\"' \t\r\n") {
			return Path{}, fmt.Errorf("%q is not a path such as refund.amount_usd or items[].amount_usd", text)
		}
		p.steps = append(p.steps, step{key, each})
	}
	return p, nil
}

// String returns the path as it was written.
func (p Path) String() string { return p.text }

// Whole reports whether the path names the document itself.
func (p Path) Whole() bool { return len(p.steps) == 0 }

// Plural reports whether the path goes through an array.
func (p Path) Plural() bool {
	for _, s := range p.steps {
		if s.each {
			return true
		}
	}
	return false
}

// Presence says how a lookup ended.
type Presence uint8

// The outcomes of a lookup, from good to bad.
const (
	Found     Presence = iota
	Absent             // no such member
	Mistyped           // something on the way is not an object or not an array
	Ambiguous          // a sibling's name differs only in letter case
	// NoArray is Absent for an array that the path goes through, and NoElement
	// stands for an array without elements. Lookup calls the one Absent, and the
	// other names nothing.
	NoArray
	NoElement
)

// Lookup returns the values that the path names. Over an array it returns one
// value per element, and the worst presence of them all: a caller that needs
// every element must ask for Found. An array without elements is Found and
// returns none.
//
// Names are compared exactly, but a sibling that differs only by Unicode case
// folding makes the member Ambiguous, even when the exact one is missing: the
// tool behind the call may read the other one.
func (p Path) Lookup(doc gjson.Result) ([]gjson.Result, Presence) {
	var all []gjson.Result
	worst := Found
	p.Each(doc, func(v gjson.Result, presence Presence) {
		switch presence {
		case Found:
			all = append(all, v)
		case NoArray:
			presence = Absent
		case NoElement:
			presence = Found
		}
		worst = max(worst, presence)
	})
	return all, worst
}

// Each visits what the path names, one element after the other where it goes
// through an array. What is not Found is visited as the zero Result.
func (p Path) Each(doc gjson.Result, visit func(gjson.Result, Presence)) {
	each(doc, p.steps, visit)
}

func each(doc gjson.Result, steps []step, visit func(gjson.Result, Presence)) {
	if !doc.Exists() {
		visit(doc, Absent)
		return
	}
	if len(steps) == 0 {
		visit(doc, Found)
		return
	}
	v, presence := member(doc, steps[0].key)
	switch {
	case presence == Absent && steps[0].each:
		visit(gjson.Result{}, NoArray)
	case presence != Found:
		visit(gjson.Result{}, presence)
	case !steps[0].each:
		each(v, steps[1:], visit)
	case !v.IsArray():
		visit(gjson.Result{}, Mistyped)
	default:
		eachElement(v, steps[1:], visit)
	}
}

func eachElement(array gjson.Result, rest []step, visit func(gjson.Result, Presence)) {
	empty := true
	array.ForEach(func(_, element gjson.Result) bool {
		empty = false
		each(element, rest, visit)
		return true
	})
	if empty {
		visit(gjson.Result{}, NoElement)
	}
}

// Member finds a member of an object by its exact name, which may hold anything.
func Member(doc gjson.Result, key string) (gjson.Result, Presence) { return member(doc, key) }

// member finds key in an object by its decoded name. gjson's own path syntax
// is not used: it gives dots, wildcards and modifiers in names a meaning.
func member(doc gjson.Result, key string) (gjson.Result, Presence) {
	if !doc.IsObject() {
		return gjson.Result{}, Mistyped
	}
	var found gjson.Result
	presence := Absent
	doc.ForEach(func(k, v gjson.Result) bool {
		switch {
		case k.Str == key && presence != Ambiguous:
			found, presence = v, Found
		case k.Str != key && strings.EqualFold(k.Str, key):
			presence = Ambiguous
		}
		return presence != Ambiguous
	})
	return found, presence
}

// One reads a single value, or the zero Result if it is absent or ambiguous.
func (p Path) One(doc gjson.Result) gjson.Result {
	values, presence := p.Lookup(doc)
	if presence != Found || len(values) != 1 {
		return gjson.Result{}
	}
	return values[0]
}
