package shell

import (
	"slices"
	"strings"
)

// edited are the files and folders that a program changes in place.
func (c Command) edited() []Word {
	args := c.Args()
	switch c.Program() {
	case "sed", "gsed", "perl", "ruby":
		if HasOption(args, "i", "--in-place") {
			return c.scripted()
		}
	case "awk", "gawk":
		if slices.ContainsFunc(args, func(w Word) bool { return strings.HasSuffix(w.Text, "inplace") }) {
			return c.Operands()
		}
	case "yq":
		if HasOption(args, "i", "--inplace", "--in-place") {
			return c.Operands()
		}
	case "gofmt", "goimports", "gofumpt", "shfmt", "codespell", "prettier", "biome":
		if HasOption(args, "w", "--write", "--write-changes") {
			return c.Operands()
		}
	case "clang-format", "autopep8":
		if HasOption(args, "i", "--in-place") {
			return c.Operands()
		}
	case "black", "isort", "rustfmt", "dos2unix", "unix2dos":
		if !HasOption(args, "", "--check", "--diff", "--check-only") {
			return c.Operands()
		}
	case "ruff", "eslint", "stylelint", "oxlint", "rubocop", "markdownlint", "standard":
		if HasOption(args, "", "--fix", "--auto-correct", "--autocorrect") || len(args) > 0 && args[0].Text == "format" {
			return c.Operands()
		}
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd":
		if !HasOption(args, "clt", "--stdout", "--list", "--test") {
			return c.packs()
		}
	}
	return nil
}

// scripted are the files of a program whose first operand is its script, unless an option
// gives that.
func (c Command) scripted() []Word {
	args, given := slices.Clone(c.Args()), false
	for i := 0; i+1 < len(args); i++ {
		if text := args[i].Text; len(text) > 1 && text[0] == '-' && text[1] != '-' && strings.ContainsAny(text[len(text)-1:], "efE") {
			args[i+1].Text, given = "-", true // its value is no file
		}
		given = given || strings.HasPrefix(args[i].Text, "--expression") || strings.HasPrefix(args[i].Text, "--file")
	}
	files := operands(args)
	if !given && len(files) > 0 {
		files = files[1:]
	}
	return files
}

// packs are the files that a compression replaces, and what replaces them.
func (c Command) packs() []Word {
	files := c.Operands()
	for _, w := range files {
		if i := strings.LastIndexByte(w.Text, '.'); i > 0 {
			files = append(files, Word{Text: w.Text[:i], Known: w.Known, Glob: w.Glob, Source: w.Source})
		}
		w.Text += ".*"
		w.Glob = true
		files = append(files, w)
	}
	return files
}

// unpacks are the files of an archive or a patch: what a line does not show of them can
// be any below a folder.
func (c Command) unpacks() []Effect {
	args := c.Args()
	switch name := c.Program(); name {
	case "tar", "bsdtar", "gtar", "zip":
		if archive := c.Packed(); archive != nil && !HasOption(args, "t", "--list") {
			return each([]Word{*archive}, false)
		} else if archive != nil || name != "zip" && Packs(args) && !HasOption(args, "", "--remove-files") {
			return nil
		} else if name == "zip" || Packs(args) {
			return each(c.Operands(), true)
		}
		return unknownBelow(Filled(args))
	case "unzip", "cpio", "pax", "unrar", "7z":
		if !HasOption(args, "ltpz", "--list") {
			return unknownBelow(Filled(args))
		}
	case "patch":
		if files := c.Operands(); len(files) > 0 {
			return each(files[:1], false)
		}
		return c.patched(Filled(args))
	}
	return nil
}

// unknownBelow are files of any name below some folders, or below that of the command.
func unknownBelow(folders []string) []Effect {
	if len(folders) == 0 {
		folders = []string{"."}
	}
	var list []Effect
	for _, folder := range folders {
		list = append(list, Effect{Path: word(folder), Tree: true, From: Word{Text: Unknown}})
	}
	return list
}

// patched are the files that a patch names, where the line has it.
func (c Command) patched(folders []string) []Effect {
	if c.Stdin == nil || !c.Stdin.Known {
		return unknownBelow(folders)
	}
	var list []Effect
	for line := range strings.Lines(c.Stdin.Text) {
		for _, head := range []string{"+++ ", "--- ", "rename from ", "rename to "} {
			if name, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), head); ok {
				name, _, _ = strings.Cut(name, "\t")
				list = append(list, Effect{Path: word(strings.Trim(name, `"`))})
				if _, below, ok := strings.Cut(strings.Trim(name, `"`), "/"); ok { // a/ and b/
					list = append(list, Effect{Path: word(below)})
				}
			}
		}
	}
	return list
}

// git are the files that git changes by their names. What a commit brings is not shown.
func (c Command) git() []Effect {
	verb, rest := GitVerb(c.Args())
	var list []Effect
	switch verb {
	case "rm":
		if !HasOption(rest, "", "--cached") {
			list = each(operands(rest), true)
		}
	case "mv", "checkout", "restore":
		list = each(operands(rest), true)
	case "clean":
		if HasOption(rest, "n", "--dry-run") {
			break
		}
		if list = each(operands(rest), true); len(list) == 0 {
			list = each([]Word{{Text: ".", Known: true}}, true)
		}
	case "apply", "am":
		if !HasOption(rest, "", "--check", "--stat", "--numstat", "--summary", "--cached") {
			list = c.patched(nil)
		}
	case "clone", "worktree":
		list = each(operands(rest), true)
	}
	for i, w := range c.Args() {
		if w.Text == "-C" && i+1 < len(c.Args()) {
			list = below(c.Args()[i+1], list)
		}
		if w.Text == verb {
			break
		}
	}
	return list
}

// below are effects in a folder.
func below(folder Word, list []Effect) []Effect {
	for i, e := range list {
		if !strings.HasPrefix(e.Path.Text, "/") {
			list[i].Path.Text, list[i].Path.Known = folder.Text+"/"+e.Path.Text, e.Path.Known && folder.Known
		}
	}
	return list
}

// finds are the files that find itself removes, and where it lists others.
func (c Command) finds() []Effect {
	args := c.Args()
	var list []Effect
	for i, w := range args {
		switch {
		case w.Text == "-delete":
			list = append(list, each(foundBy(args), true)...)
		case (strings.HasPrefix(w.Text, "-fprint") || w.Text == "-fls") && i+1 < len(args):
			list = append(list, Effect{Path: args[i+1]})
		}
	}
	return list
}

// foundBy are the files that find finds: any below its starting points, with one of the
// names that it is told.
func foundBy(args []Word) []Word {
	var starts, names []Word
	for i, w := range args {
		if len(w.Text) > 1 && w.Text[0] == '-' && !slices.Contains([]string{"-H", "-L", "-P"}, w.Text) || w.Text == "!" || w.Text == "(" {
			names = namesIn(args[i:])
			break
		}
		if w.Text[:min(len(w.Text), 1)] != "-" {
			starts = append(starts, w)
		}
	}
	if len(starts) == 0 {
		starts = []Word{{Text: ".", Known: true}}
	}
	var found []Word
	for _, start := range starts {
		for _, name := range names {
			found = append(found, Word{Text: strings.TrimSuffix(start.Text, "/") + "/**" + name.Text, Known: start.Known && name.Known, Glob: true, Source: start.Source})
		}
	}
	return found
}

// namesIn are the names that find's tests take: any, unless there is one test for a name
// that all must pass.
func namesIn(args []Word) []Word {
	any := []Word{{Known: true}}
	for i, w := range args {
		if w.Text == "-o" || w.Text == "-or" || w.Text == "," {
			return any
		}
		if (w.Text == "-name" || w.Text == "-iname") && i+1 < len(args) && (i == 0 || args[i-1].Text != "!" && args[i-1].Text != "-not") {
			any = []Word{args[i+1]}
		}
	}
	return any
}
