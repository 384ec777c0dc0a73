package main

import (
	"path/filepath"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// copies judges the destination, where the source may be ours. What makes a link
// of a source, or removes it, is judged by the source, too.
func (l shellLine) copies(cmd shell.Command, name string) string {
	from, dest := cmd.Sources()
	if takesSource(cmd, name) {
		for _, source := range from {
			if what := l.argument(cmd, source, true); what != "" {
				return what
			}
		}
	}
	for _, source := range from {
		if l.own.IsProgram(source.Text, l.cwd) { // a copy that nobody would know
			return source.Text
		}
	}
	if dest.Text == "" {
		return ""
	}
	if what := l.covers(cmd, dest, dest.Text, true); what != "" {
		return what
	}
	if dest.Text == shell.Unknown {
		return l.unknown(dest)
	}
	if what := l.inPlaces(cmd, dest, l.replaces); what != "" {
		return what
	}
	if install.IsSettingsFolder(dest.Text) && l.becomes(cmd, dest, len(from)) {
		return dest.Text
	}
	if !l.near(dest.Text) {
		return "" // a copy elsewhere keeps its name and means nothing there
	}
	whole := name == "rsync" || name == "mv" || shell.HasOption(cmd.Args(), "rRa", "--recursive", "--archive")
	c := copying{cmd: cmd, dest: dest, whole: whole, parents: shell.HasOption(cmd.Args(), "", "--parents")}
	for _, source := range from {
		if what := l.copied(c, source); what != "" {
			return what
		}
	}
	return ""
}

// becomes reports that a source gets the name of the destination, and does not go
// into it.
func (l shellLine) becomes(cmd shell.Command, dest shell.Word, sources int) bool {
	if shell.HasOption(cmd.Args(), "T", "--no-target-directory") {
		return true
	}
	if sources != 1 || strings.HasSuffix(dest.Text, "/") || strings.Contains(l.text, "mkdir") {
		return false
	}
	return l.inPlaces(cmd, dest, func(_ shell.Word, at string) string {
		path := dest.Text
		if !filepath.IsAbs(path) {
			path = filepath.Join(at, path)
		}
		if l.exists(path) {
			return ""
		}
		return path
	}) != ""
}

// takesSource reports a command that makes a link of its sources, or removes them.
func takesSource(cmd shell.Command, name string) bool {
	links := shell.HasOption(cmd.Args(), "ls", "--link", "--symbolic-link", "--remove-source-files")
	return name == "ln" || links && (name == "cp" || name == "rsync")
}

// copying is a command that puts sources into a folder.
type copying struct {
	cmd     shell.Command
	dest    shell.Word
	whole   bool // folders with all that is in them
	parents bool // with the folders of their paths
}

// copied judges one source by the name that it gets. The contents of a folder may
// have any name.
func (l shellLine) copied(c copying, source shell.Word) string {
	contents := strings.HasSuffix(source.Text, "/.") || source.Text == "." || c.cmd.Name() == "rsync" && strings.HasSuffix(source.Text, "/")
	if contents {
		if c.whole && (install.IsSettingsFolder(c.dest.Text) || filepath.Clean(c.dest.Text) == "." && l.inOurs(c.cmd)) {
			return c.dest.Text
		}
		return l.holdsOutside(c.cmd, c.dest.Text)
	}
	name := filepath.Base(source.Text)
	if c.parents {
		name = source.Text
	}
	inside := shell.Word{Text: filepath.Join(c.dest.Text, name), Glob: source.Glob || c.dest.Glob}
	if what := l.covers(c.cmd, inside, inside.Text, true); what != "" {
		return what
	}
	if what := l.inPlaces(c.cmd, inside, l.replaces); what != "" {
		return what
	}
	if c.whole && install.IsSettingsFolder(inside.Text) {
		return inside.Text
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
