package main

import (
	"path/filepath"
	"strings"

	"gatewright/gate/shell"
	"gatewright/install"
)

// covers judges a path in every place where the command may run. Where the place is
// not known, one that is surely written is judged by its name.
func (l shellLine) covers(cmd shell.Command, word shell.Word, path string, surely bool) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && l.home != "" {
		path = filepath.Join(l.home, rest) // programs that expand it themselves
	}
	hidden, relative := strings.Contains(path, shell.Unknown), !filepath.IsAbs(path)
	for _, dir := range cmd.Dirs {
		at := dir.Text
		if !filepath.IsAbs(at) {
			at = filepath.Join(l.cwd, at)
		}
		if !hidden && !word.Glob && !strings.Contains(at, shell.Unknown) && !dir.Glob {
			if what := l.own.Covers(path, at); what != "" {
				return what
			}
		} else if what := l.own.CoversPattern(path, at, l.pattern(word.Glob || dir.Glob)); what != "" {
			return what
		}
		unknown := relative && l.isUnknownPlace(dir)
		if hidden && strings.HasPrefix(path, shell.Unknown) {
			unknown = !word.IsTemporary()
		}
		if surely && unknown && install.HasName(path) {
			return filepath.Base(path) + ", or name the file by its absolute path if it is another one"
		}
	}
	return ""
}

// isUnknownPlace reports that a command may run in any folder: in one that is made
// for it, or that is named below the place of the line, there is nothing of ours.
func (l shellLine) isUnknownPlace(dir shell.Word) bool {
	if strings.Contains(dir.Text, shell.Unknown) {
		return !dir.IsTemporary()
	}
	return !l.placed && (dir.Text == "" || dir.Text == "." || strings.HasPrefix(dir.Text, ".."))
}

// pattern says what the shell makes of pattern characters in this line.
func (l shellLine) pattern(glob bool) install.Pattern {
	switch {
	case !glob:
		return install.Plain
	case l.dots:
		return install.GlobDots
	}
	return install.Glob
}

// inPlaces asks about a word in every place where the command may run.
func (l shellLine) inPlaces(cmd shell.Command, word shell.Word, ask func(word shell.Word, at string) string) string {
	for _, dir := range cmd.Dirs {
		at := dir.Text
		if !filepath.IsAbs(at) {
			at = filepath.Join(l.cwd, at)
		}
		if what := ask(word, at); what != "" {
			return what
		}
	}
	return ""
}

// holds judges a folder that is removed, moved or written as a whole.
func (l shellLine) holds(cmd shell.Command, path string) string {
	return l.inPlaces(cmd, shell.Word{Text: path}, func(word shell.Word, at string) string { return l.own.Holds(word.Text, at) })
}

// loses judges a path that is removed or moved.
func (l shellLine) loses(word shell.Word, at string) string {
	if what := l.own.Holds(word.Text, at); what != "" {
		return what
	}
	return l.replaces(word, at)
}

// replaces judges a path that is there no longer, or is another file.
func (l shellLine) replaces(word shell.Word, at string) string {
	if word.Glob || strings.Contains(word.Text+at, shell.Unknown) {
		return l.own.ReplacesPattern(word.Text, at, l.pattern(word.Glob))
	}
	return l.own.Replaces(word.Text, at)
}
