package expression

import (
	"slices"

	"github.com/tidwall/gjson"
)

// NewPartial is an object of which only some members are known. Anything else in
// its place is known whole.
func NewPartial(v gjson.Result, members []string) Value {
	whole := FromJSON(v)
	if whole.kind == Object {
		whole.only = slices.Clip(append([]string{}, members...))
	}
	return whole
}

// Member reads a member by its exact name, as x.name does.
func (v Value) Member(name string) Value { return new(evaluator).member(v, name) }

// isPartial reports an object of which only some members are known, so that nothing
// can be said of all of it.
func (v Value) isPartial() bool { return v.only != nil }

// isHidden reports a member of which nothing is known.
func (v Value) isHidden(name string) bool {
	return v.only != nil && !slices.Contains(v.only, name)
}
