package shell

import (
	"slices"
	"strings"
)

// split is env -S: one word that holds several.
func split(option Word, rest []Word) []Word {
	text := option.Text
	switch i := strings.IndexByte(text, 'S'); {
	case strings.HasPrefix(text, "--split-string="):
		text = text[len("--split-string="):]
	case i >= 0 && i+1 < len(text) && !strings.HasPrefix(text, "--"):
		text = text[i+1:]
	case len(rest) > 0:
		text, rest = rest[0].Text, rest[1:]
	}
	var out []Word
	for _, part := range strings.Fields(text) {
		out = append(out, word(strings.Trim(part, `'"`)))
	}
	return append(out, rest...)
}

// word is one that the line does not have as such.
func word(text string) Word { return Word{Text: text, Known: !strings.Contains(text, Unknown)} }

// namesPrinted are the files whose names a find prints.
func namesPrinted(commands []Command) []Word {
	if len(commands) != 1 || commands[0].Name() != "find" {
		return nil
	}
	args := commands[0].Args()
	for i, arg := range args {
		switch arg.Text {
		case "-exec", "-execdir", "-ok", "-okdir", "-printf", "-fprintf":
			return nil
		case "-print", "-print0":
			return foundBy(args[:i])
		}
	}
	return foundBy(args)
}

// fed is what xargs starts: with the text that it reads, where the line has it.
func fed(inner, cmd Command) []Command {
	lines := []string{Unknown}
	if cmd.Stdin != nil {
		lines = strings.Fields(cmd.Stdin.Text)
		lines = lines[:min(len(lines), maxBraces)]
		if own := cmd.Args()[:len(cmd.Args())-len(inner.Words)]; slices.ContainsFunc(own, func(o Word) bool {
			return strings.HasPrefix(o.Text, "-d") || strings.HasPrefix(o.Text, "--d") || strings.HasPrefix(o.Text, "-a") || strings.HasPrefix(o.Text, "--arg-file")
		}) {
			lines = []string{Unknown} // cut in another way, or from elsewhere
		}
	}
	inner.Stdin = &Word{Known: true} // xargs gives none
	place := "{}"
	if r := optionValue(cmd.Args()[:len(cmd.Args())-len(inner.Words)], "I", "replace"); r != nil {
		place = r.Text
	}
	if !slices.ContainsFunc(inner.Words, func(word Word) bool { return strings.Contains(word.Text, place) }) {
		inner.Words = slices.Clip(inner.Words)
		for _, line := range lines {
			inner.Words = append(inner.Words, word(line))
		}
		return []Command{inner}
	}
	var out []Command
	for _, line := range lines {
		one := inner
		one.Words = replaced(inner.Words, place, line)
		out = append(out, one)
	}
	return out
}

func replaced(words []Word, place, by string) []Word {
	out := slices.Clone(words)
	for i, word := range out {
		if strings.Contains(word.Text, place) {
			out[i].Text, out[i].Known = strings.ReplaceAll(word.Text, place, by), word.Known && !strings.Contains(by, Unknown)
		}
	}
	return out
}

// found is find itself and what its -exec starts, with the names unknown.
func (w *walker) found(cmd Command) []Command {
	var out []Command
	args := cmd.Args()
	for i, arg := range args {
		switch arg.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(args) && args[end].Text != ";" && args[end].Text != "+" {
				end++
			}
			if end > i+1 {
				inner := cmd
				inner.Words = replaced(args[i+1:end], "{}", Unknown)
				inner.Wrappers = append(slices.Clip(cmd.Wrappers), "find")
				inner.Found = foundBy(args[:i])
				out = append(out, inner)
			}
		}
	}
	if out != nil {
		w.emit(cmd)
	}
	return out
}

// scheduled reads the commands of a crontab: they stand behind five fields, or one such as
// @daily.
func (w *walker) scheduled(cmd Command) {
	for line := range strings.Lines(cmd.Stdin.Text) {
		fields := strings.Fields(line)
		skip := 5
		if strings.HasPrefix(line, "@") {
			skip = 1
		}
		if len(fields) > skip && fields[0][0] != '#' {
			w.inside(cmd, word(strings.Join(fields[skip:], " ")))
		}
	}
}

// starts reads start-stop-daemon: the program stands behind an option, what it is given
// behind two dashes.
func (w *walker) starts(cmd Command) {
	args := cmd.Args()
	program := optionValue(args, "a", "startas", "exec")
	if program == nil {
		program = optionValue(args, "x")
	}
	i := slices.IndexFunc(args, func(w Word) bool { return w.Text == "--" })
	if program != nil {
		inner := cmd
		inner.Words = []Word{*program}
		if i >= 0 {
			inner.Words = append(inner.Words, args[i+1:]...)
		}
		w.run(inner)
	}
}
