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
		v := w.parameter(p)
		if v.Text == Unknown && v.Origin == Anything {
			v.Origin = originOfParameter(p)
		}
		return v
	case *syntax.ArithmExp:
		w.nested(p)
		return Word{Text: Unknown, Origin: Number}
	case *syntax.ProcSubst:
		w.nested(p)
		return Word{Text: "/dev/fd/63", Known: true}
	case *syntax.CmdSubst:
		before := len(w.list.commands)
		if text := w.output(func(w *walker) { w.stmts(p.Stmts) }); text != nil {
			return Word{Text: strings.TrimRight(text.Text, "\n"), Known: text.Known, Origin: text.Origin}
		}
		return Word{Text: Unknown, Origin: originOf(w.list.commands[before:])}
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
	if p.Exp.Op == syntax.OtherParamOps && v.Known && p.Exp.Word != nil && p.Exp.Word.Lit() == "P" { // expanded again, as a prompt is
		w.sub().code(`: "` + strings.ReplaceAll(v.Text, `"`, `\"`) + `"`)
	}
	if op := p.Exp.Op; op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull {
		w.noteAssign(Assign{Name: p.Param.Value, Value: Word{Text: Unknown}})
	}
	if v, ok := cut(v, p.Exp); ok && known {
		return v
	}
	return w.otherwise(v, known, p.Exp)
}

// cut is ${x%c} and ${x#c} for a c that is no pattern, ${x%/*} and ${x##*/}.
func cut(v Word, e *syntax.Expansion) (Word, bool) {
	pattern := ""
	if e.Word != nil {
		pattern = e.Word.Lit()
	}
	switch e.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if i := strings.LastIndexByte(v.Text, '/'); pattern == "/*" && i >= 0 && e.Op == syntax.RemSmallSuffix {
			v.Text = v.Text[:i]
			return v, true
		}
		v.Text = strings.TrimSuffix(v.Text, pattern)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if pattern == "*/" && e.Op == syntax.RemLargePrefix {
			v.Text = v.Text[strings.LastIndexByte(v.Text, '/')+1:]
			return v, true
		}
		v.Text = strings.TrimPrefix(v.Text, pattern)
	default:
		return v, false
	}
	return v, pattern != "" && !strings.ContainsAny(pattern, "*?[\\")
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
	word.Known, word.Origin = false, Anything
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
			return formatted(args[0], args[1:])
		}
		return joined(args, "\n")
	}
	return nil
}

// formatted is what printf makes of its arguments; anything that it can do besides
// putting them in is not known.
func formatted(format Word, args []Word) *Word {
	out := joined(append([]Word{format}, args...), "")
	parts := strings.Split(strings.ReplaceAll(format.Text, "%b", "%s"), "%s")
	if strings.Contains(strings.Join(parts, ""), "%") {
		out = joined(args, "\n")
		out.Known = false
		return out
	}
	var b strings.Builder
	for more := true; more && b.Len() < maxText; {
		b.WriteString(parts[0])
		for _, part := range parts[1:] {
			if len(args) > 0 {
				b.WriteString(args[0].Text)
				args = args[1:]
			}
			b.WriteString(part)
		}
		more = len(args) > 0 && len(parts) > 1
	}
	out.Text = ansi(b.String(), "")
	return out
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
