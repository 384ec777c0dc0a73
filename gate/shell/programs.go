package shell

import (
	"path"
	"slices"
	"strings"
)

// programs reads the commands in variables and options that name a program, such
// as an editor.
func (w *walker) programs(cmd Command) {
	for _, a := range cmd.Assigns {
		switch {
		case a.Name == "GIT_SSH_COMMAND":
			w.given(cmd, connects(a.Value))
		case namesProgram(a.Name):
			w.given(cmd, a.Value)
		}
	}
	args := cmd.Args()
	for _, option := range []string{"pager", "exec", "command", "pre", "editor", "compress-program", "use-compress-program", "to-command", "checkpoint-action", "upload-pack", "extcmd"} {
		if code := optionValue(args, "\n", option); code != nil {
			w.given(cmd, word(strings.TrimPrefix(code.Text, "exec=")))
		}
	}
	switch cmd.Name() {
	case "git":
		w.gitPrograms(cmd)
	case "split":
		if code := optionValue(args, "\n", "filter"); code != nil {
			w.given(cmd, *code)
		}
	case "rsync":
		if code := optionValue(args, "e", "rsh"); code != nil {
			w.given(cmd, connects(*code))
		}
	case "man":
		if code := optionValue(args, "P"); code != nil {
			w.given(cmd, *code)
		}
	case "ssh", "tmux", "screen", "parallel", "entr", "watchexec", "foreman", "dotenv", "concurrently", "wsl", "toolbox", "distrobox", "elvish", "yash", "osh", "oil",
		"hyperfine", "nodemon", "nc", "ncat", "xterm", "mapfile", "readarray", "compgen", "complete":
		for _, arg := range args {
			w.given(cmd, arg)
		}
	}
}

// connects is a program for connections with what it is given besides, a host and a
// command: ssh alone would open a shell.
func connects(code Word) Word { return Word{Text: code.Text + " host true", Known: code.Known} }

// given reads a text that a program may give to a shell. One without blanks is
// only the name of a program.
func (w *walker) given(cmd Command, code Word) {
	if text := strings.TrimLeft(code.Text, "|! "); strings.ContainsAny(text, " \t\n") {
		cmd.Assigns = nil
		w.inside(cmd, Word{Text: text})
	}
}

// namesProgram tells the variables whose value is a command.
func namesProgram(name string) bool {
	return strings.HasSuffix(name, "EDITOR") || strings.HasSuffix(name, "PAGER") || name == "LESSOPEN" || name == "PROMPT_COMMAND" || name == "PS4" ||
		name == "GIT_EXTERNAL_DIFF" || strings.HasPrefix(name, "GIT_") && strings.HasSuffix(name, "COMMAND")
}

// gitPrograms reads git's settings and the options of its subcommands.
func (w *walker) gitPrograms(cmd Command) {
	args := cmd.Args()
	for i, arg := range args {
		switch key, value, ok := strings.Cut(arg.Text, "="); {
		case i > 0 && args[i-1].Text == "-c" && strings.EqualFold(key, "core.sshCommand"):
			w.given(cmd, connects(word(value)))
		case i > 0 && args[i-1].Text == "-c" && ok && runsValue(key):
			w.given(cmd, word(value))
		case i > 0 && runsValue(args[i-1].Text) && slices.ContainsFunc(args[:i], func(word Word) bool { return word.Text == "config" }):
			w.given(cmd, arg)
		case i > 0 && (args[i-1].Text == "-x" || isFilter(args[i-1].Text)):
			w.given(cmd, arg)
		case ok && isFilter(key):
			w.given(cmd, word(value))
		case strings.HasPrefix(arg.Text, "-O"):
			w.given(cmd, word(arg.Text[2:]))
		case strings.HasPrefix(arg.Text, "-x"):
			w.given(cmd, word(arg.Text[2:]))
		case i > 0 && (arg.Text == "foreach" && hasFlag(args[:i], "submodule") || arg.Text == "run" && args[i-1].Text == "bisect"):
			cmd.Assigns = nil
			w.inside(cmd, word(texts(args[i+1:])))
		}
	}
}

func isFilter(option string) bool {
	return strings.HasPrefix(option, "--") && strings.HasSuffix(option, "-filter")
}

// runsValue tells the settings of git whose value is a command.
func runsValue(key string) bool {
	key = strings.ToLower(key)
	switch path.Ext(key) {
	case ".pager", ".editor", ".sshcommand", ".external", ".fsmonitor", ".textconv", ".cmd", ".command", ".helper", ".clean", ".smudge", ".program":
		return true
	}
	return strings.HasPrefix(key, "alias.") || strings.HasPrefix(key, "pager.")
}
