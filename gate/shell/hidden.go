package shell

import (
	"slices"
	"strings"
)

// Hidden reports a program that runs what the line does not show and nobody has written
// into a file: what it reads, or what is typed into it later.
func (c Command) Hidden() bool {
	name, args := c.Name(), c.Args()
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "rbash", "mksh", "fish", "nu", "pwsh", "elvish", "tcsh", "csh":
		if slices.ContainsFunc(c.Assigns, func(a Assign) bool { return a.Name == "BASH_ENV" }) {
			return true // it runs that file first
		}
		return shellCode(args) == nil && !hasScript(args) && (!c.readsText() || slices.ContainsFunc(args, isStream))
	case "source", ".":
		return len(args) == 0 || !isFile(args[0]) && (!c.readsText() || isStream(args[0]))
	case "python", "python2", "python3", "node", "deno", "ruby", "perl", "php", "lua", "irb", "ipython", "ghci", "tclsh", "Rscript", "julia":
		return hasFlag(args, "-i", "-a", "--interactive") || !c.readsText() && !c.readsFile() && !slices.ContainsFunc(args, func(w Word) bool {
			return isFile(w) || len(w.Text) > 1 && w.Text[0] == '-' && strings.ContainsAny(w.Text[1:], "cmepvrEV")
		})
	case "psql", "mysql", "mariadb", "mongosh", "mongo":
		return !c.readsText() && !c.readsFile() && !slices.ContainsFunc(args, func(w Word) bool {
			return strings.HasPrefix(w.Text, "-c") || strings.HasPrefix(w.Text, "-f") || strings.HasPrefix(w.Text, "-e") || strings.HasPrefix(w.Text, "-l") || strings.HasPrefix(w.Text, "-V") || strings.HasPrefix(w.Text, "--")
		})
	case "sqlite3", "duckdb":
		return len(c.Operands()) < 2 && !c.readsText() && !c.readsFile() && !hasFlag(args, "--version", "-version")
	}
	return c.opensShell()
}

// opensShell reports a program that gives somebody a shell, or runs whatever it is told
// later, unless the line has what it runs.
func (c Command) opensShell() bool {
	name, args := c.Name(), c.Args()
	switch name {
	case "login", "newgrp", "rlwrap", "expect", "telnet", "ftp", "sftp":
		return !hasFlag(args, "--version", "-h", "--help")
	case "su", "runuser", "script", "sg":
		return optionValue(args, "c", "command") == nil && !hasFlag(args, "--version", "--help")
	case "sudo", "doas":
		return hasFlag(args, "-i", "-s", "--login", "--shell", "su")
	case "gdb", "lldb":
		return !hasFlag(args, "-batch", "--batch", "--version")
	case "tmux", "screen":
		return len(args) == 0 || slices.Contains([]string{"new", "new-session", "attach", "attach-session", "a", "at", "send-keys", "send"}, args[0].Text) || strings.HasPrefix(args[0].Text, "-d") || args[0].Text == "-S" || args[0].Text == "-r"
	case "unshare", "nsenter", "chroot", "socat":
		return true
	case "ssh":
		wrap, _ := wrapperNamed(name)
		return wrap.rest(args, &Command{}) == nil && !hasFlag(args, "-V", "-N", "-G", "-Q")
	case "docker", "podman", "nerdctl", "kubectl", "oc":
		wrap, _ := wrapperNamed(name)
		verb := len(args) > 0 && (args[0].Text == "run" || args[0].Text == "exec" || args[0].Text == "attach")
		return verb && wrap.rest(args, &Command{}) == nil && slices.ContainsFunc(args, func(w Word) bool {
			return strings.HasPrefix(w.Text, "-i") || strings.HasPrefix(w.Text, "-ti") || w.Text == "--interactive"
		})
	case "make", "gmake":
		return hasFlag(args, "-f-", "-f/dev/stdin", "--file=-", "--makefile=-") || slices.ContainsFunc([]string{"f", "file", "makefile"}, func(option string) bool {
			file := optionValue(args, option, option)
			return file != nil && !isFile(*file)
		})
	case "crontab":
		return !hasFlag(args, "-l", "-r", "-V", "-e") && !c.readsText() && !slices.ContainsFunc(args, isFile)
	case "parallel":
		wrap, _ := wrapperNamed(name)
		return wrap.rest(args, &Command{}) == nil && !c.readsText()
	}
	return false
}

// readsText reports that what the command reads stands in the line.
func (c Command) readsText() bool { return c.Stdin != nil && c.Stdin.Known }

// readsFile reports that it reads a file.
func (c Command) readsFile() bool {
	return slices.ContainsFunc(c.Redirects, func(r Redirect) bool { return !r.Writes && isFile(r.Target) })
}

// isFile reports a word that is the name of a file, and of no stream. Its folder need
// not be known.
func isFile(w Word) bool {
	if w.Text == "" || w.Text[0] == '-' || strings.HasPrefix(w.Text, "/dev/") || strings.HasPrefix(w.Text, "/proc/") {
		return false
	}
	folder, base, inFolder := cutLast(w.Text)
	return w.Known || inFolder && folder != "" && !strings.Contains(base, Unknown) && strings.Trim(base, "0123456789") != "" && base != "stdin"
}

// isStream reports a word that names something to read from which is no file and not
// what is followed as standard input.
func isStream(w Word) bool {
	return !isFile(w) && w.Text != "" && w.Text[0] != '-' && !strings.HasSuffix(w.Text, "/stdin")
}

func cutLast(path string) (folder, base string, ok bool) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:], i >= 0
}

// Program is the program's name without its folder, which need not be known; empty if
// the line does not show the name.
func (c Command) Program() string {
	if len(c.Words) == 0 || c.Words[0].Glob && c.Words[0].Text != "[" {
		return ""
	}
	if _, base, _ := cutLast(c.Words[0].Text); !strings.Contains(base, Unknown) {
		return strings.TrimSuffix(base, ".exe")
	}
	return ""
}

// hasScript reports that a shell is given a file to run.
func hasScript(args []Word) bool {
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case text == "--version" || text == "--help" || text == "-n":
			return true // it runs nothing
		case text == "-s" || text == "-i":
			return false
		case text == "--rcfile" || text == "--init-file" || text == "-O" || text == "+O" || text == "-o" || text == "+o":
			i++ // its value
		case len(text) > 1 && (text[0] == '-' || text[0] == '+') && text[1] != '-' && strings.ContainsAny(text, "si"):
			return false
		case text == "" || text[0] != '-' && text[0] != '+':
			return isFile(args[i])
		}
	}
	return false
}

func hasFlag(args []Word, flags ...string) bool {
	return slices.ContainsFunc(args, func(w Word) bool { return slices.Contains(flags, w.Text) })
}

// Opaque reports a program that runs code which the line does not show.
func (c Command) Opaque() bool {
	switch name := c.Name(); name {
	case "make", "gmake", "ninja", "just", "task", "npm", "pnpm", "yarn", "bun", "cargo", "go", "mvn", "gradle", "rake", "ant", "bazel", "tox", "nox", "pytest", "jest", "ansible-playbook":
		return len(c.Args()) > 0 || name == "make" || name == "ninja" || name == "rake"
	case "python", "python2", "python3", "node", "ruby", "perl", "php", "lua", "deno", "osascript", "tclsh", "Rscript", "java", "awk", "gawk", "source", ".":
		return len(c.Args()) > 0 || c.Stdin != nil
	case "sh", "bash", "zsh", "dash", "ksh", "fish":
		return shellCode(c.Args()) == nil && hasScript(c.Args())
	case "psql", "mysql", "mariadb", "sqlite3", "duckdb", "mongosh", "gdb", "lldb", "expect":
		return true
	case "vim", "vi", "nvim", "ex", "view", "emacs":
		return slices.ContainsFunc(c.Args(), func(w Word) bool {
			return strings.HasPrefix(w.Text, "+") || strings.HasPrefix(w.Text, "--e") || hasFlag([]Word{w}, "-c", "-S", "-s", "--cmd", "--batch", "-u", "-l")
		})
	case "crontab":
		return slices.ContainsFunc(c.Args(), isFile)
	case "sed", "gsed":
		return slices.ContainsFunc(c.Args(), sedRuns)
	}
	return len(c.Words) > 0 && (strings.HasPrefix(c.Words[0].Text, "./") || strings.HasPrefix(c.Words[0].Text, "../"))
}

// sedRuns finds in a sed script its command e, or the flag e of its s, which run what they
// make of a text. It may take another text for one.
func sedRuns(script Word) bool {
	text := script.Text
	for i := 0; i < len(text); i++ {
		if text[i] != 'e' || i+1 < len(text) && !strings.ContainsRune(" \t\n;}", rune(text[i+1])) {
			continue
		}
		before := strings.TrimRight(text[:i], "gpiImM0123456789")
		isFirst := strings.Trim(text[:i], "0123456789") == ""
		if isFirst || before != "" && strings.ContainsRune("/|#,;{}\n$! \t", rune(before[len(before)-1])) {
			return true
		}
	}
	return false
}
