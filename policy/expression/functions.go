package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// function is one that expressions can call.
type function struct {
	least, most int
	gives       Kind
	condition   bool // its predicate is true or false
	call        func(e *evaluator, args []Value) Value
	// over is called instead where the last argument may be a predicate.
	over func(e *evaluator, list []Value, predicate ast.Node) Value
}

func (f function) arity() string {
	switch {
	case f.least == f.most && f.least == 1:
		return "1 argument"
	case f.least == f.most:
		return fmt.Sprintf("%d arguments", f.least)
	case f.most == many:
		return fmt.Sprintf("at least %d", f.least)
	}
	return fmt.Sprintf("%d to %d arguments", f.least, f.most)
}

// many is no bound on the number of arguments.
const many = 100

// functions is a function, so that a call which needs none does not pay for the
// table.
func functions() map[string]function {
	return map[string]function{
		"all":       {least: 2, most: 2, gives: Bool, condition: true, over: allOf},
		"any":       {least: 2, most: 2, gives: Bool, condition: true, over: anyOf},
		"none":      {least: 2, most: 2, gives: Bool, condition: true, over: noneOf},
		"one":       {least: 2, most: 2, gives: Bool, condition: true, over: oneOf},
		"filter":    {least: 2, most: 2, gives: List, condition: true, over: filter},
		"count":     {least: 1, most: 2, gives: Number, condition: true, over: count},
		"find":      {least: 2, most: 2, gives: anyKind, condition: true, over: find},
		"map":       {least: 2, most: 2, gives: List, over: mapped},
		"sum":       {least: 1, most: 2, gives: Number, over: sum},
		"len":       {least: 1, most: 1, gives: Number, call: length},
		"min":       {least: 1, most: many, gives: anyKind, call: least},
		"max":       {least: 1, most: many, gives: anyKind, call: most},
		"abs":       {least: 1, most: 1, gives: Number, call: rounded(absolute)},
		"floor":     {least: 1, most: 1, gives: Number, call: rounded(floor)},
		"ceil":      {least: 1, most: 1, gives: Number, call: rounded(ceil)},
		"round":     {least: 1, most: 1, gives: Number, call: rounded(round)},
		"decimal":   {least: 1, most: 1, gives: Number, call: decimal},
		"string":    {least: 1, most: 1, gives: Text, call: asText},
		"upper":     {least: 1, most: 1, gives: Text, call: upper},
		"lower":     {least: 1, most: 1, gives: Text, call: lower},
		"trim":      {least: 1, most: 1, gives: Text, call: trim},
		"split":     {least: 2, most: 2, gives: List, call: split},
		"join":      {least: 1, most: 2, gives: Text, call: join},
		"hasPrefix": {least: 2, most: 2, gives: Bool, call: prefix},
		"hasSuffix": {least: 2, most: 2, gives: Bool, call: suffix},
		"extract":   {least: 2, most: 2, gives: List, call: extract},
		"first":     {least: 1, most: 1, gives: anyKind, call: first},
		"last":      {least: 1, most: 1, gives: anyKind, call: last},
		"keys":      {least: 1, most: 1, gives: List, call: keys},
		"values":    {least: 1, most: 1, gives: List, call: values},
		"uniq":      {least: 1, most: 1, gives: List, call: uniq},
		"concat":    {least: 1, most: many, gives: List, call: concat},
		"flatten":   {least: 1, most: 1, gives: List, call: flatten},

		"glob":          {least: 2, most: 2, gives: Bool, call: globbed},
		"contains_word": {least: 2, most: 2, gives: Bool, call: containsWord},
		"same_set":      {least: 2, most: many, gives: Bool, call: sameSet},
		"sub_multiset":  {least: 2, most: 2, gives: Bool, call: subMultiset},
		"lookup":        {least: 2, most: many, gives: anyKind, call: lookup},
		"age":           {least: 1, most: 1, gives: Duration, call: age},
		"date":          {least: 1, most: 1, gives: Time, call: date},
		"time":          {least: 1, most: 1, gives: Time, call: instant},
		"duration":      {least: 1, most: 1, gives: Duration, call: duration},
	}
}

// call evaluates the arguments and calls. A function of something unknown is
// unknown; one of something absent, too, unless it says otherwise itself.
func (e *evaluator) call(name string, nodes []ast.Node) Value {
	if e.functions == nil {
		e.functions = functions()
	}
	f := e.functions[name]
	if f.over != nil && len(nodes) > 0 {
		list := e.eval(nodes[0])
		if list.kind != List {
			return unknown
		}
		var predicate ast.Node
		if len(nodes) > 1 {
			predicate = nodes[1]
		}
		return f.over(e, list.list, predicate)
	}
	if f.call == nil {
		return unknown
	}
	args := e.each(nodes)
	for _, arg := range args {
		e.steps += len(arg.list)
		if arg.kind == Unknown || arg.kind == Absent {
			return unknown
		}
	}
	return f.call(e, args)
}
