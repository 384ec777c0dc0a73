package shell

import (
	"slices"
	"strconv"
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

func singleQuoted(q *syntax.SglQuoted) string {
	if q.Dollar {
		text, _, _ := strings.Cut(ansi(q.Value, Unknown), Unknown) // NUL ends it
		return text
	}
	return q.Value
}

// ansi reads the escapes of $'…', with what stands for NUL.
func ansi(text, nul string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'x':
			i += number(&b, text[i+1:], 16, 2, nul)
		case 'u':
			i += number(&b, text[i+1:], 16, 4, nul)
		case 'U':
			i += number(&b, text[i+1:], 16, 8, nul)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, text[i:], 8, 3, nul) - 1
		default:
			b.WriteString(control(c))
		}
	}
	return b.String()
}

// number writes the character of the longest number at the beginning of text and
// says how long that is.
func number(b *strings.Builder, text string, base, most int, nul string) int {
	for n := min(most, len(text)); n > 0; n-- {
		v, err := strconv.ParseUint(text[:n], base, 32)
		if err != nil {
			continue
		}
		switch {
		case v&0xff == 0 && most < 4 || v == 0:
			b.WriteString(nul)
		case most < 4:
			b.WriteByte(byte(v))
		default:
			b.WriteRune(rune(v))
		}
		return n
	}
	return 0
}

func control(c byte) string {
	if i := strings.IndexByte("abfnrtvE", c); i >= 0 {
		return "\a\b\f\n\r\t\v\x1b"[i : i+1]
	}
	return string(rune(c))
}

// maxBraces bounds how many words one becomes.
const maxBraces = 64

// braces expands {a,b}. What is a range is not known.
func (w *walker) braces(word *syntax.Word) []*syntax.Word {
	open := 0
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	switch {
	case open == 0:
		return []*syntax.Word{word}
	case open > maxBraces: // splitting takes its time
		w.list.fail(ErrTooDeep)
		return []*syntax.Word{word}
	}
	plain := &syntax.Word{Parts: slices.Clone(word.Parts)}
	if !syntax.SplitBraces(plain) {
		return []*syntax.Word{word}
	}
	return alternatives(plain)
}

func alternatives(word *syntax.Word) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, part := range word.Parts {
		var ways [][]syntax.WordPart
		if b, ok := part.(*syntax.BraceExp); ok && !b.Sequence && len(out)*len(b.Elems) <= maxBraces {
			for _, elem := range b.Elems {
				for _, alternative := range alternatives(elem) {
					ways = append(ways, alternative.Parts)
				}
			}
		} else if ok {
			ways = [][]syntax.WordPart{{&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "_"}}}}
		} else {
			ways = [][]syntax.WordPart{{part}}
		}
		var next []*syntax.Word
		for _, word := range out {
			for _, way := range ways {
				next = append(next, &syntax.Word{Parts: slices.Concat(word.Parts, way)})
			}
		}
		out = next
	}
	return out
}
