package shell

import (
	"slices"
	"strings"
)

// Operands are the arguments that are no options.
func (c Command) Operands() []Word { return operands(c.Args()) }

func operands(args []Word) []Word {
	var out []Word
	for i, word := range args {
		if word.Text == "--" {
			return append(out, args[i+1:]...)
		}
		if !strings.HasPrefix(word.Text, "-") || word.Text == "-" {
			out = append(out, word)
		}
	}
	return out
}

// HasOption finds one of some letters among the short options, or a long one, by a
// beginning of it too.
func HasOption(args []Word, letters string, long ...string) bool {
	for _, word := range args {
		text := word.Text
		if len(text) < 2 || text[0] != '-' {
			continue
		}
		if text[1] != '-' && strings.ContainsAny(text[1:], letters) {
			return true
		}
		name, _, _ := strings.Cut(text, "=")
		if len(name) > 2 && slices.ContainsFunc(long, func(option string) bool { return strings.HasPrefix(option, name) }) {
			return true
		}
	}
	return false
}

// Sources are what a command copies or moves, and where to.
func (c Command) Sources() (from []Word, to Word) {
	from = c.Operands()
	if t := targetFolder(c.Args()); t != nil {
		return slices.DeleteFunc(from, func(word Word) bool { return word == *t }), *t
	}
	if len(from) < 2 {
		return from, Word{}
	}
	return from[:len(from)-1], from[len(from)-1]
}

func targetFolder(args []Word) *Word {
	for i, word := range args {
		if value, ok := strings.CutPrefix(word.Text, "--target-directory="); ok {
			return &Word{Text: value, Known: word.Known}
		}
		options, value, isShort := "", "", strings.HasPrefix(word.Text, "-") && !strings.HasPrefix(word.Text, "--")
		if isShort {
			options, value, isShort = strings.Cut(word.Text, "t")
		}
		switch {
		case strings.ContainsAny(options, "So"): // the value of another option
		case isShort && value != "":
			return &Word{Text: value, Known: word.Known}
		case (isShort || word.Text == "--target-directory") && i+1 < len(args):
			return &args[i+1]
		}
	}
	return nil
}

// GitVerb is git's subcommand with what follows it: it skips git's own options.
func GitVerb(args []Word) (string, []Word) {
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}, text):
			i++
		case !strings.HasPrefix(text, "-"):
			return text, args[i+1:]
		}
	}
	return "", nil
}
