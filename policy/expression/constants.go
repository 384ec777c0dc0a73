package expression

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"gatewright/policy/exact"
)

// constant reads a literal, once for all evaluations.
func (c *checker) constant(n ast.Node) Kind {
	var v Value
	switch n := n.(type) {
	case *ast.StringNode:
		v = NewText(n.Value)
	case *ast.IntegerNode:
		v = NewInt(n.Value)
	case *ast.FloatNode: // from its text, because the parser has rounded it
		d, err := exact.ParseDecimal(strings.ReplaceAll(c.program.text(n), "_", ""))
		if err != nil {
			return c.fail(n, "this number cannot be read; one is written like 0.5 or 12.75, with at most 64 digits")
		}
		v = NewNumber(d)
	}
	c.program.constants[n] = v
	if v.kind == Unknown { // a text whose characters were lost
		return Text
	}
	return v.kind
}

// regular wants a pattern that is written out, so that it is checked here.
func (c *checker) regular(n ast.Node, lines bool) {
	text, ok := n.(*ast.StringNode)
	if !ok {
		c.fail(n, "a regular expression must be written out")
		return
	}
	c.kind(n)
	key := patternKey{text.Value, lines}
	if c.program.patterns[key] != nil {
		return
	}
	pattern, err := compilePattern(text.Value, lines)
	if err != nil {
		c.fail(n, err.Error())
		return
	}
	c.program.patterns[key] = pattern
}
