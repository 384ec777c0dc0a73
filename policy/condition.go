package policy

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
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
func (c Condition) Holds(args gjson.Result) Truth {
	least, most := True, False
	c.Path.Each(args, func(v gjson.Result, presence errorsctx.Presence) {
		t := Unknown
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

func (c Condition) one(v gjson.Result, presence errorsctx.Presence) Truth {
	switch presence {
	case errorsctx.Absent:
		return c.absent()
	case errorsctx.Found:
		return c.found(v)
	}
	return Unknown
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

func (c Condition) absent() Truth {
	switch c.Op {
	case "ne", "not_in":
		return True
	case "exists":
		return Of(!c.Flag)
	case "gt", "ge", "lt", "le":
		return Unknown
	}
	return False
}

func (c Condition) found(v gjson.Result) Truth {
	switch c.Op {
	case "type":
		return Of(jsonType(v) == c.Values[0].Str)
	case "exists":
		if v.Type == gjson.Null {
			return Unknown
		}
		return Of(c.Flag)
	case "eq", "in":
		return equalsAny(v, c.Values)
	case "ne", "not_in":
		return equalsAny(v, c.Values).Not()
	case "glob":
		return c.globbed(v)
	}
	return c.ordered(v)
}

func (c Condition) globbed(v gjson.Result) Truth {
	if _, ok := ScalarKey(v); v.Type != gjson.String || !ok {
		return Unknown
	}
	return Of(Glob(c.Glob, v.Str))
}

func (c Condition) ordered(v gjson.Result) Truth {
	n, ok := order(v, c.Values[0])
	if !ok {
		return Unknown
	}
	switch c.Op {
	case "gt":
		return Of(n > 0)
	case "ge":
		return Of(n >= 0)
	case "lt":
		return Of(n < 0)
	}
	return Of(n <= 0)
}

// equalsAny is true if one value is equal, and unknown if one cannot be compared.
func equalsAny(v gjson.Result, values []gjson.Result) Truth {
	best := False
	for _, w := range values {
		best = max(best, Equal(v, w))
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
