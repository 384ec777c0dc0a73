package main

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/hooks"
)

// arguments judges what a command does with the paths that it is given.
func (l shellLine) arguments(cmd shell.Command) string {
	if what := l.wholeFolder(cmd); what != "" {
		return what
	}
	switch name := cmd.Name(); name {
	case "install":
		if shell.HasOption(cmd.Args(), "d", "--directory") {
			return l.makes(cmd)
		}
		return l.copies(cmd, name)
	case "cp", "rsync", "scp", "ln":
		return l.copies(cmd, name)
	case "mv", "rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "rimraf":
		return l.removes(cmd)
	case "find":
		return l.finds(cmd)
	case "mkdir":
		return l.makes(cmd)
	case "tar", "bsdtar", "gtar", "zip":
		if archive := cmd.Packed(); archive != nil {
			return l.argument(cmd, *archive, true)
		}
	case "apply_patch", "applypatch":
		return l.patches(cmd)
	}
	if cmd.Reads() {
		return ""
	}
	if what := l.anyArgument(cmd); what != "" {
		return what
	}
	if cmd.Name() == "go" {
		return l.builds(cmd)
	}
	return l.fetches(cmd)
}

// takesPaths reports a command whose operands are paths, whatever they look like,
// and which writes them.
func takesPaths(cmd shell.Command) bool {
	switch cmd.Name() {
	case "tee", "touch", "truncate", "dd", "chmod", "chown", "chgrp", "sponge", "patch", "chattr", "sed", "gsed", "perl", "ed", "ex", "vim", "vi", "nano":
		return true
	}
	return false
}

func (l shellLine) makes(cmd shell.Command) string {
	for _, word := range cmd.Operands() {
		if what := l.covers(cmd, word, word.Text, true); what != "" {
			return what
		}
	}
	return ""
}

func (l shellLine) removes(cmd shell.Command) string {
	words := cmd.Operands()
	if cmd.Name() == "mv" {
		words, _ = cmd.Sources()
	}
	place := hidesPlace(cmd)
	for _, word := range words {
		if what := l.argument(cmd, word, true); what != "" {
			return what
		}
		if place != nil && strings.HasPrefix(word.Text, "*") && word.Glob { // cd $(dirname .gatewright/policy.toml) && rm *
			if what := l.unknown(*place); what != "" {
				return what
			}
		}
		if what := l.inPlaces(cmd, word, l.loses); what != "" && cmd.Name() != "rmdir" { // which removes only what is empty
			return what
		}
	}
	if cmd.Name() == "mv" {
		if what := l.copies(cmd, "mv"); what != "" {
			return what
		}
	}
	return l.piped(cmd)
}

// patches judges a patch that Codex's own program applies from a command line.
func (l shellLine) patches(cmd shell.Command) string {
	texts := cmd.Args()
	if cmd.Stdin != nil {
		texts = append(slices.Clip(texts), *cmd.Stdin)
	}
	for _, text := range texts {
		for _, path := range hooks.PatchedFiles(text.Text) {
			if what := l.covers(cmd, shell.Word{Text: path}, path, true); what != "" {
				return what
			}
		}
	}
	return ""
}
