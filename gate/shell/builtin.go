package shell

import (
	"strings"
)

// builtin follows what changes the shell itself.
func (w *walker) builtin(cmd Command) {
	switch name := cmd.Name(); name {
	case "cd", "pushd", "chdir":
		w.changeDir(cmd.Args())
	case "popd":
		w.goTo(w.moved(Word{Text: "-"}))
	case "unset":
		for _, name := range cmd.Args() {
			w.assign(Assign{Name: name.Text, Value: Word{Known: true}, Removed: true})
		}
	case "read", "mapfile", "readarray", "let", "getopts":
		w.readNames(cmd)
	case "export", "declare", "typeset", "local", "readonly":
		for _, arg := range cmd.Args() {
			if name, value, ok := strings.Cut(arg.Text, "="); ok && name != "" && name[0] != '-' {
				w.assign(Assign{Name: name, Value: Word{Text: value, Known: arg.Known}})
			}
		}
	case "shift":
		w.losePositional()
	case "printf":
		w.printTo(cmd)
	case "set":
		w.setPositional(cmd.Args())
	case "alias":
		w.alias(cmd)
	case "hash": // hash -p PATH NAME
		if args := cmd.Args(); len(args) == 3 && args[0].Text == "-p" {
			w.aliases[args[2].Text] = args[1].Text
		}
	}
}

// readNames gives variables what a command reads, which is known where it is one
// line for one name.
func (w *walker) readNames(cmd Command) {
	var names []string
	for _, arg := range cmd.Args() {
		if name, _, _ := strings.Cut(arg.Text, "="); name != "" && name[0] != '-' {
			names = append(names, name)
		}
	}
	value := Word{Text: Unknown}
	if cmd.Stdin != nil {
		value.Source = cmd.Stdin.Text[:min(len(cmd.Stdin.Text), maxOrigin)]
		if text := strings.TrimSpace(cmd.Stdin.Text); cmd.Name() == "read" && len(names) == 1 && !strings.Contains(text, "\n") {
			value = Word{Text: text, Known: cmd.Stdin.Known}
		}
	}
	for _, name := range names {
		w.assign(Assign{Name: name, Value: value})
	}
}

// printTo is printf -v NAME.
func (w *walker) printTo(cmd Command) {
	args := cmd.Args()
	if len(args) > 0 && len(args[0].Text) > 2 && strings.HasPrefix(args[0].Text, "-v") {
		args = append([]Word{{Text: "-v"}, {Text: args[0].Text[2:]}}, args[1:]...)
	}
	if len(args) < 3 || args[0].Text != "-v" {
		return
	}
	value := Word{Text: Unknown}
	if text := printed(Command{Words: append([]Word{cmd.Words[0]}, args[2:]...)}, w); text != nil {
		value = *text
	}
	w.assign(Assign{Name: args[1].Text, Value: value})
}

// setPositional is set -- ARGUMENTS.
func (w *walker) setPositional(args []Word) {
	if len(args) == 0 || args[0].Text != "--" {
		if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && !strings.HasPrefix(args[0].Text, "+") {
			w.losePositional()
		}
		return
	}
	for _, a := range positional(1, args[1:]) {
		w.vars[a.Name] = a.Value
	}
}

// losePositional: what the parameters are now is not followed.
func (w *walker) losePositional() {
	for _, name := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*"} {
		w.vars[name] = Word{Text: Unknown}
	}
}

// alias keeps a name for a command, which is judged at once, too.
func (w *walker) alias(cmd Command) {
	for _, arg := range cmd.Args() {
		if name, value, ok := strings.Cut(arg.Text, "="); ok {
			w.aliases[name] = value
			w.inside(cmd, Word{Text: value})
		}
	}
}
