package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (w *walker) call(c *syntax.CallExpr, redirects []Redirect, stdin *Word) {
	cmd := Command{Redirects: redirects, Stdin: stdin}
	for _, a := range c.Assigns {
		cmd.Assigns = append(cmd.Assigns, w.assigned(a))
	}
	for _, arg := range c.Args {
		cmd.Words = append(cmd.Words, w.words(arg)...)
	}
	if len(cmd.Words) > 0 {
		w.run(cmd)
		return
	}
	for _, a := range cmd.Assigns {
		w.assign(a)
	}
	cmd.Assigns = nil
	w.emit(cmd)
}

// emit adds a command as it is.
func (w *walker) emit(cmd Command) {
	if w.list.full() {
		return
	}
	cmd.Assigns = append(w.assigns[:len(w.assigns):len(w.assigns)], cmd.Assigns...)
	if cmd.Dirs == nil {
		cmd.Dirs = w.dirs
	}
	if cmd.Stdin == nil {
		cmd.Stdin = w.piped
	}
	w.list.commands = append(w.list.commands, cmd)
}

// run adds a command and what it starts in its turn.
func (w *walker) run(cmd Command) {
	if w.list.full() {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	if w.depth > maxDepth {
		w.list.fail(ErrTooDeep)
		return
	}
	if cmd.Stdin == nil {
		cmd.Stdin = w.piped
	}
	if started := w.unwrap(cmd); started != nil {
		for _, inner := range started {
			w.run(inner)
		}
		return
	}
	w.emit(cmd)
	w.builtin(cmd)
	w.inner(cmd)
	if body := w.funcs[cmd.Name()]; body != nil {
		w.stmt(body)
	}
}

// builtin follows what changes the shell itself.
func (w *walker) builtin(cmd Command) {
	switch cmd.Name() {
	case "cd", "pushd", "chdir":
		w.changeDir(cmd.Args())
	case "popd":
		w.goTo(w.moved(Word{Text: "-"}))
	case "unset":
		for _, name := range cmd.Args() {
			w.assign(Assign{Name: name.Text, Value: Word{Known: true}, Removed: true})
		}
	}
}

// inner reads the code that a command is given as text.
func (w *walker) inner(cmd Command) {
	args := cmd.Args()
	switch name := cmd.Name(); name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "rbash", "mksh":
		if code := shellCode(args); code != nil {
			w.inside(cmd, *code)
		} else if cmd.Stdin != nil && readsStdin(args) {
			w.inside(cmd, *cmd.Stdin)
		}
	case "eval":
		w.code(texts(args))
	case "trap", "alias":
		for _, arg := range args {
			_, value, ok := strings.Cut(arg.Text, "=")
			if name == "trap" || !ok {
				value = arg.Text
			}
			w.inside(cmd, Word{Text: value})
			if name == "trap" {
				return
			}
		}
	case "su", "script", "flock", "watch", "npx", "npm", "nix-shell":
		if code := optionValue(args, "c", "command", "call", "run"); code != nil {
			w.inside(cmd, *code)
		}
	case "source", ".":
		if cmd.Stdin != nil && len(args) > 0 && strings.HasSuffix(args[0].Text, "/stdin") {
			w.code(cmd.Stdin.Text)
		}
	}
}

// inside reads code that a process of its own runs.
func (w *walker) inside(cmd Command, code Word) {
	sub := w.sub()
	sub.assigns = append(sub.assigns, cmd.Assigns...)
	sub.piped = nil
	sub.code(code.Text)
}

func texts(words []Word) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word.Text
	}
	return strings.Join(out, " ")
}

// shellCode is the text after a shell's -c.
func shellCode(args []Word) *Word {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		switch {
		case len(text) < 2 || text[0] != '-' && text[0] != '+':
			return nil
		case text[1] != '-' && text[0] == '-' && strings.Contains(text, "c"):
			return afterOptions(args[i+1:])
		case text == "--rcfile" || text == "--init-file" || text[1] != '-' && strings.HasSuffix(strings.ToLower(text), "o"):
			i++ // its value
		}
	}
	return nil
}

// afterOptions is the first word that is no option: bash takes more of them
// between -c and its text.
func afterOptions(args []Word) *Word {
	for i := range args {
		if text := args[i].Text; len(text) < 2 || text[0] != '-' && text[0] != '+' {
			return &args[i]
		}
	}
	return nil
}

// readsStdin reports that a shell has no file to read its commands from.
func readsStdin(args []Word) bool {
	for _, arg := range args {
		switch {
		case arg.Text == "-s" || arg.Text == "-":
			return true
		case strings.HasSuffix(arg.Text, "/stdin"):
			return true
		case !strings.HasPrefix(arg.Text, "-"):
			return false
		}
	}
	return true
}

// optionValue is the value of the first option of one of these names.
func optionValue(args []Word, short string, long ...string) *Word {
	for i, arg := range args {
		for _, name := range long {
			if value, ok := strings.CutPrefix(arg.Text, "--"+name+"="); ok {
				return &Word{Text: value, Known: arg.Known}
			}
			if arg.Text == "--"+name && i+1 < len(args) {
				return &args[i+1]
			}
		}
		if strings.HasPrefix(arg.Text, "-") && !strings.HasPrefix(arg.Text, "--") && strings.HasSuffix(arg.Text, short) && i+1 < len(args) {
			return &args[i+1]
		}
	}
	return nil
}
