package main

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// finds judges find: what it removes or gives to a writer is known by its name
// only.
func (l shellLine) finds(cmd shell.Command) string {
	args := cmd.Args()
	removes, writes := findActions(args)
	if !removes && !writes {
		return ""
	}
	named, ours := false, false
	for i, word := range args {
		switch word.Text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-regex":
			named = true
			ours = ours || i+1 < len(args) && install.CanName(args[i+1].Text)
		case "-empty", "-mtime", "-newer", "-mmin":
			named = true
		}
	}
	for _, word := range args {
		if strings.HasPrefix(word.Text, "-") && word.Text != "-P" && word.Text != "-L" && word.Text != "-H" {
			break
		}
		if what := l.covers(cmd, word, word.Text, true); what != "" {
			return what
		}
		if what := l.holds(cmd, word.Text); what != "" && (ours || removes && !named) {
			return what
		}
	}
	return l.fprints(cmd)
}

// findActions says whether find removes what it finds, or lets something else
// than a reader have it.
func findActions(args []shell.Word) (removes, writes bool) {
	for i, word := range args {
		switch {
		case word.Text == "-delete":
			removes = true
		case strings.HasPrefix(word.Text, "-fprint"), word.Text == "-fls":
			writes = true
		case (strings.HasPrefix(word.Text, "-exec") || strings.HasPrefix(word.Text, "-ok")) && i+1 < len(args):
			inner := shell.Command{Words: args[i+1:]}
			removes = removes || slices.Contains([]string{"rm", "mv", "shred", "unlink"}, inner.Name())
			writes = writes || !reads(inner)
		}
	}
	return removes, writes
}

func (l shellLine) fprints(cmd shell.Command) string {
	args := cmd.Args()
	for i, word := range args {
		if (strings.HasPrefix(word.Text, "-fprint") || word.Text == "-fls") && i+1 < len(args) {
			if what := l.covers(cmd, args[i+1], args[i+1].Text, true); what != "" {
				return what
			}
		}
	}
	return ""
}
