package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// anyKind is the kind of what is known only when the call is there.
const anyKind = Unknown

// checker walks an expression before it is used. It keeps the first fault.
type checker struct {
	program *Program
	names   []string // free names and those that let declares
	depth   int      // of predicates
	nodes   int
	err     *Error
}

func (c *checker) fail(n ast.Node, message string) Kind {
	if c.err == nil {
		c.err = c.program.errorAt(n.Location().From, message)
	}
	return anyKind
}

// kind checks a node and says what sort of value it has, as far as that is known.
func (c *checker) kind(n ast.Node) Kind {
	if c.nodes++; c.nodes > maxNodes {
		return c.fail(n, "this expression is too large")
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		return Bool
	case *ast.StringNode:
		return Text
	case *ast.IntegerNode, *ast.FloatNode:
		return Number
	case *ast.NilNode:
		return c.fail(n, "nothing is equal to nil; write x?.y ?? \"…\" for a member that may be missing")
	case *ast.IdentifierNode:
		return c.name(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.ChainNode:
		return c.kind(n.Node)
	case *ast.MemberNode:
		c.kind(n.Node)
		c.kind(n.Property)
		return anyKind
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.ArrayNode:
		c.all(n.Nodes)
		return List
	case *ast.VariableDeclaratorNode:
		return c.declare(n)
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments)
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			return c.fail(n, "only functions can be called")
		}
		return c.call(n, callee.Value, n.Arguments)
	}
	return c.fail(n, "this form of expression is not known here")
}

func (c *checker) all(nodes []ast.Node) {
	for _, n := range nodes {
		c.kind(n)
	}
}

func (c *checker) name(n *ast.IdentifierNode) Kind {
	if slices.Contains(c.names, n.Value) {
		return anyKind
	}
	return c.fail(n, fmt.Sprintf("there is no %q; known are %s", n.Value, strings.Join(c.names, ", ")))
}

func (c *checker) pointer(n *ast.PointerNode) Kind {
	switch {
	case c.depth == 0:
		return c.fail(n, "# stands for an item, and there is no list around it")
	case n.Name == "index":
		return Number
	case n.Name != "":
		return c.fail(n, "#"+n.Name+" is not known; # is the item and #index its place")
	}
	return anyKind
}

func (c *checker) want(n ast.Node, kinds ...Kind) {
	if k := c.kind(n); k != anyKind && !slices.Contains(kinds, k) {
		var words []string
		for _, kind := range kinds {
			words = append(words, kind.String())
		}
		c.fail(n, "this is "+k.String()+" where "+strings.Join(words, " or ")+" belongs")
	}
}

func (c *checker) unary(n *ast.UnaryNode) Kind {
	if n.Operator == "not" || n.Operator == "!" {
		c.want(n.Node, Bool)
		return Bool
	}
	c.want(n.Node, Number, Duration)
	return anyKind
}

func (c *checker) binary(n *ast.BinaryNode) Kind {
	switch n.Operator {
	case "and", "&&", "or", "||":
		c.want(n.Left, Bool)
		c.want(n.Right, Bool)
		return Bool
	case "==", "!=", "<", ">", "<=", ">=":
		left, right := c.kind(n.Left), c.kind(n.Right)
		if left != anyKind && right != anyKind && left != right {
			c.fail(n, "this compares "+left.String()+" with "+right.String())
		}
		return Bool
	case "in":
		c.kind(n.Left)
		c.want(n.Right, List, Object)
		return Bool
	case "contains", "startsWith", "endsWith":
		c.want(n.Left, Text)
		c.want(n.Right, Text)
		return Bool
	case "matches":
		c.want(n.Left, Text)
		c.regular(n.Right)
		return Bool
	case "..":
		c.want(n.Left, Number)
		c.want(n.Right, Number)
		return List
	case "??":
		c.kind(n.Left)
		c.kind(n.Right)
		return anyKind
	case "+", "-", "*", "/", "%":
		return c.arithmetic(n)
	}
	return c.fail(n, fmt.Sprintf("the operator %s is not known here", n.Operator))
}

func (c *checker) arithmetic(n *ast.BinaryNode) Kind {
	left, right := c.kind(n.Left), c.kind(n.Right)
	switch {
	case slices.Contains([]Kind{Bool, List, Object}, left), slices.Contains([]Kind{Bool, List, Object}, right):
		c.fail(n, "this calculates with "+left.String()+" and "+right.String())
	case left == Number && right == Number:
		return Number
	}
	return anyKind
}

// regular wants a pattern that is written out, so that it is checked here.
func (c *checker) regular(n ast.Node) {
	pattern, ok := n.(*ast.StringNode)
	if !ok {
		c.fail(n, "a regular expression must be written out")
		return
	}
	if _, err := compilePattern(pattern.Value); err != nil {
		c.fail(n, err.Error())
	}
}

func (c *checker) conditional(n *ast.ConditionalNode) Kind {
	c.want(n.Cond, Bool)
	first, second := c.kind(n.Exp1), c.kind(n.Exp2)
	if first != second {
		return anyKind
	}
	return first
}

func (c *checker) declare(n *ast.VariableDeclaratorNode) Kind {
	c.kind(n.Value)
	if slices.Contains(c.names, n.Name) {
		return c.fail(n, fmt.Sprintf("%q means something already", n.Name))
	}
	c.names = append(c.names, n.Name)
	kind := c.kind(n.Expr)
	c.names = c.names[:len(c.names)-1]
	return kind
}

func (c *checker) call(n ast.Node, name string, args []ast.Node) Kind {
	f, ok := functions()[name]
	if !ok {
		return c.fail(n, fmt.Sprintf("there is no function %q", name))
	}
	if len(args) < f.least || len(args) > f.most {
		return c.fail(n, fmt.Sprintf("%s takes %s, and this gives it %d", name, f.arity(), len(args)))
	}
	for i, arg := range args {
		predicate, isPredicate := arg.(*ast.PredicateNode)
		switch {
		case isPredicate:
			c.depth++
			if kind := c.kind(predicate.Node); f.condition && kind != anyKind && kind != Bool {
				c.fail(predicate, name+" needs a condition")
			}
			c.depth--
		case name == "extract" && i == 1:
			c.regular(arg)
		default:
			c.kind(arg)
		}
	}
	return f.gives
}
