package main

import (
	"regexp"
	"strings"

	"gatewright/gate/shell"
)

// sedCode are sed's scripts, as far as they can write a file or run a command.
func sedCode(cmd shell.Command) []string {
	var out []string
	for _, word := range scripts(cmd.Args(), "e", "f") {
		if !strings.Contains(word.Text, ".") && !strings.Contains(word.Text, "/") || !sedWrites(word.Text) {
			continue
		}
		out = append(out, strings.NewReplacer("w.", "w .", "W.", "W .", "r.", "r .").Replace(word.Text))
	}
	return out
}

// sedWrites finds a command w, W, r or e, or such a flag of s, in a sed script. It
// may take a text for one.
func sedWrites(script string) bool {
	found, err := regexp.MatchString(`(^|[^A-Za-z_.\\-])[gpiI0-9Mm]*([wWrR]\s*[^\s;}]|e(\s|$|[;}]))`, script)
	return found || err != nil
}

// interpreter is the kind of a program that runs the code it is given, or nothing.
func interpreter(name string) string {
	switch name = strings.TrimRight(name, "0123456789.-"); name {
	case "sed", "gsed":
		return "sed"
	case "awk", "gawk", "mawk", "nawk":
		return "awk"
	case "patch":
		return "patch"
	case "python", "pypy", "ipython", "node", "nodejs", "deno", "bun", "tsx", "ts-node", "perl", "ruby", "irb", "php", "osascript", "lua", "luajit",
		"Rscript", "R", "julia", "tclsh", "expect", "groovy", "jshell", "swift", "elixir", "erl", "guile", "racket", "sbcl", "ghc", "runghc",
		"vim", "vi", "nvim", "view", "ex", "ed", "emacs", "emacsclient", "fish", "csh", "tcsh", "pwsh", "powershell", "xonsh", "nu", "m",
		"tmux", "screen", "at", "batch", "crontab", "systemd-run", "docker", "podman", "nsenter", "chroot", "lldb", "sqlite", "psql", "mysql", "socat", "unshare", "bwrap", "gdb", "make", "gmake":
		return name
	}
	return ""
}

// scripts are the arguments that are code: the values of options, or the first
// operand.
func scripts(args []shell.Word, code, values string) []shell.Word {
	var out []shell.Word
	given := false
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		last := text[max(len(text)-1, 0):]
		switch {
		case strings.HasPrefix(text, "--"):
			out = append(out, args[i])
			given = given || strings.HasPrefix(text, "--expression") || strings.HasPrefix(text, "--source")
		case len(text) == 2 && text[0] == '-' && strings.Contains(code+values, last) && i+1 < len(args):
			given = given || strings.Contains(code, last)
			i++
			out = append(out, args[i])
		case strings.HasPrefix(text, "-"):
			out = append(out, args[i])
			if given = given || strings.HasSuffix(text, "e"); strings.HasSuffix(text, "e") && i+1 < len(args) {
				i++
				out = append(out, args[i])
			}
		case !given:
			given = true
			out = append(out, args[i])
		}
	}
	return out
}

// patchHeads are the lines of a patch that name its files.
func patchHeads(patch *shell.Word) string {
	if patch == nil {
		return ""
	}
	var heads []string
	for line := range strings.Lines(patch.Text) {
		if strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "rename ") || strings.HasPrefix(line, "diff ") {
			heads = append(heads, line)
		}
	}
	return strings.Join(heads, "")
}
