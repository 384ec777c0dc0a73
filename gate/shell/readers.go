package shell

import (
	"slices"
	"strings"
)

// Reads reports that a command only reads the files that it names. What is not
// known to do so counts as writing.
func (c Command) Reads() bool {
	args := c.Args()
	switch c.Name() {
	case "cat", "more", "head", "tail", "grep", "egrep", "fgrep", "zgrep", "ag", "ls", "ll", "stat", "wc", "file", "diff", "cmp", "comm",
		"md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "shasum", "md5", "cksum", "b2sum",
		"jq", "du", "df", "realpath", "readlink", "basename", "dirname", "test", "[", "echo", "printf", "bat", "batcat", "od", "hexdump",
		"strings", "cd", "pushd", "popd", "pwd", "cut", "tr", "nl", "fold", "column", "tac", "rev", "paste", "expr", "seq",
		"export", "declare", "local", "readonly", "typeset", "unset", "shift", "true", "false", ":", "return", "exit", "sleep", "wait",
		"code", "open", "xdg-open", "xclip", "xsel", "pbcopy", "wl-copy", "eza", "exa", "ncdu", "cloc", "tokei", "scc", "jsonlint", "markdownlint",
		"yamllint", "ajv", "which", "type", "hash", "help", "man", "set", "read", "kill", "pkill", "pgrep", "killall", "ps":
		return true
	case "less":
		return !HasOption(args, "oO", "--log-file", "--LOG-FILE")
	case "rg":
		return !HasOption(args, "", "--pre")
	case "tree":
		return !HasOption(args, "o", "--output")
	case "fd", "fdfind":
		return !HasOption(args, "xX", "--exec", "--exec-batch")
	case "prettier", "biome", "taplo":
		return HasOption(args, "cl", "--check", "--list-different") && !HasOption(args, "w", "--write")
	case "gh":
		return !HasOption(args, "OoD", "--output", "--dir") && !slices.ContainsFunc(args, func(word Word) bool { return word.Text == "clone" || word.Text == "download" })
	case "python", "python3":
		return c.OnlyFormats()
	case "aws", "gsutil":
		paths := c.Operands()
		return len(paths) > 0 && strings.Contains(paths[len(paths)-1].Text, "://")
	case "sort":
		return !HasOption(args, "o", "--output")
	case "yq":
		return !HasOption(args, "i", "--inplace", "--in-place")
	case "sed", "gsed":
		return !HasOption(args, "i", "--in-place")
	case "awk", "gawk", "mawk", "nawk":
		return !awkWrites(args)
	case "xxd":
		return len(c.Operands()) < 2
	case "git":
		return GitReads(args)
	case "gatewright":
		return true // evades judges it
	}
	return false
}

// awkWrites finds what can write a file that is named outside of the program.
func awkWrites(args []Word) bool {
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

// GitReads reports a subcommand that leaves the working tree as it is.
func GitReads(args []Word) bool {
	verb, rest := GitVerb(args)
	switch verb {
	case "status", "diff", "log", "show", "blame", "add", "commit", "push", "fetch", "grep", "ls-files", "ls-tree", "cat-file", "rev-parse", "rev-list",
		"check-ignore", "check-attr", "annotate", "shortlog", "describe", "hash-object", "tag", "branch", "remote", "notes":
		return !HasOption(rest, "", "--output")
	case "update-index":
		return true
	case "difftool":
		return !HasOption(rest, "x", "--extcmd")
	case "format-patch":
		return !HasOption(rest, "o", "--output-directory", "--output")
	case "restore":
		return HasOption(rest, "S", "--staged") && !HasOption(rest, "W", "--worktree")
	case "reset":
		return !HasOption(rest, "", "--hard", "--merge", "--keep")
	case "rm":
		return HasOption(rest, "", "--cached")
	}
	return false
}

// OnlyFormats reports python -m json.tool with one file, which it prints.
func (c Command) OnlyFormats() bool {
	args := c.Args()
	return len(args) >= 2 && args[0].Text == "-m" && args[1].Text == "json.tool" && len(c.Operands()) <= 2
}
