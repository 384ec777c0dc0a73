package expression

import (
	"math"
	"time"

	"github.com/expr-lang/expr/ast"

	"gatewright/policy/exact"
)

// Env is what an expression is evaluated over.
type Env struct {
	Names  map[string]Value
	Now    time.Time
	Zone   *time.Location   // of times that have none; nil is UTC
	Tables map[string]Value // for lookup
}

// Eval gives the expression's value.
func (p *Program) Eval(env Env) Value {
	v, _ := p.eval(env)
	return v
}

// eval tells how many steps it took, too.
func (p *Program) eval(env Env) (Value, int) {
	e := &evaluator{program: p, env: env}
	v := e.eval(p.root)
	if e.steps > maxSteps {
		return unknown, e.steps
	}
	return v, e.steps
}

// Holds gives the value of a condition.
func (p *Program) Holds(env Env) exact.Truth { return p.Eval(env).Truth() }

// evaluator walks an expression.
type evaluator struct {
	program *Program
	env     Env
	scope   *scope
	steps   int
	objects map[*document]*object
}

// scope is an item of a list, or a name that let declares.
type scope struct {
	outer *scope
	name  string // empty for an item
	value Value
	index int
}

func (e *evaluator) eval(n ast.Node) Value {
	if !e.spend(1) {
		return unknown
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		return NewBool(n.Value)
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode:
		return e.program.constants[n]
	case *ast.IdentifierNode:
		return e.name(n.Value)
	case *ast.PointerNode:
		return e.item(n.Name)
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.ChainNode:
		v, _ := e.link(n.Node)
		return v
	case *ast.MemberNode:
		v, _ := e.link(n)
		return v
	case *ast.ConditionalNode:
		return e.conditional(n)
	case *ast.ArrayNode:
		return NewList(e.each(n.Nodes))
	case *ast.VariableDeclaratorNode:
		return e.declare(n)
	case *ast.BuiltinNode:
		return e.call(n.Name, n.Arguments)
	case *ast.CallNode:
		if callee, ok := n.Callee.(*ast.IdentifierNode); ok {
			return e.call(callee.Value, n.Arguments)
		}
	}
	return unknown
}

func (e *evaluator) each(nodes []ast.Node) []Value {
	values := make([]Value, len(nodes))
	for i, n := range nodes {
		values[i] = e.eval(n)
	}
	return values
}

func (e *evaluator) name(name string) Value {
	for s := e.scope; s != nil; s = s.outer {
		e.spend(1) // let inside let makes a long way
		if s.name == name {
			return s.value
		}
	}
	return e.env.Names[name]
}

func (e *evaluator) item(name string) Value {
	for s := e.scope; s != nil; s = s.outer {
		if s.name == "" {
			if name == "index" {
				return NewInt(s.index)
			}
			return s.value
		}
	}
	return unknown
}

func (e *evaluator) unary(n *ast.UnaryNode) Value {
	v := e.eval(n.Node)
	switch {
	case n.Operator == "not" || n.Operator == "!":
		return NewTruth(v.Truth().Not())
	case n.Operator == "+" && (v.kind == Number || v.kind == Duration):
		return v
	case n.Operator == "-" && v.kind == Number:
		return e.numeric("-", exact.FromInt(0), v.number)
	case n.Operator == "-" && v.kind == Duration && v.span != math.MinInt64:
		return NewDuration(-v.span)
	}
	return unknown
}

// link reads one link of a chain: x.y, x["y"] or x[0]. A chain whose ?. finds
// nothing ends there, absent; any other step from what is absent is unknown.
func (e *evaluator) link(n ast.Node) (v Value, ended bool) {
	m, ok := n.(*ast.MemberNode)
	if !ok {
		return e.eval(n), false
	}
	of, ended := e.link(m.Node)
	switch {
	case ended || of.kind == Absent && m.Optional:
		return Value{}, true
	case of.kind == Absent || !e.spend(1):
		return unknown, false
	}
	switch at := e.eval(m.Property); {
	case at.kind == Text:
		return e.member(of, at.text), false
	case at.kind == Number && of.kind == List:
		return itemAt(of.list, at.number), false
	}
	return unknown, false
}

// itemAt counts from the end where the index is negative.
func itemAt(list []Value, index exact.Decimal) Value {
	i, ok := index.Int()
	if ok && i < 0 {
		i += len(list)
	}
	if !ok || i < 0 || i >= len(list) {
		return Value{}
	}
	return list[i]
}

func (e *evaluator) conditional(n *ast.ConditionalNode) Value {
	switch e.eval(n.Cond).Truth() {
	case exact.True:
		return e.eval(n.Exp1)
	case exact.False:
		return e.eval(n.Exp2)
	}
	return unknown
}

func (e *evaluator) declare(n *ast.VariableDeclaratorNode) Value {
	outer := e.scope
	defer func() { e.scope = outer }()
	e.scope = &scope{outer: outer, name: n.Name, value: e.eval(n.Value)}
	return e.eval(n.Expr)
}

// with evaluates a predicate for one item.
func (e *evaluator) with(n ast.Node, item Value, index int) Value {
	predicate, ok := n.(*ast.PredicateNode)
	if !ok || !e.spend(1) {
		return unknown
	}
	outer := e.scope
	defer func() { e.scope = outer }()
	e.scope = &scope{outer: outer, value: item, index: index}
	return e.eval(predicate.Node)
}
