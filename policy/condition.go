package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
)

// Condition is one typed test of an argument.
type Condition struct {
	Path   errorsctx.Path
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
func (c Condition) Holds(args gjson.Result) Truth {
	values, presence := c.Path.Lookup(args)
	switch presence {
	case errorsctx.Absent:
		return c.absent()
	case errorsctx.Found:
		return c.found(values[0])
	}
	return Unknown
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

// readCondition reads { path = "…", OP = … }.
func readCondition(t *table) Condition {
	t.need("path")
	c := Condition{Path: t.argPath("path")}
	t.checkSingle("path", c.Path)
	for _, op := range conditionOps {
		if !t.has(op) {
			t.asked[op] = true
			continue
		}
		if c.Op != "" {
			t.problem(op, fmt.Sprintf("one condition has both %s and %s", c.Op, op), "write two conditions; both must hold")
		}
		c.Op = op
		c.readOperand(t)
	}
	if c.Op == "" {
		t.problem("", "this condition tests nothing", "add one of "+strings.Join(conditionOps, ", "))
	}
	return c
}

func (c *Condition) readOperand(t *table) {
	switch c.Op {
	case "glob":
		c.Glob = t.text("glob")
	case "exists":
		v, _ := t.value("exists")
		flag, isBool := v.(bool)
		if !isBool {
			t.problem("exists", "exists must be true or false", "")
		}
		c.Flag = flag
	case "type":
		c.Values = []gjson.Result{constant(t.word("type", jsonTypes...))}
	default:
		c.Values = t.constants(c.Op)
		c.checkOrder(t)
	}
}

func (c *Condition) checkOrder(t *table) {
	if slices.Contains([]string{"gt", "ge", "lt", "le"}, c.Op) {
		if _, ok := number(c.Values[0]); !ok {
			t.problem(c.Op, c.Op+" compares numbers", "write "+c.Op+" = 100")
		}
	}
}

// constants reads the values of an operator; in and not_in take a list.
func (t *table) constants(op string) []gjson.Result {
	v, _ := t.value(op)
	list, isList := v.([]any)
	if wantList := op == "in" || op == "not_in"; wantList != isList || isList && len(list) == 0 {
		t.problem(op, op+" has the wrong form", `write eq = "x" for one value and in = ["x", "y"] for several`)
		return []gjson.Result{{}}
	}
	if !isList {
		list = []any{v}
	}
	out := make([]gjson.Result, len(list))
	for i, item := range list {
		if out[i] = constant(item); !out[i].Exists() {
			t.problem(op, op+" compares with texts, numbers, true or false", "")
		}
	}
	return out
}

// constant turns a TOML scalar into the JSON value it is compared as. A float
// keeps the digits that the author wrote, if there are at most 15.
func constant(v any) gjson.Result {
	switch x := v.(type) {
	case string:
		return gjson.ParseBytes(gjson.AppendJSONString(nil, x))
	case bool:
		return gjson.Parse(strconv.FormatBool(x))
	case int64:
		return gjson.Parse(strconv.FormatInt(x, 10))
	case float64:
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if math.IsNaN(x) || math.IsInf(x, 0) || len(strings.Trim(text, "-0.")) > 16 {
			return gjson.Result{}
		}
		return gjson.Parse(text)
	}
	return gjson.Result{}
}
