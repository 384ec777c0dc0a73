package policy

import (
	"fmt"
	"slices"
	"strings"

	"gatewright/policy/expression"
)

// Expression is one that a table holds. It is compiled when its table's tools match
// a call, and by `gatewright check`.
type Expression struct {
	Text      string
	key       string
	file      string
	line      int             // of the key
	lines     func() []string // of the file
	layer     *Layer
	names     func() []string
	condition bool

	program *expression.Program
	err     error
}

// Program compiles the expression, once. The error is Problems with its place.
func (e *Expression) Program() (*expression.Program, error) {
	if e.program != nil || e.err != nil {
		return e.program, e.err
	}
	program, err := expression.Compile(e.Text, slices.Concat(commonNames, e.names()), e.condition)
	if err != nil {
		e.err = Problems{e.problem(err)}
		return nil, e.err
	}
	for _, id := range program.Lookups() {
		if _, known := e.layer.Tables()[id]; !known {
			fault := &expression.Error{Line: 1, Column: 1, Message: fmt.Sprintf("there is no [[lookup]] with the id %q", id)}
			e.err = Problems{e.problem(fault)}
			return nil, e.err
		}
	}
	e.program = program
	return program, nil
}

// problem gives a fault its place in the file. A text with escapes is not found
// there; it has the line of its key.
func (e *Expression) problem(err error) Problem {
	p := Problem{File: e.file, Line: e.line, Message: fmt.Sprintf("%s: %v", e.key, err)}
	fault, hasPlace := err.(*expression.Error)
	if hasPlace {
		p.Message = e.key + ": " + fault.Message
	}
	parts := strings.Split(e.Text, "\n")
	lines := e.lines()
	for i := max(e.line-1, 0); i < len(lines) && hasPlace; i++ {
		if before, _, found := strings.Cut(lines[i], parts[0]); found && parts[0] != "" {
			p.Line, p.Column = i+fault.Line, fault.Column
			if fault.Line == 1 {
				p.Column += len([]rune(before))
			}
			break
		}
	}
	if p.Line > 0 && p.Line <= len(lines) {
		p.Text = lines[p.Line-1]
	}
	return p
}

// Names that every expression can use, besides those of its table.
var commonNames = []string{"args", "tool", "client", "now", "user"}

// expression reads one. names gives what it can use besides the common names, once
// all tables are read.
func (t *table) expression(key string, condition bool, names func() []string) *Expression {
	text := t.text(key)
	if text == "" {
		return nil
	}
	return t.newExpression(key, text, condition, names)
}

// expressions reads a list of them.
func (t *table) expressions(key string, condition bool, names func() []string) []*Expression {
	var list []*Expression
	for _, text := range t.texts(key) {
		list = append(list, t.newExpression(key, text, condition, names))
	}
	return list
}

func (t *table) newExpression(key, text string, condition bool, names func() []string) *Expression {
	e := &Expression{Text: text, key: key, file: t.file.path, line: t.mark.lineOf(t.path + key), lines: t.file.lines,
		layer: t.file.layer, names: names, condition: condition}
	t.file.layer.expressions = append(t.file.layer.expressions, e)
	return e
}

// ReadsUser reports that the expression speaks of the person.
func (e *Expression) ReadsUser() bool {
	if !strings.Contains(e.Text, "user") {
		return false
	}
	p, err := e.Program()
	if err != nil {
		return false // a broken one denies where it is asked
	}
	return p.ReadsUser()
}

// ReadsUser reports that some expression speaks of the person.
func (s *Set) ReadsUser() bool {
	for _, l := range s.Layers {
		if slices.ContainsFunc(l.expressions, (*Expression).ReadsUser) {
			return true
		}
	}
	return false
}

// Reads lists the members of a fact's value that some expression reads; an empty
// name stands for all of it.
func (s *Set) Reads(f Fact) []string {
	var members []string
	for _, l := range s.Layers {
		for _, e := range l.expressions {
			if !strings.Contains(e.Text, f.ID) {
				continue
			}
			p, err := e.Program()
			if err != nil {
				continue
			}
			read, reads := p.Reads()[f.ID]
			if reads && read == nil {
				return []string{""}
			}
			members = append(members, read...)
		}
	}
	return members
}

// Expressions compiles every expression of the layer and gives what is wrong with
// them: `gatewright check` does not wait for a call.
func (l *Layer) Expressions() Problems {
	var problems Problems
	for _, e := range l.expressions {
		if _, err := e.Program(); err != nil {
			problems = append(problems, err.(Problems)...)
		}
	}
	for _, f := range l.Facts {
		if _, err := l.FactsBehind([]string{f.ID}); err != nil {
			problems = append(problems, err.(Problems)...)
		}
	}
	return problems
}
