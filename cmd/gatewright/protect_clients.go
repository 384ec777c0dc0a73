package main

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// isClient tells a client by its program or its package.
func isClient(cmd shell.Command, names ...string) bool {
	name := cmd.Name()
	if at := strings.LastIndexByte(name, '@'); at > 0 {
		name = name[:at] // a version
	}
	if strings.HasPrefix(name, "codex-") && (strings.Contains(name, "linux") || strings.Contains(name, "darwin")) {
		name = "codex" // as it is published
	}
	return slices.Contains(names, name)
}

// moved finds a variable that makes a client look for its settings elsewhere.
func moved(cmd shell.Command, names ...string) string {
	if cmd.BareEnv {
		return "an empty environment"
	}
	for _, a := range cmd.Assigns {
		if slices.Contains(names, a.Name) || strings.HasPrefix(a.Name, "XDG_") && a.Name != "XDG_RUNTIME_DIR" || a.Name == "BASH_ENV" || strings.Contains(a.Name, shell.Unknown) {
			return a.Name + " changed"
		}
	}
	return ""
}

// onlyTells reports a client that is asked for its version or its help.
func onlyTells(args []shell.Word) bool {
	return len(args) == 1 && slices.Contains([]string{"--version", "-v", "-V", "--help", "-h", "help", "version"}, args[0].Text)
}

// changesSettings finds a subcommand that writes a client's settings for the user.
func changesSettings(args []shell.Word) string {
	var verbs []string
	for _, word := range args {
		if !strings.HasPrefix(word.Text, "-") {
			verbs = append(verbs, word.Text)
		}
	}
	if len(verbs) < 2 {
		return ""
	}
	both := verbs[0] + " " + verbs[1]
	for _, writes := range []string{"mcp add", "mcp remove", "mcp add-json", "mcp add-from-claude-desktop", "config set", "config add", "config remove"} {
		if both == writes {
			return both
		}
	}
	return ""
}

func claudeUnhooked(cmd shell.Command) string {
	args := cmd.Args()
	if onlyTells(args) {
		return ""
	}
	if verbs := changesSettings(args); verbs != "" {
		return verbs
	}
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
	if onlyTells(args) {
		return ""
	}
	if verbs := changesSettings(args); verbs != "" {
		return verbs
	}
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
	return key == "features" || key == "features.hooks" || key == "features.codex_hooks" || key == "projects" || strings.HasPrefix(key, "projects.") || key == "hooks" || strings.HasPrefix(key, "hooks.") || strings.Contains(key, shell.Unknown)
}

func shownWord(text string) string { return strings.ReplaceAll(text, shell.Unknown, "…") }
