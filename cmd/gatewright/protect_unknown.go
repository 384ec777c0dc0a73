package main

import (
	"path"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// unknown judges a path that is surely written and that the line does not show, by
// what the line mentions. A temporary file is none of ours.
func (l shellLine) unknown(word shell.Word) string {
	if word.IsTemporary() {
		return ""
	}
	if *l.listed != "" && strings.Contains(word.Source, "find ") {
		return *l.listed
	}
	return l.mentioned()
}

// mentions names what of ours the line mentions, patterns and the name of our
// policies included.
func (l shellLine) mentions() string {
	if what := l.own.Mentioned(l.text); what != "" {
		return what
	}
	for _, word := range strings.FieldsFunc(l.text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`();|&<>=", r) }) {
		hidden := strings.HasPrefix(word, ".") || strings.Contains(word, "/.")
		if strings.HasSuffix(word, "policy.toml") || hidden && strings.ContainsAny(word, "*?[") && install.CanName(word) {
			return word
		}
	}
	return ""
}

// hidesProgram reports that the line does not show what is run: the program, or
// what a shell reads.
func hidesProgram(cmd shell.Command) bool {
	if len(cmd.Words) == 0 {
		return false
	}
	if strings.Contains(path.Base(cmd.Words[0].Text), shell.Unknown) {
		return true
	}
	args := cmd.Operands()
	if !isShell(cmd.Name()) {
		return false
	}
	if len(args) == 0 {
		return cmd.Stdin == nil && len(cmd.Args()) < 2
	}
	return strings.Contains(path.Base(args[0].Text), shell.Unknown) || strings.HasPrefix(args[0].Text, "/dev/fd/")
}

// hidesPlace is a place where a command may run and that the line does not show.
func hidesPlace(cmd shell.Command) *shell.Word {
	for i, dir := range cmd.Dirs {
		if strings.Contains(dir.Text, shell.Unknown) && !dir.IsTemporary() {
			return &cmd.Dirs[i]
		}
	}
	return nil
}

// copiesUs finds our program among what a command reads into a file.
func (l shellLine) copiesUs(cmd shell.Command) string {
	if cmd.Name() != "cat" && cmd.Name() != "base64" && cmd.Name() != "gzip" && cmd.Name() != "xxd" {
		return ""
	}
	for _, word := range cmd.Operands() {
		if l.own.IsProgram(word.Text, l.cwd) {
			return word.Text
		}
	}
	return ""
}
