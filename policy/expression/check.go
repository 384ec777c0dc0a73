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
	names   []string        // free names and those that let declares
	known   map[string]Kind // of some of them
	depth   int             // of predicates
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
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode:
		return c.constant(n)
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
		c.want(n.Node, of(List, Object))
		c.want(n.Property, of(Text, Number))
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
		return c.known[n.Value]
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

func (c *checker) unary(n *ast.UnaryNode) Kind {
	if n.Operator == "not" || n.Operator == "!" {
		c.want(n.Node, of(Bool))
		return Bool
	}
	return c.want(n.Node, of(Number, Duration))
}

func (c *checker) binary(n *ast.BinaryNode) Kind {
	switch n.Operator {
	case "and", "&&", "or", "||":
		c.want(n.Left, of(Bool))
		c.want(n.Right, of(Bool))
		return Bool
	case "==", "!=", "<", ">", "<=", ">=":
		return c.compared(n)
	case "in":
		if left := c.kind(n.Left); c.want(n.Right, of(List, Object)) == Object && !of(Text).takes(left) {
			c.fail(n.Left, "the name of a member is a text, and this is "+left.String())
		}
		return Bool
	case "contains", "startsWith", "endsWith":
		c.want(n.Left, of(Text))
		c.want(n.Right, of(Text))
		return Bool
	case "matches":
		c.want(n.Left, of(Text))
		c.regular(n.Right, false)
		return Bool
	case "..":
		c.want(n.Left, of(Number))
		c.want(n.Right, of(Number))
		return List
	case "??":
		return common(c.kind(n.Left), c.kind(n.Right))
	case "+", "-", "*", "/", "%":
		return c.arithmetic(n)
	}
	return c.fail(n, fmt.Sprintf("the operator %s is not known here", n.Operator))
}

func (c *checker) conditional(n *ast.ConditionalNode) Kind {
	c.want(n.Cond, of(Bool))
	return common(c.kind(n.Exp1), c.kind(n.Exp2))
}

func (c *checker) declare(n *ast.VariableDeclaratorNode) Kind {
	value := c.kind(n.Value)
	if slices.Contains(c.names, n.Name) {
		return c.fail(n, fmt.Sprintf("%q means something already", n.Name))
	}
	c.names, c.known[n.Name] = append(c.names, n.Name), value
	kind := c.kind(n.Expr)
	c.names = c.names[:len(c.names)-1]
	return kind
}
