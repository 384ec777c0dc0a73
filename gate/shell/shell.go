// Package shell lists the commands that a bash command line shows, as far as its
// text tells. It runs nothing and reads no file.
package shell

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unknown stands in a Word's text for what the line does not show. No path and
// no argument can contain it.
const Unknown = "\x00"

// Word is one word after the shell's expansions.
type Word struct {
	Text   string
	Known  bool   // Text is all of it
	Glob   bool   // it has unquoted pattern characters
	Source string // as the line spells it, and where what is unknown in it comes from
	Origin Origin // of all that is not known in it
}

// Origin says what is known of what is not known.
type Origin byte

// Where unknown parts of a word come from.
const (
	Anything  Origin = iota
	Temporary        // what it begins with is a file that mktemp makes, others are names
	Name             // names: there is no slash in them
	Number           // and no letters, nor dots
)

// Redirect sends a stream to or from a file.
type Redirect struct {
	Target Word
	Writes bool // creates, cuts or extends the target
}

// Assign gives a variable a value, or takes the variable away.
type Assign struct {
	Name    string
	Value   Word
	Removed bool
}

// Command is one simple command.
type Command struct {
	Words     []Word // empty if it only redirects or assigns
	Redirects []Redirect
	Assigns   []Assign // whatever changes its environment, earlier in the line too
	BareEnv   bool     // it starts with an empty environment
	Stdin     *Word    // the text that it reads, where the line has it
	// Dirs are the places where it may run: relative to the place of the line,
	// whose own is "".
	Dirs     []Word
	Wrappers []string // programs that start it, outermost first
	Away     *Away    // where it runs, if that is not here
	// Found is what {} stands for in what find starts: patterns of paths.
	Found []Word
	// Repeated: it may run any number of times, as in a loop or a function.
	Repeated bool
}

// IsRepeated reports a command that may run any number of times.
func (c Command) IsRepeated() bool {
	return c.Repeated || slices.ContainsFunc(c.Wrappers, func(name string) bool {
		return name == "xargs" || name == "parallel" || name == "watch" || name == "find"
	})
}

// Name is the program's name without its folder; empty if the line does not show
// it.
func (c Command) Name() string {
	if len(c.Words) == 0 || strings.Contains(c.Words[0].Text, Unknown) {
		return ""
	}
	return strings.TrimSuffix(path.Base(c.Words[0].Text), ".exe")
}

// Args are the words after the program.
func (c Command) Args() []Word {
	if len(c.Words) == 0 {
		return nil
	}
	return c.Words[1:]
}

// Bounds of what is read. A line beyond them counts as one that cannot be parsed.
const (
	maxSource   = 256 << 10
	maxParsed   = 2 << 20  // of all text that is run as code
	maxDepth    = 8        // of text that is run as code
	maxCommands = 5000     // loops and functions repeat their bodies
	maxText     = 64 << 10 // of one word: x=$x$x doubles
	maxTexts    = 2 << 20  // of all words
	maxAssigns  = 300      // of variables with different names
	maxNesting  = 20000    // the parser recurses, and a full stack ends the program
)

// Errors of List, besides those of the syntax.
var (
	ErrTooLarge = errors.New("the command line is too large to be read")
	ErrTooDeep  = errors.New("the command line is nested too deeply to be read")
	ErrTooMany  = errors.New("the command line has too many commands to be read")
)

// List gives the commands in the order of the text, and what it has found so far
// with an error if the line, or code inside it, cannot be read to its end. lookup
// is the environment; it says false for what is not known.
func List(source string, lookup func(name string) (string, bool)) ([]Command, error) {
	found := &list{}
	w := walker{list: found, lookup: lookup, scope: newScope()}
	w.readSafely(source)
	return found.commands, found.err
}

// readSafely takes a panic of the parser for a line that it cannot read.
func (w *walker) readSafely(source string) {
	defer func() {
		if r := recover(); r != nil {
			w.list.fail(fmt.Errorf("the command line cannot be read: %v", r))
		}
	}()
	w.code(source)
}

type list struct {
	volatile map[string]bool // variables that are not followed
	parsed   int             // bytes of code so far
	commands []Command
	steps    int
	size     int // of the texts so far
	err      error
}

func (l *list) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// full bounds the work, of commands that emit nothing too.
func (l *list) full() bool {
	l.steps++
	over := l.steps > maxCommands || l.size > maxTexts
	if over {
		l.fail(ErrTooMany)
	}
	return over
}

// code reads text that a shell runs.
func (w *walker) code(source string) {
	if w.depth++; w.depth > maxDepth {
		w.list.fail(ErrTooDeep)
		return
	}
	defer func() { w.depth-- }()
	if w.list.parsed += len(source); len(source) > maxSource || w.list.parsed > maxParsed {
		w.list.fail(ErrTooLarge)
		return
	}
	if nesting(source) > maxNesting {
		w.list.fail(ErrTooDeep)
		return
	}
	outer := w.source
	defer func() { w.source = outer }()
	w.source = strings.ReplaceAll(source, Unknown, "${_}") // the parser drops NUL
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
	// The statements before a mistake are run.
	for stmt, err := range parser.StmtsSeq(strings.NewReader(w.source)) {
		if err != nil { // no return: the parser may say it twice
			w.list.fail(err)
			continue
		}
		w.volatile(stmt)
		w.stmt(stmt)
		w.settle()
	}
}

// nesting is at least the depth of nested constructs of a text: it counts what may
// open one.
func nesting(source string) int {
	n := 0
	for _, opener := range []string{"(", "{", "[", "`", "! ", "!\n", "!\t", "if", "while", "until", "case", "for ", "time", "coproc", "function", "select"} {
		n += strings.Count(source, opener)
	}
	return n
}
