package main

import (
	"regexp"
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// programText names what of ours the code mentions that a command gives to an
// interpreter. What the code does is not known, so reading counts.
func (l shellLine) programText(cmd shell.Command) string {
	inside := l.inOurs(cmd)
	for _, text := range codeOf(cmd) {
		what := l.own.Mentioned(text)
		if what == "" && inside {
			what = install.MentionsBase(text)
		}
		if what == "" && removesFolder(text) {
			what = ".claude"
		}
		if what != "" {
			return what
		}
	}
	return ""
}

// codeEvades says what the code of an interpreter, or of a program that runs its
// words elsewhere, does to us.
func (l shellLine) codeEvades(cmd shell.Command) string {
	switch cmd.Name() {
	case "docker", "podman", "patch", "git": // images and files
		return ""
	}
	for _, text := range append(codeOf(cmd), elsewhere(cmd)) {
		if what := mentionsStart(text); what != "" {
			return what
		}
	}
	return ""
}

// codeOf are the texts of a command that are code.
func codeOf(cmd shell.Command) []string {
	var words []shell.Word
	switch name := interpreter(cmd.Name()); {
	case name == "sed":
		return sedCode(cmd)
	case name == "awk":
		words = scripts(cmd.Args(), "fe", "vF")
	case name == "patch", cmd.Name() == "git":
		return []string{patchHeads(cmd.Stdin)}
	case name != "" && !onlyFormats(cmd):
		words = cmd.Args()
		if cmd.Stdin != nil {
			words = append(slices.Clip(words), *cmd.Stdin)
		}
		for _, a := range cmd.Assigns {
			words = append(words, a.Value)
		}
	}
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word.Text
	}
	return out
}

// elsewhere are the words of a program that types or runs them in another shell.
func elsewhere(cmd shell.Command) string {
	switch cmd.Name() {
	case "ssh", "tmux", "screen", "parallel", "expect":
		var out []string
		for _, word := range cmd.Args() {
			out = append(out, word.Text)
		}
		return strings.Join(out, " ")
	}
	return ""
}

// onlyFormats reports python -m json.tool with one file, which it prints.
func onlyFormats(cmd shell.Command) bool {
	args := cmd.Args()
	return len(args) >= 2 && args[0].Text == "-m" && args[1].Text == "json.tool" && len(operands(cmd)) <= 2
}

// inOurs reports that a command may run in a folder that is ours, or a client's.
func (l shellLine) inOurs(cmd shell.Command) bool {
	return l.inPlaces(cmd, shell.Word{Text: "."}, func(_ shell.Word, at string) string {
		if install.IsSettingsFolder(at) {
			return at
		}
		if strings.Contains(at, shell.Unknown) {
			return ""
		}
		return l.own.Covers(at, l.cwd)
	}) != ""
}

// removesFolder finds the settings folder as a word of its own beside what removes
// or moves it.
func removesFolder(text string) bool {
	named := false
	for _, quote := range []string{`"`, `'`, "`"} {
		named = named || strings.Contains(text, quote+".claude"+quote)
	}
	if !named {
		return false
	}
	for _, verb := range []string{"rmtree", "rename", "move", "unlink", "rm", "replace", "symlink"} {
		if strings.Contains(text, verb) {
			return true
		}
	}
	return false
}

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

// mentionsStart says what code that names us or a client does to us.
func mentionsStart(text string) string {
	if !strings.Contains(text, ownName) && !strings.Contains(text, "claude") && !strings.Contains(text, "codex") {
		return ""
	}
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if i := slices.Index(words, ownName); i >= 0 {
		if slices.ContainsFunc(words, func(word string) bool { return word == "kill" || word == "pkill" || word == "killall" }) {
			return "stops " + ownName
		}
		if verb := verbAfter(words[i:]); verb != "" {
			return "runs " + ownName + " " + verb
		}
	}
	if slices.Contains(words, "claude") || slices.Contains(words, "codex") {
		for _, option := range []string{"--safe-mode", "--bare", "--setting-sources", "bypass-hook-trust", "features.hooks", "disableAllHooks", "CODEX_HOME", "CLAUDE_CONFIG_DIR"} {
			if strings.Contains(text, option) {
				return "names a client with " + option
			}
		}
		if slices.Contains(words, "--disable") && slices.Contains(words, "hooks") {
			return "names a client with --disable hooks"
		}
	}
	return ""
}

// verbAfter is a subcommand that only people run, shortly after our name.
func verbAfter(words []string) string {
	last := -10
	for i, word := range words {
		switch word {
		case ownName:
			last = i
		case "hook", "approve", "release", "uninstall":
			if i-last < 6 {
				return word
			}
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
