package expression

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Program is an expression that can be evaluated.
type Program struct {
	source []rune
	root   ast.Node
}

// Bounds on the text of an expression.
const (
	MaxSource = 4 << 10
	maxNodes  = 1000
)

// Error is what is wrong with an expression, and where in its text: line and
// column count from 1, in characters.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// Compile reads an expression whose free names are those given, and checks that
// every name, function and number of arguments is one we know. With condition its
// value must be true or false. The error is an *Error.
func Compile(source string, names []string, condition bool) (*Program, error) {
	p := &Program{source: []rune(source)}
	if len(source) > MaxSource {
		return nil, p.errorAt(0, fmt.Sprintf("an expression has at most %d bytes", MaxSource))
	}
	tree, err := parser.Parse(source)
	var syntax *file.Error
	if errors.As(err, &syntax) {
		return nil, p.errorAt(syntax.From, strings.TrimSpace(syntax.Message))
	}
	if err != nil {
		return nil, p.errorAt(0, err.Error())
	}
	p.root = tree.Node
	c := &checker{program: p, names: slices.Clone(names)}
	kind := c.kind(p.root)
	if c.err == nil && condition && kind != anyKind && kind != Bool {
		c.fail(p.root, "a condition is true or false, and this is "+kind.String())
	}
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

func (p *Program) errorAt(offset int, message string) *Error {
	before := string(p.source[:min(max(offset, 0), len(p.source))])
	line := strings.LastIndexByte(before, '\n') + 1
	return &Error{1 + strings.Count(before, "\n"), 1 + len([]rune(before[line:])), message}
}

// text is what a node of a literal was written as.
func (p *Program) text(n ast.Node) string {
	loc := n.Location()
	if loc.From < 0 || loc.To > len(p.source) || loc.From > loc.To {
		return ""
	}
	return string(p.source[loc.From:loc.To])
}

// Reads lists, for each free name that the expression uses, the members of it that
// it reads; nil stands for all of it.
func (p *Program) Reads() map[string][]string {
	r := &reader{found: map[string][]string{}, whole: map[string]bool{}}
	r.node(p.root)
	for name := range r.whole {
		r.found[name] = nil
	}
	return r.found
}
