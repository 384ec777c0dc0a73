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
	source    []rune
	root      ast.Node
	constants map[ast.Node]Value
	patterns  map[patternKey]*pattern
	lookups   []string
	reads     map[string][]string
	memo      memo
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
	p := &Program{source: []rune(source), constants: map[ast.Node]Value{}, patterns: map[patternKey]*pattern{}}
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
	if fault := p.check(names, condition); fault != nil {
		return nil, fault
	}
	p.reads = reads(p.root)
	return p, nil
}

// check gives the first fault.
func (p *Program) check(names []string, condition bool) *Error {
	known := map[string]Kind{"now": Time, "tool": Text, "client": Text}
	for _, name := range names {
		if _, ok := known[name]; !ok {
			known[name] = anyKind
		}
	}
	c := &checker{program: p, names: slices.Clone(names), known: known}
	if kind := c.kind(p.root); condition && !of(Bool).takes(kind) {
		c.fail(p.root, "a condition is true or false, and this is "+kind.String())
	}
	return c.err
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
// it reads; nil stands for all of it. It is not to be changed.
func (p *Program) Reads() map[string][]string { return p.reads }

// ReadsUser reports that the expression speaks of the person.
func (p *Program) ReadsUser() bool {
	_, reads := p.reads["user"]
	return reads
}

// Lookups lists the tables that the expression reads.
func (p *Program) Lookups() []string { return p.lookups }
