package main

import (
	"regexp"
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// ownLine is how a running hook looks in a list of processes.
const ownLine = ownName + " hook claude --guarded"

// stops finds what kills us, by name or by a pattern.
func (l shellLine) stops(cmd shell.Command) string {
	name, args := cmd.Name(), cmd.Args()
	if !slices.Contains([]string{"kill", "pkill", "killall", "skill", "xkill", "killall5"}, name) {
		return ""
	}
	if name == "kill" && len(args) > 1 && args[len(args)-1].Text == "-1" {
		return "stops " + ownName + " and all else"
	}
	for i, word := range args {
		switch {
		case l.meansUs(word):
			return "stops " + ownName
		case strings.HasPrefix(word.Text, "-") || name == "kill" || name == "skill":
		case i > 0 && slices.Contains([]string{"-u", "-U", "-g", "-G", "-P", "-t", "-s", "-F"}, args[i-1].Text):
		case name == "pkill" && isPattern(word.Text, shell.HasOption(args, "f", "--full")), name == "killall" && shell.HasOption(args, "r", "--regexp") && isPattern(word.Text, false):
			return "stops " + ownName
		}
	}
	return ""
}

// meansUs tells a word that has our name, or comes from what looks for us.
func (l shellLine) meansUs(word shell.Word) bool {
	if strings.Contains(word.Text, ownName) || strings.Contains(word.Source, ownName) {
		return true
	}
	if word.Known {
		return false
	}
	return looksForUs(word.Source) || word.Text == shell.Unknown && l.looks() // ps | grep | xargs kill
}

func looksForUs(text string) bool {
	return slices.ContainsFunc(searched(text), func(pattern string) bool { return len(pattern) > 2 && isPattern(pattern, true) })
}

// searched are the words that a text looks for among processes.
func searched(text string) []string {
	var out []string
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n()|;&`\"'", r) })
	looking := false
	for _, word := range words {
		switch {
		case word == "grep" || word == "pgrep" || word == "pidof" || word == "egrep":
			looking = true
		case looking && word[0] != '-':
			out = append(out, word)
			looking = false
		}
	}
	return out
}

// isPattern reports whether a pattern for processes finds us.
func isPattern(pattern string, whole bool) bool {
	found, err := regexp.Compile("(?i)" + pattern)
	if err != nil {
		return false
	}
	return found.MatchString(ownName) || whole && found.MatchString(ownLine)
}
