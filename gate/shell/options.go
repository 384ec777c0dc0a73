package shell

import "strings"

// options says how a program reads its arguments.
type options struct {
	values  string   // letters that take a value: the rest of their word, or the next one
	maybe   string   // letters that take the rest of their word, if there is any
	long    []string // long options that take a value
	files   []string // of all these, what names a file that is written
	folders []string // likewise a folder
	oneDash bool     // long options begin with one dash
}

// given is one option of a command.
type given struct {
	name  string // a letter, or the whole of a long one
	value Word
}

// arguments are a command's words as its program reads them.
type arguments struct {
	operands []Word
	given    []given
}

func (o options) read(args []Word) arguments {
	var a arguments
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case w.Text == "--":
			a.operands = append(a.operands, args[i+1:]...)
			return a
		case len(w.Text) < 2 || w.Text[0] != '-':
			a.operands = append(a.operands, w)
		case w.Text[1] == '-' || o.oneDash:
			i += a.longOption(o, w, args[i+1:])
		default:
			i += a.cluster(o, w, args[i+1:])
		}
	}
	return a
}

// longOption reads --name, --name=value or --name value, and says how many words more
// that takes. A beginning of a name will do.
func (a *arguments) longOption(o options, w Word, next []Word) int {
	name, value, attached := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
	full, takes := o.full(name)
	g := given{name: full}
	switch {
	case attached:
		g.value = part(w, value)
	case takes && len(next) > 0:
		g.value = next[0]
	}
	a.given = append(a.given, g)
	if takes && !attached && len(next) > 0 {
		return 1
	}
	return 0
}

func (o options) full(name string) (full string, takesValue bool) {
	for _, long := range o.long {
		if long == name {
			return name, true
		}
	}
	for _, long := range o.long {
		if len(name) > 2 && strings.HasPrefix(long, name) {
			return long, true
		}
	}
	return name, false
}

// cluster reads -abc, of which the last may have a value.
func (a *arguments) cluster(o options, w Word, next []Word) int {
	for i := 1; i < len(w.Text); i++ {
		letter, rest := w.Text[i:i+1], w.Text[i+1:]
		switch {
		case strings.Contains(o.maybe, letter) && rest != "":
			a.given = append(a.given, given{letter, part(w, rest)})
			return 0
		case !strings.Contains(o.values, letter):
			a.given = append(a.given, given{name: letter})
		case rest != "":
			a.given = append(a.given, given{letter, part(w, strings.TrimPrefix(rest, "="))})
			return 0
		case len(next) > 0:
			a.given = append(a.given, given{letter, next[0]})
			return 1
		default:
			a.given = append(a.given, given{name: letter})
		}
	}
	return 0
}

// part is a piece of a word.
func part(w Word, text string) Word {
	w.Text = text
	return w
}

// has reports that one of some options is given.
func (a arguments) has(names ...string) bool {
	for _, g := range a.given {
		for _, name := range names {
			if g.name == name || len(name) > 1 && len(g.name) > 2 && strings.HasPrefix(name, g.name) {
				return true
			}
		}
	}
	return false
}

// valuesOf are the values of some options.
func (a arguments) valuesOf(names ...string) []Word {
	var values []Word
	for _, g := range a.given {
		for _, name := range names {
			if g.name == name && g.value.Text != "" {
				values = append(values, g.value)
			}
		}
	}
	return values
}
