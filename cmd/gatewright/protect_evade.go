package main

import (
	"path"
	"slices"
	"strings"

	"gatewright/gate/shell"
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
	if what := l.codeEvades(cmd); what != "" {
		return what
	}
	if hidesProgram(cmd) {
		if what := l.starts(); what != "" {
			return what
		}
	}
	last := len(cmd.Words)
	if last > 0 && (cmd.Reads() || takesNames(cmd)) {
		last = 1
	}
	seen := map[string]bool{}
	for i := range last {
		part := cmd
		if part.Words = cmd.Words[i:]; i > 0 {
			part.Assigns, part.BareEnv = nil, false // it may be no more than a name here
		}
		who := l.isUsOrClient(part, i)
		if who == "" || seen[who] && len(part.Args()) > maxRepeated {
			continue // the first one has seen these arguments
		}
		seen[who] = true
		if what := evadesAs(who, part, i == 0 || goRuns(cmd)); what != "" {
			return what
		}
	}
	return ""
}

// maxRepeated bounds how many arguments are looked at once more for a second
// mention of one program.
const maxRepeated = 100

func evadesAs(who string, cmd shell.Command, run bool) string {
	switch who {
	case ownName:
		if verb := peopleOnly(cmd.Args(), run); verb != "" {
			return "runs " + ownName + " " + verb
		}
	case "claude":
		if how := claudeUnhooked(cmd); how != "" {
			return "starts claude with " + how
		}
	case "codex":
		if how := codexUnhooked(cmd); how != "" {
			return "starts codex with " + how
		}
	}
	return ""
}

// isUsOrClient names the program that a word is, as one of three, or nothing. Only
// what is run may be known by less than its name.
func (l shellLine) isUsOrClient(cmd shell.Command, i int) string {
	switch {
	case l.isUs(cmd.Words[0], i):
		return ownName
	case isClient(cmd, "claude", "claude-code"):
		return "claude"
	case isClient(cmd, "codex"):
		return "codex"
	case i > 0:
		return ""
	}
	return hiddenClient(cmd.Words[0])
}

// hiddenClient tells a client by a pattern, or by what looks for it: which codex.
func hiddenClient(word shell.Word) string {
	base := path.Base(word.Text)
	for _, name := range []string{"claude", "codex"} {
		found := strings.Contains(base, shell.Unknown) && strings.Contains(word.Source, name)
		if match, _ := path.Match(base, name); found || word.Glob && match {
			return name
		}
	}
	return ""
}

// goRuns reports go run, whose first operand is a program.
func goRuns(cmd shell.Command) bool {
	return cmd.Name() == "go" && len(cmd.Words) > 1 && cmd.Words[1].Text == "run"
}

// takesNames reports a program whose words are names of its own world: images,
// packages, branches, services.
func takesNames(cmd shell.Command) bool {
	switch cmd.Name() {
	case "docker", "podman", "nerdctl", "kubectl", "helm", "git", "gh", "glab", "brew", "apt", "apt-get", "dnf", "yum", "pacman", "apk", "snap",
		"npm", "pnpm", "yarn", "pip", "pip3", "pipx", "cargo", "systemctl", "service", "journalctl", "terraform", "gcloud", "aws", "az", "mkdir",
		"touch", "cp", "mv", "rm", "ln", "tar", "zip", "scp", "rsync", "curl", "wget", "chmod", "chown":
		return true
	}
	return false
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

// isUs tells our program, by any link to it or a pattern for it if it is what is
// run.
func (l shellLine) isUs(word shell.Word, i int) bool {
	base := path.Base(strings.TrimRight(word.Text, "/"))
	if base == ownName || base == ownName+".exe" {
		return true
	}
	if i > 0 {
		return false
	}
	if !word.Known {
		return strings.Contains(word.Source, ownName)
	}
	if word.Glob {
		match, _ := path.Match(base, ownName)
		return match
	}
	return strings.Contains(word.Text, "/") && l.own.IsProgram(word.Text, l.cwd)
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
