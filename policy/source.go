package policy

import (
	"fmt"
	"strings"
)

// Source says where a table stands, so that every finding can name it.
type Source struct {
	Layer string // repo, …
	ID    string
	File  string
	Line  int // 1-based; 0 if unknown
}

// Problem is one thing wrong with a policy file.
type Problem struct {
	File    string
	Line    int    // 1-based; 0 if no line can be named
	Column  int    // 1-based, in characters; 0 if none can be named
	Text    string // that line
	Message string
	Hint    string // how to fix it
}

// Error is the problem in one line.
func (p Problem) Error() string {
	return joinHint(p.where()+": "+p.Message, "; ", p.Hint)
}

// Report is the problem with the offending line, for a terminal.
func (p Problem) Report() string {
	text := p.where() + ": " + p.Message
	if p.Line > 0 {
		text += fmt.Sprintf("\n%5d | %s", p.Line, strings.TrimRight(p.Text, " \t"))
	}
	return joinHint(text, "\n  hint: ", p.Hint)
}

func (p Problem) where() string {
	if p.Line == 0 {
		return p.File
	}
	if p.Column == 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

func joinHint(text, between, hint string) string {
	if hint == "" {
		return text
	}
	return text + between + hint
}

// Problems is all that is wrong with a policy; never empty as an error.
type Problems []Problem

// shown is how many problems a one-line message names.
const shown = 3

// Error names the first problems and how many follow.
func (ps Problems) Error() string {
	var texts []string
	for _, p := range ps[:min(shown, len(ps))] {
		texts = append(texts, p.Error())
	}
	text := strings.Join(texts, "; ")
	if n := len(ps) - shown; n > 0 {
		text += fmt.Sprintf(" (and %d more; run gatewright check)", n)
	}
	return text
}
