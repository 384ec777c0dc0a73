package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// ownName is our program's, and what a pattern finds it by.
const ownName = "gatewright"

// evades says what a command does to us without writing a file of ours: it runs a
// command of ours that only people run, starts a client without its hooks, or
// stops us. The command may stand behind a program that we do not know.
func (l shellLine) evades(cmd shell.Command) string {
	if what := l.stops(cmd); what != "" {
		return what
	}
	goes := cmd.Name() == "go" && len(cmd.Words) > 1 && cmd.Words[1].Text == "run"
	last := len(cmd.Words)
	if len(cmd.Words) > 0 && reads(cmd) {
		last = 1
	}
	for i := range last {
		part := cmd
		if part.Words = cmd.Words[i:]; i > 0 {
			part.Assigns, part.BareEnv = nil, false // it may be no more than a name here
		}
		switch {
		case l.isUs(part.Words[0], i):
			if verb := peopleOnly(part.Args(), i == 0 || goes); verb != "" {
				return "runs " + ownName + " " + verb
			}
		case isClient(part, "claude", "claude-code"):
			if how := claudeUnhooked(part); how != "" {
				return "starts claude with " + how
			}
		case isClient(part, "codex"):
			if how := codexUnhooked(part); how != "" {
				return "starts codex with " + how
			}
		}
	}
	return ""
}

// mentionsEvasion judges a line that cannot be parsed by the words in it.
func mentionsEvasion(text string) string {
	for _, part := range []string{"--safe-mode", "--bare", "--setting-sources", "--disable", "bypass-hook-trust", "features.hooks", "CODEX_HOME=", "CLAUDE_CONFIG_DIR="} {
		if strings.Contains(text, part) && (strings.Contains(text, "claude") || strings.Contains(text, "codex")) {
			return "cannot be read and has " + part
		}
	}
	if strings.Contains(text, ownName) {
		return "cannot be read and names " + ownName
	}
	return ""
}

// isUs tells our program, by any link to it if it is what is run.
func (l shellLine) isUs(word shell.Word, i int) bool {
	if base := path.Base(strings.TrimRight(word.Text, "/")); base == ownName || base == ownName+".exe" {
		return true
	}
	if i > 0 {
		return false
	}
	if !word.Known {
		return strings.Contains(word.Source, ownName)
	}
	if !strings.Contains(word.Text, "/") {
		return false
	}
	program := word.Text
	if !path.IsAbs(program) {
		program = path.Join(l.cwd, program)
	}
	return slices.ContainsFunc(l.own.Files[:min(2, len(l.own.Files))], func(file string) bool { return install.IsSameFile(program, file) })
}

// peopleOnly is the subcommand that a person runs, or nothing. Options come
// before it, with values that look like anything. Where we are what is run, it
// must be known.
func peopleOnly(args []shell.Word, run bool) string {
	for i, word := range args {
		switch text := word.Text; {
		case !word.Known && run:
			return "with a subcommand that is not known"
		case slices.Contains([]string{"hook", "approve", "release", "uninstall"}, text):
			return text
		case text == "intent" && slices.ContainsFunc(args[i:], func(w shell.Word) bool { return w.Text == "grant" || !w.Known }):
			return "intent grant"
		case slices.Contains([]string{"check", "explain", "status", "log", "version", "demo", "sync", "install", "doctor", "help", "completion", "intent"}, text):
			return ""
		}
	}
	return ""
}

// isClient tells a client by its program or its package.
func isClient(cmd shell.Command, names ...string) bool {
	name := cmd.Name()
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at] // a version
	}
	return slices.Contains(names, name)
}

// moved finds a variable that makes a client look for its settings elsewhere.
func moved(cmd shell.Command, names ...string) string {
	if cmd.BareEnv {
		return "an empty environment"
	}
	for _, a := range cmd.Assigns {
		if slices.Contains(names, a.Name) || strings.Contains(a.Name, shell.Unknown) {
			return a.Name + " changed"
		}
	}
	return ""
}

func claudeUnhooked(cmd shell.Command) string {
	args := cmd.Args()
	for i, word := range args {
		name, value, attached := strings.Cut(word.Text, "=")
		switch name {
		case "--bare", "--safe-mode", "--setting-sources":
			return name
		case "--settings":
			settings := shell.Word{Text: value, Known: word.Known}
			if !attached && i+1 < len(args) {
				settings = args[i+1]
			}
			text := strings.ToLower(settings.Text)
			if !settings.Known || !strings.HasPrefix(strings.TrimSpace(text), "{") || strings.Contains(text, "hooks") || strings.Contains(text, `\u`) {
				return name
			}
		}
	}
	return moved(cmd, "HOME", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE")
}

func codexUnhooked(cmd shell.Command) string {
	args := cmd.Args()
	for i, word := range args {
		next := ""
		if i+1 < len(args) {
			next = args[i+1].Text
		}
		name, value, attached := strings.Cut(word.Text, "=")
		if attached {
			next = value
		}
		switch {
		case name == "--dangerously-bypass-hook-trust":
			return name
		case name == "--disable" && (strings.Contains(next, "hooks") || strings.Contains(next, shell.Unknown)):
			return "--disable hooks"
		case word.Text == "-c" || name == "--config":
			if unhooks(next) {
				return "--config " + shownWord(next)
			}
		case strings.HasPrefix(word.Text, "-c") && unhooks(strings.TrimPrefix(word.Text[2:], "=")):
			return "--config " + shownWord(word.Text[2:])
		case name == "disable" && i > 0 && args[i-1].Text == "features":
			return "features disable"
		}
	}
	return moved(cmd, "HOME", "CODEX_HOME")
}

// unhooks judges a setting of Codex, key=value.
func unhooks(setting string) bool {
	key, _, _ := strings.Cut(setting, "=")
	key = strings.Trim(strings.TrimSpace(strings.NewReplacer(`"`, "", `'`, "", " ", "").Replace(key)), ".")
	return key == "features" || key == "features.hooks" || key == "hooks" || strings.HasPrefix(key, "hooks.") || strings.Contains(key, shell.Unknown)
}

func shownWord(text string) string { return strings.ReplaceAll(text, shell.Unknown, "…") }

// stops finds what kills us, by name or by a pattern.
func (l shellLine) stops(cmd shell.Command) string {
	name := cmd.Name()
	if !slices.Contains([]string{"kill", "pkill", "killall", "skill", "xkill", "killall5"}, name) {
		return ""
	}
	for _, word := range cmd.Args() {
		if strings.Contains(word.Text, ownName) || strings.Contains(word.Source, ownName) ||
			word.Text == shell.Unknown && len(cmd.Wrappers) > 0 && strings.Contains(l.text, ownName) {
			return "stops " + ownName
		}
		if strings.HasPrefix(word.Text, "-") || name == "kill" {
			continue
		}
		if pattern, err := regexp.Compile("(?i)" + word.Text); err == nil && name != "skill" && pattern.MatchString(ownName) {
			if name == "pkill" || hasOption(cmd.Args(), "r", "--regexp") {
				return "stops " + ownName
			}
		}
	}
	return ""
}
