package policy

import (
	"fmt"
	"gatewright/policy/exact"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// readCondition reads { path = "…", OP = … } or { path = "…[]", any = { OP = … } }.
func readCondition(t *table) Condition {
	t.need("path")
	c := Condition{Path: t.argPath("path")}
	test := t
	for _, each := range []string{some, all} {
		if inner := t.sub(each); inner != nil {
			if c.Each != "" {
				t.problem(each, "one condition has both any and all", "write two conditions; both must hold")
			}
			c.Each, test = each, inner
		}
	}
	c.checkArray(t)
	c.readTest(test)
	if test != t {
		test.finish()
	}
	return c
}

// checkArray: a path through an array needs any or all, and only such a path has
// them.
func (c *Condition) checkArray(t *table) {
	switch {
	case c.Each == "" && c.Path.Plural():
		t.problem("path", fmt.Sprintf("%q goes through an array", c.Path), "say which elements: any = { … } or all = { … }")
	case c.Each != "" && !c.Path.Plural() && c.Path.String() != "":
		t.problem(c.Each, fmt.Sprintf("%s is about the elements of an array, and %q names one value", c.Each, c.Path), "write "+c.Path.String()+"[] if it is an array")
	}
}

// readTest reads the operator and its operand.
func (c *Condition) readTest(t *table) {
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
		if _, ok := exact.Number(c.Values[0]); !ok {
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
