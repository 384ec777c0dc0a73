package main

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// reads reports that a command only reads the files that it names. What is not
// known to do so counts as writing.
func reads(cmd shell.Command) bool {
	args := cmd.Args()
	switch cmd.Name() {
	case "cat", "more", "head", "tail", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ls", "ll", "stat", "wc", "file", "diff", "cmp", "comm",
		"md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "md5", "cksum", "b2sum",
		"jq", "du", "df", "realpath", "readlink", "basename", "dirname", "test", "[", "echo", "printf", "bat", "batcat", "od", "hexdump",
		"strings", "cd", "pushd", "popd", "pwd", "cut", "tr", "nl", "fold", "column", "tac", "rev", "paste", "expr", "seq",
		"export", "declare", "local", "readonly", "typeset", "unset", "shift", "true", "false", ":", "return", "exit", "sleep", "wait",
		"which", "type", "hash", "help", "man", "set", "read", "kill", "pkill", "pgrep", "killall", "ps":
		return true
	case "less":
		return !hasOption(args, "oO", "--log-file", "--LOG-FILE")
	case "tree":
		return !hasOption(args, "o", "--output")
	case "sort":
		return !hasOption(args, "o", "--output")
	case "yq":
		return !hasOption(args, "i", "--inplace", "--in-place")
	case "sed", "gsed":
		return !hasOption(args, "i", "--in-place")
	case "awk", "gawk", "mawk", "nawk":
		return !awkWrites(args)
	case "xxd":
		return len(operands(cmd)) < 2
	case "git":
		return gitReads(args)
	case "gatewright":
		return true // evades judges it
	}
	return false
}

// awkWrites finds what can write a file that is named outside of the program.
func awkWrites(args []shell.Word) bool {
	for _, word := range args {
		if strings.Contains(word.Text, "inplace") || strings.Contains(word.Text, ">") && strings.ContainsAny(word.Text, "FA") &&
			(strings.Contains(word.Text, "FILENAME") || strings.Contains(word.Text, "ARGV")) {
			return true
		}
	}
	return false
}

// gitReads reports a subcommand that leaves the working tree as it is.
func gitReads(args []shell.Word) bool {
	verb, rest := gitVerb(args)
	switch verb {
	case "status", "diff", "log", "show", "blame", "add", "commit", "push", "fetch", "grep", "ls-files", "ls-tree", "cat-file", "rev-parse", "rev-list",
		"check-ignore", "check-attr", "annotate", "shortlog", "describe", "hash-object", "tag", "branch", "remote", "notes":
		return !hasOption(rest, "", "--output")
	}
	return false
}

// gitVerb skips git's own options.
func gitVerb(args []shell.Word) (string, []shell.Word) {
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

// programText names what of ours the code mentions that a command gives to an
// interpreter. What the code does is not known, so reading counts.
func (l shellLine) programText(cmd shell.Command) string {
	var texts []shell.Word
	switch name := interpreter(cmd.Name()); {
	case name == "sed":
		texts = scripts(cmd.Args(), "e", "f")
	case name == "awk":
		texts = scripts(cmd.Args(), "fe", "vF")
	case name == "patch", cmd.Name() == "git":
		return l.own.Mentioned(patchHeads(cmd.Stdin))
	case name != "":
		texts = cmd.Args()
		if cmd.Stdin != nil {
			texts = append(slices.Clip(texts), *cmd.Stdin)
		}
	}
	for _, word := range texts {
		if what := l.own.Mentioned(word.Text); what != "" {
			return what
		}
	}
	return ""
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
		"tmux", "screen", "at", "batch", "crontab", "systemd-run", "docker", "podman", "nsenter", "chroot", "unshare", "bwrap", "gdb", "make", "gmake":
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
