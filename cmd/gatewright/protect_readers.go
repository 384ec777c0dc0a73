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
	case "cat", "more", "head", "tail", "grep", "egrep", "fgrep", "zgrep", "ag", "ls", "ll", "stat", "wc", "file", "diff", "cmp", "comm",
		"md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "md5", "cksum", "b2sum",
		"jq", "du", "df", "realpath", "readlink", "basename", "dirname", "test", "[", "echo", "printf", "bat", "batcat", "od", "hexdump",
		"strings", "cd", "pushd", "popd", "pwd", "cut", "tr", "nl", "fold", "column", "tac", "rev", "paste", "expr", "seq",
		"export", "declare", "local", "readonly", "typeset", "unset", "shift", "true", "false", ":", "return", "exit", "sleep", "wait",
		"code", "open", "xdg-open", "xclip", "xsel", "pbcopy", "wl-copy", "eza", "exa", "ncdu", "cloc", "tokei", "scc", "jsonlint", "markdownlint",
		"yamllint", "ajv", "which", "type", "hash", "help", "man", "set", "read", "kill", "pkill", "pgrep", "killall", "ps":
		return true
	case "less":
		return !hasOption(args, "oO", "--log-file", "--LOG-FILE")
	case "rg":
		return !hasOption(args, "", "--pre")
	case "tree":
		return !hasOption(args, "o", "--output")
	case "fd", "fdfind":
		return !hasOption(args, "xX", "--exec", "--exec-batch")
	case "prettier", "biome", "taplo":
		return hasOption(args, "cl", "--check", "--list-different") && !hasOption(args, "w", "--write")
	case "gh":
		return !hasOption(args, "OoD", "--output", "--dir") && !slices.ContainsFunc(args, func(word shell.Word) bool { return word.Text == "clone" || word.Text == "download" })
	case "python", "python3":
		return onlyFormats(cmd)
	case "aws", "gsutil":
		paths := operands(cmd)
		return len(paths) > 0 && strings.Contains(paths[len(paths)-1].Text, "://")
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
	writes, given := false, false
	for _, word := range args {
		name, _, assigned := strings.Cut(word.Text, "=")
		given = given || assigned && !strings.ContainsAny(name, " {(-")
		if writes = writes || strings.Contains(word.Text, ">"); writes && given {
			return true
		}
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
	case "update-index":
		return true
	case "difftool":
		return !hasOption(rest, "x", "--extcmd")
	case "format-patch":
		return !hasOption(rest, "o", "--output-directory", "--output")
	case "restore":
		return hasOption(rest, "S", "--staged") && !hasOption(rest, "W", "--worktree")
	case "reset":
		return !hasOption(rest, "", "--hard", "--merge", "--keep")
	case "rm":
		return hasOption(rest, "", "--cached")
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
