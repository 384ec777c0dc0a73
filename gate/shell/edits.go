package shell

import (
	"regexp"
	"slices"
	"strings"
)

// edits are the files and folders that a program changes in place. known reports a program
// of which that is all.
func (c Command) edits(a arguments) (list []Effect, known bool) {
	switch name := c.Program(); name {
	case "sed", "gsed", "perl", "ruby":
		files, scripts := a.operands, a.valuesOf("e", "expression")
		if isSed := strings.HasSuffix(name, "sed"); len(scripts) == 0 && !a.has("f", "file") && !(a.has("E") && !isSed) && len(files) > 0 {
			files, scripts = files[1:], files[:1] // the first is the script
		}
		if strings.HasSuffix(name, "sed") {
			list, known = sedEffects(scripts), !a.has("f", "file")
			known = known && len(list) == 0 && !slices.ContainsFunc(scripts, sedRuns)
		}
		if a.has("i", "in-place") {
			list = append(list, each(files, true)...)
		}
		return list, known
	case "awk", "gawk", "mawk", "nawk":
		list = awkEffects(c.Args())
		if slices.ContainsFunc(c.Args(), func(w Word) bool { return strings.HasSuffix(w.Text, "inplace") }) {
			list = append(list, each(a.operands, true)...)
		}
		return list, false
	case "yq":
		return inPlace(a, a.has("i", "inplace"), nil), true
	case "gofmt", "goimports", "gofumpt":
		return inPlace(a, a.has("w"), []string{".go"}), true
	case "shfmt":
		return inPlace(a, a.has("w", "write"), []string{".sh", ".bash"}), true
	case "codespell", "prettier", "biome":
		return inPlace(a, a.has("w", "write", "write-changes", "apply", "fix"), nil), true
	case "clang-format", "autopep8":
		return inPlace(a, a.has("i", "in-place"), nil), true
	case "black", "isort":
		return inPlace(a, !a.has("check", "diff", "check-only", "c"), []string{".py", ".pyi", ".ipynb"}), true
	case "rustfmt":
		return inPlace(a, !a.has("check"), []string{".rs"}), true
	case "dos2unix", "unix2dos":
		return inPlace(a, true, nil), true
	case "ruff":
		format := len(a.operands) > 0 && a.operands[0].Text == "format" && !a.has("check", "diff")
		return inPlace(a, a.has("fix", "fix-only") || format, []string{".py", ".pyi", ".ipynb"}), true
	case "eslint", "stylelint", "oxlint", "rubocop", "markdownlint", "standard":
		return inPlace(a, a.has("fix", "auto-correct", "autocorrect", "auto-correct-all", "autocorrect-all", "a", "A"), nil), true
	case "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd":
		return each(packed(a), a.has("r", "recursive")), true
	}
	return nil, false
}

// inPlace are the operands of a program that changes them: of a folder, the files with one
// of its endings.
func inPlace(a arguments, changes bool, endings []string) []Effect {
	if !changes {
		return nil
	}
	if endings == nil {
		return each(a.operands, true)
	}
	list := each(a.operands, false)
	for _, w := range a.operands {
		for _, ending := range endings {
			if w.Text == Unknown {
				break
			}
			inside := part(w, strings.TrimSuffix(w.Text, "/")+"/**"+ending)
			inside.Glob = true
			list = append(list, Effect{Path: inside})
		}
	}
	return list
}

// packed are the files that a compression replaces, and what replaces them.
func packed(a arguments) []Word {
	if a.has("c", "l", "t", "stdout", "to-stdout", "list", "test") {
		return nil
	}
	if len(a.valuesOf("o")) > 0 && !a.has("rm") {
		return nil // zstd leaves the files alone
	}
	files := slices.Clip(a.operands)
	for _, w := range a.operands {
		if i := strings.LastIndexByte(w.Text, '.'); i > 0 {
			files = append(files, part(w, w.Text[:i]))
		}
		more := part(w, w.Text+".*")
		more.Glob = true
		files = append(files, more)
	}
	return files
}

// finds are the files that find itself removes, and where it lists others.
func (c Command) finds() []Effect {
	args := c.Args()
	var list []Effect
	for i, w := range args {
		switch {
		case w.Text == "-delete":
			list = append(list, each(foundBy(args[:i]), false)...)
		case (strings.HasPrefix(w.Text, "-fprint") || w.Text == "-fls") && i+1 < len(args):
			list = append(list, Effect{Path: args[i+1]})
		}
	}
	return list
}

// foundBy are the files that find finds, by its arguments up to an action: any below its
// starting points, with one of the names that it is told.
func foundBy(args []Word) []Word {
	var starts []Word
	tests := args[len(args):]
	for i, w := range args {
		if len(w.Text) > 1 && w.Text[0] == '-' && !slices.Contains([]string{"-H", "-L", "-P"}, w.Text) || w.Text == "!" || w.Text == "(" {
			tests = args[i:]
			break
		}
		if w.Text != "" && w.Text[0] != '-' {
			starts = append(starts, w)
		}
	}
	if len(starts) == 0 {
		starts = []Word{{Text: ".", Known: true}}
	}
	kind, test := namesIn(tests)
	var found []Word
	for _, start := range starts {
		pattern := part(start, strings.TrimSuffix(start.Text, "/")+"/**")
		switch kind {
		case "-name", "-iname":
			pattern.Text += test.Text
		case "-path", "-wholename":
			pattern.Text = strings.ReplaceAll(test.Text, "*", "**")
		default: // itself, too
			found = append(found, start)
		}
		pattern.Known, pattern.Glob = pattern.Known && test.Known, true
		found = append(found, pattern)
	}
	return found
}

// namesIn is the test for names that all must pass; none if other names pass, too.
func namesIn(args []Word) (kind string, test Word) {
	test = Word{Known: true}
	if i := slices.IndexFunc(args, func(w Word) bool { return w.Text == "-prune" }); i >= 0 && i+1 < len(args) && (args[i+1].Text == "-o" || args[i+1].Text == "-or") &&
		!slices.ContainsFunc(args[:i], func(w Word) bool {
			return w.Text == "-o" || w.Text == "-or" || w.Text == "(" || w.Text == "!" || w.Text == "-not"
		}) {
		args = args[i+2:] // what is pruned is not found
	}
	for i, w := range args {
		negated := i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not")
		switch w.Text {
		case "-o", "-or", ",", "(":
			return "", Word{Known: true}
		case "-name", "-iname", "-path", "-wholename":
			if i+1 < len(args) && kind == "" && !negated { // a negated one only takes away
				kind, test = w.Text, args[i+1]
			}
		}
	}
	return kind, test
}

// sedWriting finds the files that a sed script writes: its command w, and the flag w of s.
// It may take a text for one.
const sedWriting = `(?m)(?:^|[;}{\s/|,#0-9gpiIMm])[wW]\s+([^;}\n]+)`

// sedAttached finds those that follow without a blank, where no text can stand: behind an
// address, and behind the last delimiter of s.
func sedAttached() string {
	const address = `(?:\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*)`
	patterns := []string{`(?:^|[;{}])\s*(?:` + address + `(?:[,~]\+?` + address + `)?\s*!?\s*)?`}
	for _, d := range "/|,#@:!~%+_" {
		text := `(?:[^` + string(d) + `\\]|\\.)*` + regexp.QuoteMeta(string(d))
		patterns = append(patterns, "s"+regexp.QuoteMeta(string(d))+text+text+"[gpeiImM0-9]*")
	}
	return `(?m)(?:` + strings.Join(patterns, "|") + `)[wW]([^\s;}][^;}\n]*)`
}

func sedEffects(scripts []Word) []Effect {
	var list []Effect
	for _, script := range scripts {
		if !strings.ContainsAny(script.Text, "wW") {
			continue
		}
		for _, pattern := range []string{sedWriting, sedAttached()} {
			for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(script.Text, -1) {
				list = append(list, Effect{Path: part(script, strings.TrimSpace(m[1]))})
			}
		}
	}
	return list
}

// awkEffects are the files that an awk program prints to, as far as it names them.
func awkEffects(args []Word) []Effect {
	var list []Effect
	for _, program := range args {
		if !strings.Contains(program.Text, ">") {
			continue
		}
		for _, m := range regexp.MustCompile(`>\s*"([^"]+)"`).FindAllStringSubmatch(program.Text, -1) {
			list = append(list, Effect{Path: part(program, m[1])})
		}
	}
	return list
}

// edEffects are the files that a script for ed writes.
func edEffects(script *Word) []Effect {
	if script == nil {
		return nil
	}
	var list []Effect
	for line := range strings.Lines(script.Text) {
		if fields := strings.Fields(line); len(fields) == 2 && strings.Trim(fields[0], "0123456789,$.") == "w" {
			list = append(list, Effect{Path: part(*script, fields[1])})
		}
	}
	return list
}
