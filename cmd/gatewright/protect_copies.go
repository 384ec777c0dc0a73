package main

import (
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// copies judges the destination, where the source may be ours. What makes a link
// of a source, or removes it, is judged by the source, too.
func (l shellLine) copies(cmd shell.Command, name string) string {
	paths := operands(cmd)
	var dest shell.Word
	if t := targetFolder(cmd.Args()); t != nil {
		dest = *t
		paths = slices.DeleteFunc(paths, func(word shell.Word) bool { return word == dest })
	} else if len(paths) > 0 {
		dest, paths = paths[len(paths)-1], paths[:len(paths)-1]
	}
	if name == "ln" || hasOption(cmd.Args(), "ls", "--link", "--symbolic-link", "--remove-source-files") && name != "scp" && name != "install" {
		for _, source := range paths {
			if what := l.argument(cmd, source, true); what != "" {
				return what
			}
		}
	}
	if what := l.covers(cmd, dest, dest.Text, true); what != "" {
		return what
	}
	whole := name == "rsync" || hasOption(cmd.Args(), "rRa", "--recursive", "--archive")
	for _, source := range paths {
		if !l.near(dest.Text) || name == "rsync" && strings.HasSuffix(source.Text, "/") {
			continue // a copy elsewhere keeps its name and means nothing there
		}
		inside := shell.Word{Text: filepath.Join(dest.Text, filepath.Base(source.Text)), Glob: source.Glob || dest.Glob}
		if what := l.covers(cmd, inside, inside.Text, true); what != "" {
			return what
		}
		if whole && filepath.Base(inside.Text) == ".claude" {
			return inside.Text
		}
	}
	if whole && filepath.Base(dest.Text) == ".claude" {
		return dest.Text
	}
	return ""
}

// near reports whether a client that starts here could have its settings in a
// folder.
func (l shellLine) near(folder string) bool {
	if host, _, remote := strings.Cut(folder, ":"); remote && !strings.Contains(host, "/") {
		return false
	}
	if !filepath.IsAbs(folder) {
		return true
	}
	folder = filepath.Clean(folder)
	inside := func(a, b string) bool { return b != "" && (a == b || strings.HasPrefix(a, b+"/")) }
	return inside(folder, l.root) || inside(folder, l.home)
}

func targetFolder(args []shell.Word) *shell.Word {
	for i, word := range args {
		if value, ok := strings.CutPrefix(word.Text, "--target-directory="); ok {
			return &shell.Word{Text: value, Known: word.Known}
		}
		if value, ok := strings.CutPrefix(word.Text, "-t"); ok && value != "" {
			return &shell.Word{Text: value, Known: word.Known}
		}
		if (word.Text == "-t" || word.Text == "--target-directory") && i+1 < len(args) {
			return &args[i+1]
		}
	}
	return nil
}
