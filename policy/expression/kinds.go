package expression

import (
	"fmt"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// kinds is a set of them.
type kinds uint16

func of(list ...Kind) kinds {
	var set kinds
	for _, k := range list {
		set |= 1 << k
	}
	return set
}

// takes reports whether a value of the kind may be one of the set's.
func (s kinds) takes(k Kind) bool { return k == anyKind || s&(1<<k) != 0 }

func (s kinds) String() string {
	var words []string
	for k := Absent; k <= Duration; k++ {
		if s&(1<<k) != 0 {
			words = append(words, k.String())
		}
	}
	return strings.Join(words, " or ")
}

// want checks a node that must have one of these kinds.
func (c *checker) want(n ast.Node, set kinds) Kind {
	k := c.kind(n)
	if !set.takes(k) {
		c.fail(n, fmt.Sprintf("this is %v where %v belongs", k, set))
	}
	return k
}

// common is the kind of a value that is one of two.
func common(a, b Kind) Kind {
	if a == b {
		return a
	}
	return anyKind
}

// sums are what arithmetic there is.
func sums() []struct {
	operators          string
	left, right, gives Kind
} {
	return []struct {
		operators          string
		left, right, gives Kind
	}{
		{"+-*/%", Number, Number, Number},
		{"+", Text, Text, Text},
		{"+-", Duration, Duration, Duration},
		{"+-", Time, Duration, Time},
		{"-", Time, Time, Duration},
	}
}

func (c *checker) arithmetic(n *ast.BinaryNode) Kind {
	left, right := c.kind(n.Left), c.kind(n.Right)
	gives, found := anyKind, 0
	for _, s := range sums() {
		if strings.Contains(s.operators, n.Operator) && of(s.left).takes(left) && of(s.right).takes(right) {
			if found++; found == 1 {
				gives = s.gives
			}
			gives = common(gives, s.gives)
		}
	}
	if found == 0 {
		return c.fail(n, fmt.Sprintf("this calculates %v %s %v", left, n.Operator, right))
	}
	return gives
}

// compared checks the two sides of a comparison.
func (c *checker) compared(n *ast.BinaryNode) Kind {
	left, right := c.kind(n.Left), c.kind(n.Right)
	if left != anyKind && right != anyKind && left != right {
		c.fail(n, fmt.Sprintf("this compares %v with %v", left, right))
	}
	if n.Operator != "==" && n.Operator != "!=" && !of(Number, Text, Time, Duration).takes(left) {
		c.fail(n, left.String()+" has no order")
	}
	return Bool
}
