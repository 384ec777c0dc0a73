package policy

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// Condition is one typed test of an argument.
type Condition struct {
	Path   errorsctx.Path
	Each   string // "any" or "all" of what a path through an array names; else ""
	Op     string
	Values []gjson.Result // what is compared with; several for in and not_in
	Glob   string
	Flag   bool // exists
}

var conditionOps = []string{"eq", "ne", "in", "not_in", "glob", "exists", "gt", "ge", "lt", "le", "type"}

var jsonTypes = []string{"string", "number", "boolean", "array", "object", "null"}

// Holds tests the arguments. An absent argument is a value here: eq, in, glob
// and type are false, ne and not_in true, exists decides, and only an order is
// unknown. A wrong type, null or an ambiguous member is unknown.
//
// Of an array, one true element makes any true, and one false element makes all
// false. An array that is empty or absent has none for any, and decides nothing for
// all: what is said of each of no recipients must not admit a call.
func (c Condition) Holds(args gjson.Result) exact.Truth {
	least, most := exact.True, exact.False
	c.Path.Each(args, func(v gjson.Result, presence errorsctx.Presence) {
		t := exact.Unknown
		if presence != errorsctx.NoArray && presence != errorsctx.NoElement {
			t = c.one(v, presence)
			most = max(most, t)
		}
		least = min(least, t)
	})
	if c.Each == some {
		return most
	}
	return least
}

const (
	all  = "all"
	some = "any"
)

func (c Condition) one(v gjson.Result, presence errorsctx.Presence) exact.Truth {
	switch presence {
	case errorsctx.Absent:
		return c.absent()
	case errorsctx.Found:
		return c.found(v)
	}
	return exact.Unknown
}

// String is the condition as a person reads it.
func (c Condition) String() string {
	var b strings.Builder
	b.WriteString(c.Path.String() + " ")
	if c.Each != "" {
		b.WriteString(c.Each + " ")
	}
	b.WriteString(c.Op)
	switch c.Op {
	case "glob":
		b.WriteString(" " + strconv.Quote(c.Glob))
	case "exists":
		b.WriteString(" " + strconv.FormatBool(c.Flag))
	}
	for _, v := range c.Values {
		b.WriteString(" " + v.Raw)
	}
	return b.String()
}

func (c Condition) absent() exact.Truth {
	switch c.Op {
	case "ne", "not_in":
		return exact.True
	case "exists":
		return exact.Of(!c.Flag)
	case "gt", "ge", "lt", "le":
		return exact.Unknown
	}
	return exact.False
}

func (c Condition) found(v gjson.Result) exact.Truth {
	switch c.Op {
	case "type":
		return exact.Of(jsonType(v) == c.Values[0].Str)
	case "exists":
		if v.Type == gjson.Null {
			return exact.Unknown
		}
		return exact.Of(c.Flag)
	case "eq", "in":
		return equalsAny(v, c.Values)
	case "ne", "not_in":
		return equalsAny(v, c.Values).Not()
	case "glob":
		return c.globbed(v)
	}
	return c.ordered(v)
}

func (c Condition) globbed(v gjson.Result) exact.Truth {
	if _, ok := exact.ScalarKey(v); v.Type != gjson.String || !ok {
		return exact.Unknown
	}
	return exact.Of(wildcard.Match(c.Glob, v.Str))
}

func (c Condition) ordered(v gjson.Result) exact.Truth {
	n, ok := exact.Order(v, c.Values[0])
	if !ok {
		return exact.Unknown
	}
	switch c.Op {
	case "gt":
		return exact.Of(n > 0)
	case "ge":
		return exact.Of(n >= 0)
	case "lt":
		return exact.Of(n < 0)
	}
	return exact.Of(n <= 0)
}

// equalsAny is true if one value is equal, and unknown if one cannot be compared.
func equalsAny(v gjson.Result, values []gjson.Result) exact.Truth {
	best := exact.False
	for _, w := range values {
		best = max(best, exact.Equal(v, w))
	}
	return best
}

func jsonType(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return "string"
	case gjson.Number:
		return "number"
	case gjson.True, gjson.False:
		return "boolean"
	case gjson.Null:
		return "null"
	}
	if v.IsArray() {
		return "array"
	}
	return "object"
}
