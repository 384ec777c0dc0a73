package shell

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker goes through the syntax tree. A copy of it with its own scope is a
// subshell.
type walker struct {
	*scope
	list   *list
	lookup func(string) (string, bool)
	source string
	depth  int
	branch int    // how many conditions decide whether this is run
	loops  int    // how many loops and functions this is in
	piped  *Word  // what the commands here read
	names  []Word // likewise, as patterns of paths
	away   *Away
}

// scope is the state of one shell process.
type scope struct {
	vars    map[string]Word
	assigns []Assign
	funcs   map[string]*syntax.Stmt
	aliases map[string]string
	dirs    []Word // where the next command may run
	seen    []Word // all places so far: a cd may have failed
}

func newScope() *scope {
	start := []Word{{Known: true}}
	return &scope{vars: map[string]Word{}, funcs: map[string]*syntax.Stmt{}, aliases: map[string]string{}, dirs: start, seen: start}
}

// sub is a subshell: what it changes stays inside.
func (w *walker) sub() *walker {
	inner, scope := *w, *w.scope
	scope.vars, scope.funcs, scope.aliases = maps.Clone(scope.vars), maps.Clone(scope.funcs), maps.Clone(scope.aliases)
	scope.assigns, scope.seen = slices.Clip(scope.assigns), slices.Clip(scope.seen)
	inner.scope = &scope
	return &inner
}

// settle ends a statement of a list: whether its cd took place is open again.
func (w *walker) settle() { w.dirs = w.seen }

// assign keeps a variable. Where a condition decides between two values, none is
// known.
func (w *walker) assign(a Assign) {
	w.noteAssign(a)
	before, known := w.vars[a.Name]
	if w.branch > 0 && known && before.Text != a.Value.Text {
		a.Value = Word{Text: Unknown}
	}
	w.vars[a.Name] = a.Value
}

// volatile notes the variables that arithmetic or a reference changes: their values are
// not followed.
func (w *walker) volatile(stmt *syntax.Stmt) {
	note := func(name string) {
		if w.list.volatile == nil {
			w.list.volatile = map[string]bool{}
		}
		w.list.volatile[name] = true
	}
	named := func(expr syntax.ArithmExpr) {
		if word, ok := expr.(*syntax.Word); ok && word.Lit() != "" {
			note(word.Lit())
		}
	}
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryArithm:
			switch n.Op {
			case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
				named(n.X)
			}
		case *syntax.UnaryArithm:
			if n.Op == syntax.Inc || n.Op == syntax.Dec {
				named(n.X)
			}
		case *syntax.DeclClause:
			for _, a := range n.Args {
				if ref := a.Value; ref != nil && n.Variant.Value == "declare" && a.Name != nil && ref.Lit() != "" && slices.ContainsFunc(n.Args, func(o *syntax.Assign) bool { return o.Naked && o.Value != nil && strings.Contains(o.Value.Lit(), "n") }) {
					note(ref.Lit())
					note(a.Name.Value)
				}
			}
		}
		return true
	})
}

// noteAssign keeps that a variable has been given a value.
func (w *walker) noteAssign(a Assign) {
	if slices.ContainsFunc(w.assigns, func(b Assign) bool { return b.Name == a.Name }) {
		return
	}
	if len(w.assigns) == maxAssigns {
		w.list.fail(ErrTooMany)
		return
	}
	w.assigns = append(w.assigns, a)
}

// with runs something while some variables have other values.
func (w *walker) with(assigns []Assign, run func()) {
	outer := map[string]Word{}
	for _, a := range assigns {
		if before, ok := w.vars[a.Name]; ok {
			outer[a.Name] = before
		}
	}
	for _, a := range assigns {
		w.vars[a.Name] = a.Value
	}
	run()
	for _, a := range assigns {
		if before, ok := outer[a.Name]; ok {
			w.vars[a.Name] = before
		} else {
			delete(w.vars, a.Name)
		}
	}
}

// positional are the arguments of a function or a script as its variables.
func positional(from int, args []Word) []Assign {
	out := []Assign{{Name: "@", Value: Word{Text: Unknown}}, {Name: "*", Value: Word{Text: Unknown}}}
	for i, arg := range args[:min(len(args), maxPositional)] {
		out = append(out, Assign{Name: strconv.Itoa(from + i), Value: arg})
	}
	return out
}

// maxPositional bounds the arguments that a script sees by number.
const maxPositional = 20

// value is what a variable expands to.
func (w *walker) value(name string) (Word, bool) {
	if w.list.volatile[name] {
		return Word{Text: Unknown}, true
	}
	if v, ok := w.vars[name]; ok {
		return v, true
	}
	if name == "PWD" && len(w.seen) > 1 || name == "OLDPWD" {
		return Word{}, false
	}
	text, ok := w.lookup(name)
	return Word{Text: text, Known: ok}, ok
}

// maxDirs bounds the places that are followed.
const maxDirs = 8

// changeDir follows cd and pushd.
func (w *walker) changeDir(args []Word) {
	var moved []Word
	for _, arg := range args {
		if arg.Text == "-" || !strings.HasPrefix(arg.Text, "-") && !strings.HasPrefix(arg.Text, "+") {
			moved = w.moved(arg)
			break
		}
	}
	if moved == nil { // cd alone goes home; pushd alone goes back
		home, ok := w.value("HOME")
		moved = []Word{{Text: home.Text, Known: ok && home.Known}}
	}
	w.goTo(moved)
}

func (w *walker) goTo(moved []Word) {
	w.dirs = moved
	if len(w.seen)+len(moved) > maxDirs {
		w.dirs = []Word{{Text: Unknown}}
	}
	if fresh := slices.DeleteFunc(slices.Clone(w.dirs), func(dir Word) bool { return slices.Contains(w.seen, dir) }); len(fresh) > 0 {
		w.seen = slices.Concat(w.seen, fresh)
	}
}

// originIn is that of a word in which something is not known; another has nothing to say.
func originIn(w Word) Origin {
	if w.Known {
		return Number
	}
	return w.Origin
}

// moved lists where a cd to target may lead.
func (w *walker) moved(target Word) []Word {
	if target.Text == "-" {
		return slices.Concat(w.seen, []Word{{Text: Unknown}})
	}
	if path.IsAbs(target.Text) || target.Origin == Temporary {
		return []Word{target}
	}
	var out []Word
	for _, dir := range w.dirs {
		out = append(out, Word{Text: path.Join(dir.Text, target.Text), Known: dir.Known && target.Known, Glob: dir.Glob || target.Glob, Source: dir.Source + target.Source, Origin: min(originIn(dir), originIn(target))})
	}
	if _, elsewhere := w.value("CDPATH"); elsewhere {
		out = append(out, Word{Text: path.Join(Unknown, target.Text)})
	}
	return out
}
