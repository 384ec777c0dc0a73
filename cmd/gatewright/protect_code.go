package main

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// programText names what of ours the code mentions that a command gives to an
// interpreter. What the code does is not known, so reading counts.
func (l shellLine) programText(cmd shell.Command) string {
	texts := codeOf(cmd)
	if len(texts) == 0 {
		return ""
	}
	text := strings.Join(texts, " ")
	if what := l.own.Mentioned(text); what != "" {
		return what
	}
	if removesFolder(text) {
		return ".claude"
	}
	base := install.MentionsBase(text)
	if base != "" && hidesPlace(cmd) != nil {
		return l.mentioned()
	}
	if base != "" && l.inOurs(cmd) {
		return base
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
	return mentionsStart(strings.Join(append(codeOf(cmd), elsewhere(cmd)), " "))
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
	case name != "" && !cmd.OnlyFormats():
		words = cmd.Args()
		if cmd.Stdin != nil {
			words = append(slices.Clip(words), *cmd.Stdin)
		}
		for _, a := range cmd.Assigns {
			words = append(words, a.Value)
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{textOf(words)}
}

// elsewhere are the words of a program that types or runs them in another shell.
func elsewhere(cmd shell.Command) string {
	switch cmd.Name() {
	case "ssh", "tmux", "screen", "parallel", "expect":
		return textOf(cmd.Args())
	}
	return ""
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
	if slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, "claude") || strings.HasPrefix(word, "codex") }) {
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
