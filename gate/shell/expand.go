package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansion is the value of anything that begins with a dollar, and of what only
// the running shell knows.
func (w *walker) expansion(part syntax.WordPart) Word {
	switch p := part.(type) {
	case *syntax.ParamExp:
		return w.parameter(p)
	case *syntax.CmdSubst:
		if text := w.output(func(w *walker) { w.stmts(p.Stmts) }); text != nil {
			return Word{Text: strings.TrimRight(text.Text, "\n"), Known: text.Known}
		}
	case nil:
	default:
		w.nested(p)
	}
	return Word{Text: Unknown}
}

func (w *walker) parameter(p *syntax.ParamExp) Word {
	w.nestedIn(p)
	plain := !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Flags == nil && p.NestedParam == nil &&
		p.Index == nil && len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0
	if !plain || p.Param == nil {
		return Word{Text: Unknown}
	}
	v, known := w.value(p.Param.Value)
	switch {
	case p.Exp == nil && known:
		return v
	case p.Exp == nil:
		return Word{Text: Unknown}
	}
	return w.otherwise(v, known, p.Exp)
}

// otherwise is ${x:-word} and its kin. Where x is not known, the word is what can
// be said.
func (w *walker) otherwise(v Word, known bool, e *syntax.Expansion) Word {
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if known && v.Text != "" {
			return v
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if known {
			return v
		}
		return Word{Text: Unknown}
	default:
		return Word{Text: Unknown}
	}
	word := w.word(e.Word)
	word.Known = false
	return word
}

// nestedIn walks the commands in the operands of an expansion.
func (w *walker) nestedIn(p *syntax.ParamExp) {
	if p.Short || p.Exp == nil && p.Index == nil && p.Slice == nil && p.Repl == nil && p.NestedParam == nil {
		return
	}
	w.nested(p)
}

// output walks commands in a subshell and gives the text that they print, if it
// is one command that prints what the line shows.
func (w *walker) output(walk func(*walker)) *Word {
	before := len(w.list.commands)
	inner := w.sub()
	walk(inner)
	if found := w.list.commands[before:]; len(found) == 1 && len(found[0].Redirects) == 0 {
		return printed(found[0], w)
	}
	return nil
}

func printed(c Command, w *walker) *Word {
	args := c.Args()
	switch c.Name() {
	case "cat":
		if len(args) == 0 {
			return c.Stdin
		}
	case "pwd":
		if v, ok := w.value("PWD"); ok {
			return &v
		}
	case "echo":
		for len(args) > 0 && (args[0].Text == "-n" || args[0].Text == "-e" || args[0].Text == "-ne") {
			args = args[1:]
		}
		return joined(args, " ")
	case "printf":
		if len(args) > 1 && strings.Contains(args[0].Text, "%") {
			args = args[1:]
		}
		return joined(args, "\n")
	}
	return nil
}

// joined is one text of several words. Backslashes that printf and echo -e read
// are read, because what is hidden in them is meant to be.
func joined(args []Word, separator string) *Word {
	out := Word{Known: true}
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = arg.Text
		out.Known = out.Known && arg.Known
	}
	out.Text = ansi(strings.Join(texts, separator), "")
	return &out
}
