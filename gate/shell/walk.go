package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, stmt := range list {
		w.stmt(stmt)
		w.settle()
	}
}

// maybe walks what is run only under a condition.
func (w *walker) maybe(list []*syntax.Stmt) {
	w.branch++
	w.stmts(list)
	w.branch--
}

func (w *walker) stmt(stmt *syntax.Stmt) {
	if stmt == nil || w.list.full() {
		return
	}
	redirects, stdin := w.redirects(stmt.Redirs)
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
		w.call(call, redirects, stdin)
		return
	}
	if len(redirects) > 0 {
		w.emit(Command{Redirects: redirects})
	}
	if stdin != nil {
		outer := w.piped
		defer func() { w.piped = outer }()
		w.piped = stdin
	}
	w.compound(stmt.Cmd)
}

func (w *walker) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.Subshell:
		w.sub().stmts(c.Stmts)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond)
			w.maybe(c.Then)
		}
	case *syntax.WhileClause:
		w.loops++
		w.stmts(c.Cond)
		w.maybe(c.Do)
		w.loops--
	case *syntax.ForClause:
		w.loops++
		w.loop(c)
		w.loops--
	case *syntax.CaseClause:
		w.words(c.Word)
		for _, item := range c.Items {
			for _, pattern := range item.Patterns {
				w.words(pattern)
			}
			w.maybe(item.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name != nil {
			w.funcs[c.Name.Value] = c.Body
		}
		w.branch, w.loops = w.branch+1, w.loops+1
		w.sub().stmt(c.Body)
		w.branch, w.loops = w.branch-1, w.loops-1
	case *syntax.TimeClause:
		w.stmt(c.Stmt)
	case *syntax.CoprocClause:
		w.sub().stmt(c.Stmt)
	case *syntax.DeclClause:
		w.declare(c)
	case nil:
	default:
		w.nested(cmd)
	}
}

// binary walks a list or a pipe. After && a cd has taken place.
func (w *walker) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.Pipe, syntax.PipeAll:
		before := len(w.list.commands)
		text := w.output(func(w *walker) { w.stmt(c.X) })
		right := w.sub()
		right.names = namesPrinted(w.list.commands[before:])
		if text != nil {
			right.piped = text
		}
		right.stmt(c.Y)
		return
	case syntax.OrStmt:
		w.stmt(c.X)
		if leaves(c.Y) { // so what comes after it comes after a success
			defer func(dirs []Word) { w.seen = dirs }(w.dirs)
		}
		w.settle()
	default:
		w.stmt(c.X)
	}
	w.branch++
	w.stmt(c.Y)
	w.branch--
}

// leaves reports exit and return.
func leaves(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	return name == "exit" || name == "return"
}

// maxItems is how many items of a loop are told apart.
const maxItems = 16

func (w *walker) loop(c *syntax.ForClause) {
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.nested(c.Loop)
		w.maybe(c.Do)
		return
	}
	var items []Word
	for _, item := range iter.Items {
		items = append(items, w.words(item)...)
	}
	if len(items) == 0 || len(items) > maxItems {
		items = append(items, Word{Text: Unknown})
	}
	w.noteAssign(Assign{Name: iter.Name.Value, Value: items[0]})
	for _, item := range items {
		w.vars[iter.Name.Value] = item
		w.maybe(c.Do)
	}
}

// declare is export and its kin.
func (w *walker) declare(c *syntax.DeclClause) {
	cmd := Command{Words: []Word{{Text: c.Variant.Value, Known: true}}}
	for _, arg := range c.Args {
		if arg.Naked || arg.Name == nil {
			cmd.Words = append(cmd.Words, w.words(arg.Value)...)
			continue
		}
		a := w.assigned(arg)
		if slices.ContainsFunc(cmd.Words, func(word Word) bool { return word.Text == "-n" }) {
			a.Value = Word{Text: Unknown} // another name for a variable
		}
		w.assign(a)
	}
	w.emit(cmd)
}

func (w *walker) assigned(a *syntax.Assign) Assign {
	value := Word{Known: true}
	switch {
	case a.Value != nil:
		value = w.word(a.Value)
	case a.Array != nil:
		w.nested(a.Array)
		value = Word{Text: Unknown}
	}
	if a.Index != nil {
		w.nested(a.Index)
		value = Word{Text: Unknown}
	}
	if before, _ := w.value(a.Name.Value); a.Append {
		value = Word{Text: before.Text + value.Text, Known: before.Known && value.Known}
	}
	return Assign{Name: a.Name.Value, Value: value}
}

// nested walks the commands inside something else, arithmetic for one.
func (w *walker) nested(node syntax.Node) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.sub().stmts(n.Stmts)
			return false
		case *syntax.ProcSubst:
			w.sub().stmts(n.Stmts)
			return false
		}
		return true
	})
}

func (w *walker) redirects(list []*syntax.Redirect) (out []Redirect, stdin *Word) {
	for _, r := range list {
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text := w.hereDocument(r)
			stdin = &text
		case syntax.WordHdoc:
			text := w.word(r.Word)
			stdin = &text
		default:
			for _, target := range w.words(r.Word) {
				out = append(out, Redirect{Target: target, Writes: writes(r.Op, target.Text)})
			}
		}
	}
	return out, stdin
}

func writes(op syntax.RedirOperator, target string) bool {
	switch op {
	case syntax.RdrIn, syntax.DplIn:
		return false
	case syntax.DplOut: // >&2 copies a descriptor, >&file writes
		return !isDescriptor(target)
	}
	return true
}

func isDescriptor(text string) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return text != ""
}
