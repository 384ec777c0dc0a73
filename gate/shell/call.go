package shell

import (
	"slices"
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
		w.sourced(cmd, c)
		return
	}
	for _, a := range cmd.Assigns {
		w.assign(a)
	}
	cmd.Assigns = nil
	w.emit(cmd)
}

// sourced reads what a process substitution gives to source.
func (w *walker) sourced(cmd Command, c *syntax.CallExpr) {
	if name := cmd.Name(); name != "source" && name != "." || len(c.Args) < 2 || len(c.Args[1].Parts) != 1 {
		return
	}
	if sub, ok := c.Args[1].Parts[0].(*syntax.ProcSubst); ok {
		if text := w.output(func(w *walker) { w.stmts(sub.Stmts) }); text != nil {
			w.code(text.Text)
		}
	}
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
	if cmd.Away == nil {
		cmd.Away = w.away
	}
	cmd.Repeated = cmd.Repeated || w.loops > 0
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
	w.programs(cmd)
	if body := w.funcs[cmd.Name()]; body != nil {
		w.loops++
		w.with(append(positional(1, cmd.Args()), cmd.Assigns...), func() { w.stmt(body) })
		w.loops--
	}
	if text, ok := w.aliases[cmd.Name()]; ok {
		inner := cmd
		inner.Words = append(split(word("-S"), []Word{word(text)}), cmd.Args()...)
		if len(inner.Words) > 0 && inner.Words[0].Text != cmd.Words[0].Text { // alias ls='ls -F'
			w.run(inner)
		}
	}
}

// inner reads the code that a command is given as text.
func (w *walker) inner(cmd Command) {
	args := cmd.Args()
	switch name := cmd.Name(); name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "rbash", "mksh":
		if code := shellCode(args); len(code) > 0 {
			cmd.Assigns = append(slices.Clip(cmd.Assigns), positional(0, code[1:])...)
			w.inside(cmd, code[0])
		} else if cmd.Stdin != nil && readsStdin(args) {
			w.inside(cmd, *cmd.Stdin)
		}
	case "eval":
		w.with(cmd.Assigns, func() { w.code(texts(behindDashes(args))) })
	case "trap":
		if args = behindDashes(args); len(args) > 0 {
			w.inside(cmd, args[0])
		}
	case "at", "batch", "parallel":
		if cmd.Stdin != nil {
			w.inside(cmd, *cmd.Stdin)
		}
	case "crontab":
		if cmd.Stdin != nil {
			w.scheduled(cmd)
		}
	case "start-stop-daemon":
		w.starts(cmd)
	case "su", "runuser", "script", "flock", "watch", "npx", "npm", "nix-shell":
		if code := optionValue(args, "c", "command", "call", "run"); code != nil {
			w.inside(cmd, *code)
		}
	case "source", ".":
		if cmd.Stdin != nil && len(args) > 0 && strings.HasSuffix(args[0].Text, "/stdin") {
			w.code(cmd.Stdin.Text)
		}
	}
}

// behindDashes leaves out the -- that ends options.
func behindDashes(args []Word) []Word {
	if len(args) > 0 && args[0].Text == "--" {
		return args[1:]
	}
	return args
}

// inside reads code that a process of its own runs.
func (w *walker) inside(cmd Command, code Word) {
	sub := w.sub()
	for _, a := range cmd.Assigns {
		sub.vars[a.Name] = a.Value
		if a.Name != "" && (a.Name[0] > '9' || a.Name[0] < '0') {
			sub.noteAssign(a)
		}
	}
	sub.piped = nil
	if cmd.Away != nil {
		sub.away = cmd.Away
		if w.away == nil && cmd.Away.Folder != "" {
			sub.dirs = []Word{{Text: cmd.Away.Folder, Known: true}}
			sub.seen = sub.dirs
		}
	}
	sub.code(code.Text)
}

func texts(words []Word) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word.Text
	}
	return strings.Join(out, " ")
}

// shellCode is the text after a shell's -c, and what the text gets as arguments.
func shellCode(args []Word) []Word {
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
func afterOptions(args []Word) []Word {
	for i := range args {
		if text := args[i].Text; len(text) < 2 || text[0] != '-' && text[0] != '+' {
			return args[i:]
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
