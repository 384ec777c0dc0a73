package expression

import "github.com/expr-lang/expr/ast"

// reader collects which members of free names an expression reads.
type reader struct {
	found map[string][]string
	whole map[string]bool
	lets  []string // which never have the name of something free
}

func reads(n ast.Node) map[string][]string {
	r := &reader{found: map[string][]string{}, whole: map[string]bool{}}
	r.node(n)
	for name := range r.whole {
		r.found[name] = nil
	}
	for _, name := range r.lets {
		delete(r.found, name)
	}
	return r.found
}

func (r *reader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		r.whole[n.Value] = true
	case *ast.MemberNode:
		name, isName := n.Node.(*ast.IdentifierNode)
		member, isFixed := n.Property.(*ast.StringNode)
		if isName && isFixed {
			r.found[name.Value] = append(r.found[name.Value], member.Value)
			return
		}
		r.node(n.Node)
		r.node(n.Property)
	case *ast.VariableDeclaratorNode:
		r.lets = append(r.lets, n.Name)
		r.nodes(children(n))
	case *ast.CallNode: // its callee is no name
		r.nodes(n.Arguments)
	default:
		r.nodes(children(n))
	}
}

func (r *reader) nodes(list []ast.Node) {
	for _, n := range list {
		r.node(n)
	}
}

// children are the nodes inside a node.
func children(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		return []ast.Node{n.Node}
	case *ast.BinaryNode:
		return []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		return []ast.Node{n.Node}
	case *ast.MemberNode:
		return []ast.Node{n.Node, n.Property}
	case *ast.ConditionalNode:
		return []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.ArrayNode:
		return n.Nodes
	case *ast.VariableDeclaratorNode:
		return []ast.Node{n.Value, n.Expr}
	case *ast.PredicateNode:
		return []ast.Node{n.Node}
	case *ast.BuiltinNode:
		return n.Arguments
	}
	return nil
}
