package expression

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// call checks the arguments of a function.
func (c *checker) call(n ast.Node, name string, args []ast.Node) Kind {
	f, ok := functions()[name]
	if !ok {
		return c.fail(n, fmt.Sprintf("there is no function %q", name))
	}
	if len(args) < f.least || len(args) > f.most {
		return c.fail(n, fmt.Sprintf("%s takes %s, and this gives it %d", name, f.arity(), len(args)))
	}
	var given []Kind
	for i, arg := range args {
		given = append(given, c.argument(name, f, i, arg))
	}
	switch name {
	case "min", "max":
		return c.alike(n, given)
	case "lookup":
		c.table(args[0])
	case "duration", "time", "date", "age":
		c.readable(f, args[0])
	}
	return f.gives
}

func (c *checker) argument(name string, f function, i int, n ast.Node) Kind {
	predicate, isPredicate := n.(*ast.PredicateNode)
	switch {
	case isPredicate:
		return c.predicate(name, f, predicate)
	case name == "extract" && i == 1:
		c.regular(n, true)
		return Text
	}
	return c.want(n, f.takes[min(i, len(f.takes)-1)])
}

func (c *checker) predicate(name string, f function, n *ast.PredicateNode) Kind {
	c.depth++
	kind := c.kind(n.Node)
	c.depth--
	switch {
	case f.condition && !of(Bool).takes(kind):
		c.fail(n, name+" needs a condition")
	case name == "sum" && !of(Number).takes(kind):
		c.fail(n, "sum adds up numbers, and this is "+kind.String())
	}
	return anyKind
}

// alike checks what is compared to find the least or the most of it.
func (c *checker) alike(n ast.Node, given []Kind) Kind {
	if len(given) == 1 && given[0] == List {
		return anyKind
	}
	known := slices.DeleteFunc(slices.Clone(given), func(k Kind) bool { return k == anyKind })
	for _, k := range known {
		if k == List || k != known[0] {
			return c.fail(n, fmt.Sprintf("this compares %v with %v", known[0], k))
		}
	}
	if len(known) < len(given) {
		return anyKind
	}
	return known[0]
}

// table notes which lookup is read, so that one that does not exist can be reported.
func (c *checker) table(n ast.Node) {
	id, ok := n.(*ast.StringNode)
	if !ok {
		c.fail(n, "the name of a lookup must be written out")
		return
	}
	if !slices.Contains(c.program.lookups, id.Value) {
		c.program.lookups = append(c.program.lookups, id.Value)
	}
}

// readable refuses a written time or duration that is none: it would always be
// unknown.
func (c *checker) readable(f function, n ast.Node) {
	text, ok := n.(*ast.StringNode)
	if !ok {
		return
	}
	e, v := new(evaluator), NewText(text.Value)
	wanted := "a time such as 2024-05-15 or 2024-05-15T10:00:00Z"
	_, ok = e.timeOf(v)
	if !f.takes[0].takes(Time) {
		wanted, ok = "a duration such as 90s, 24h or 7d", duration(e, []Value{v}).kind == Duration
	}
	if !ok {
		c.fail(n, fmt.Sprintf("%q is not %s", text.Value, wanted))
	}
}
