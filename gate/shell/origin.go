package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// originOf is what commands print, if they are one that prints a name.
func originOf(commands []Command) Origin {
	if len(commands) != 1 || slices.ContainsFunc(commands[0].Redirects, func(r Redirect) bool { return r.Writes && r.Target.Text != "/dev/null" }) {
		return Anything
	}
	c := commands[0]
	switch c.Name() {
	case "basename":
		return Name
	case "wc", "nproc":
		return Number
	}
	for _, w := range c.Args() {
		if !w.Known || strings.Contains(w.Text, "/") {
			return Anything
		}
	}
	switch c.Name() {
	case "seq":
		return Number
	case "date":
		if isNumeric(c.Args()) {
			return Number
		}
		return Name
	case "id":
		if hasFlag(c.Args(), "-u", "-g") && !hasFlag(c.Args(), "-n", "-un", "-gn") {
			return Number
		}
		return Name
	case "mktemp":
		for _, w := range c.Args() {
			if w.Text != "-d" && w.Text != "-q" && w.Text != "-u" && w.Text != "-dq" && w.Text != "--directory" && w.Text != "-t" && !strings.HasSuffix(w.Text, "XXX") {
				return Anything
			}
		}
		if len(operands(c.Args())) > 0 && !hasFlag(c.Args(), "-t") {
			return Anything // a file here
		}
		return Temporary
	case "uname", "hostname", "whoami", "uuidgen":
		return Name
	case "git":
		if verb, rest := GitVerb(c.Args()); verb == "rev-parse" && hasFlag(rest, "--short", "HEAD") {
			return Name
		}
	}
	return Anything
}

// isNumeric reports a form of date in which there are no letters.
func isNumeric(args []Word) bool {
	for _, w := range args {
		if form, ok := strings.CutPrefix(w.Text, "+"); ok {
			for _, digits := range []string{"%s", "%Y", "%m", "%d", "%H", "%M", "%S", "%N", "%F", "%T", "%y", "%j"} {
				form = strings.ReplaceAll(form, digits, "")
			}
			return strings.Trim(form, "-_:") == ""
		}
	}
	return false
}

// numbers are parameters whose values are numbers.
var numbers = []string{"$", "?", "#", "RANDOM", "SECONDS", "UID", "EUID", "PPID", "LINENO", "EPOCHSECONDS", "BASHPID"}

// originOfParameter: what is cut off up to the last slash leaves a name.
func originOfParameter(p *syntax.ParamExp) Origin {
	switch {
	case p.Param == nil:
		return Anything
	case p.Length, slices.Contains(numbers, p.Param.Value) && p.Exp == nil:
		return Number
	case p.Exp != nil && p.Exp.Op == syntax.RemLargePrefix && p.Exp.Word != nil && p.Exp.Word.Lit() == "*/":
		return Name
	}
	return Anything
}

// IsTemporary reports a word that begins with what mktemp makes.
func (w Word) IsTemporary() bool { return w.Origin == Temporary }
