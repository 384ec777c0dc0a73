package main

import (
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/install"
)

// arguments judges what a command does with the paths that it is given.
func (l shellLine) arguments(cmd shell.Command) string {
	switch name := cmd.Name(); name {
	case "cp", "install", "rsync", "scp", "ln":
		return l.copies(cmd, name)
	case "mv", "rm", "rmdir", "unlink", "shred", "srm", "trash", "trash-put", "rimraf":
		return l.removes(cmd)
	case "find":
		return l.finds(cmd)
	case "mkdir":
		return l.makes(cmd)
	case "apply_patch", "applypatch":
		return l.patches(cmd)
	}
	if reads(cmd) {
		return ""
	}
	return l.anyArgument(cmd)
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
	for _, word := range operands(cmd) {
		if what := l.covers(cmd, word, word.Text, true); what != "" {
			return what
		}
	}
	return ""
}

func (l shellLine) removes(cmd shell.Command) string {
	for _, word := range cmd.Args() {
		if what := l.argument(cmd, word, true); what != "" {
			return what
		}
		if strings.HasPrefix(word.Text, "-") {
			continue
		}
		if what := l.holds(cmd, word.Text); what != "" {
			return what
		}
	}
	if paths := operands(cmd); cmd.Name() == "mv" && len(paths) > 1 {
		return l.copies(cmd, "cp")
	}
	return l.piped(cmd)
}

// operands are the arguments that are no options.
func operands(cmd shell.Command) []shell.Word {
	var out []shell.Word
	for _, word := range cmd.Args() {
		if !strings.HasPrefix(word.Text, "-") {
			out = append(out, word)
		}
	}
	return out
}

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

// hasOption finds one of some letters among the short options, or a long one.
func hasOption(args []shell.Word, letters string, long ...string) bool {
	for _, word := range args {
		text := word.Text
		name, _, _ := strings.Cut(text, "=")
		if len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[1:], letters) || slices.Contains(long, name) {
			return true
		}
	}
	return false
}

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
