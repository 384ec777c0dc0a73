package expression

import (
	"sync"

	"github.com/expr-lang/expr/ast"
)

// Join is a term of a condition that ties one thing to another: a member of the one
// is equal to something that does not depend on it.
type Join struct{ Of, Other *Program }

// Joins lists the terms a.x == y of a conjunction, for a name a. A constant on the
// other side makes no join.
func (p *Program) Joins(name string) []Join {
	return remembered(&p.memo, &p.memo.joins, name, p.joins)
}

func (p *Program) joins(name string) []Join {
	var out []Join
	for _, term := range conjunction(p.root) {
		n, ok := term.(*ast.BinaryNode)
		if !ok || n.Operator != "==" {
			continue
		}
		for _, sides := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
			of, other := p.part(sides[0]), p.part(sides[1])
			_, bound := other.reads[name]
			if isMemberOf(sides[0], name) && !bound && len(other.reads) > 0 {
				out = append(out, Join{of, other})
				break
			}
		}
	}
	return out
}

func (p *Program) part(n ast.Node) *Program {
	return &Program{source: p.source, root: n, constants: p.constants, patterns: p.patterns, lookups: p.lookups, reads: reads(n)}
}

// memo holds what was asked of a program before: it is asked again at each call.
type memo struct {
	lock  sync.Mutex
	joins map[string][]Join
	paths map[string][][2]string
}

func remembered[T any](m *memo, known *map[string]T, name string, find func(string) T) T {
	m.lock.Lock()
	defer m.lock.Unlock()
	if _, ok := (*known)[name]; !ok {
		if *known == nil {
			*known = map[string]T{}
		}
		(*known)[name] = find(name)
	}
	return (*known)[name]
}

// conjunction takes and apart.
func conjunction(n ast.Node) []ast.Node {
	if b, ok := n.(*ast.BinaryNode); ok && (b.Operator == "and" || b.Operator == "&&") {
		return append(conjunction(b.Left), conjunction(b.Right)...)
	}
	return []ast.Node{n}
}

// isMemberOf reports a plain path that begins with the name.
func isMemberOf(n ast.Node, name string) bool {
	for {
		if chain, ok := n.(*ast.ChainNode); ok {
			n = chain.Node
		}
		m, ok := n.(*ast.MemberNode)
		if !ok {
			break
		}
		if _, fixed := m.Property.(*ast.StringNode); !fixed {
			return false
		}
		n = m.Node
	}
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}

// Paths lists what the expression reads of a name's members, two names deep:
// past.result.id is result and id. A second name that is empty stands for all.
func (p *Program) Paths(name string) [][2]string {
	return remembered(&p.memo, &p.memo.paths, name, p.paths)
}

func (p *Program) paths(name string) [][2]string {
	r := &pathReader{name: name}
	r.node(p.root)
	return r.found
}

type pathReader struct {
	name  string
	found [][2]string
}

func (r *pathReader) node(n ast.Node) {
	if steps, ok := pathOf(n, r.name); ok {
		pair := [2]string{}
		copy(pair[:], steps)
		r.found = append(r.found, pair)
		return
	}
	if call, ok := n.(*ast.CallNode); ok {
		for _, arg := range call.Arguments {
			r.node(arg)
		}
		return
	}
	for _, child := range children(n) {
		r.node(child)
	}
}

// pathOf reads a chain of fixed members from the name on.
func pathOf(n ast.Node, name string) ([]string, bool) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return nil, n.Value == name
	case *ast.ChainNode:
		return pathOf(n.Node, name)
	case *ast.MemberNode:
		steps, ok := pathOf(n.Node, name)
		property, fixed := n.Property.(*ast.StringNode)
		if ok && fixed {
			return append(steps, property.Value), true
		}
		for len(steps) < 2 {
			steps = append(steps, "") // from here on all of it is read
		}
		return steps, ok && !hasNames(n.Property)
	}
	return nil, false
}

// hasNames reports an index that reads something itself.
func hasNames(n ast.Node) bool { return len(reads(n)) > 0 }

// Others is what a conjunction says besides its joins; nil if that is nothing.
func (p *Program) Others(name string) *Program {
	var rest ast.Node
	for _, term := range conjunction(p.root) {
		switch {
		case len(p.part(term).joins(name)) > 0:
		case rest == nil:
			rest = term
		default:
			rest = &ast.BinaryNode{Operator: "and", Left: rest, Right: term}
		}
	}
	if rest == nil {
		return nil
	}
	return p.part(rest)
}

// String is the expression in a form of its own: the same one for other spaces.
func (p *Program) String() string { return p.root.String() }
