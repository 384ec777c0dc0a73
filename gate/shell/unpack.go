package shell

import (
	"strconv"
	"strings"
)

// unpacks are the files of an archive or a patch: what a line does not show of them can be
// any below a folder. known reports a program that works with some.
func (c Command) unpacks(a arguments) (list []Effect, known bool) {
	switch name := c.Program(); name {
	case "tar", "bsdtar", "gtar":
		return c.tar(), true
	case "zip":
		if len(a.operands) > 0 {
			list = each(a.operands[:1], false)
		}
		if a.has("m", "move") {
			list = append(list, each(a.operands, true)...)
		}
		return list, true
	case "unzip":
		if a.has("l", "t", "p", "z", "Z", "v") {
			return nil, true
		}
		return unknownBelow(a.valuesOf("d")), true
	case "cpio":
		if !a.has("i", "p", "extract", "pass-through") {
			return nil, true
		}
		folders := a.valuesOf("D", "directory")
		if a.has("p", "pass-through") {
			folders = a.operands
		}
		return unknownBelow(folders), true
	case "7z", "7za", "7zz", "unrar", "rar":
		return sevenZip(c.Args()), true
	case "patch":
		return c.patch(a), true
	}
	return nil, false
}

// tar makes an archive, or brings back what is in one.
func (c Command) tar() []Effect {
	args := c.Args()
	if len(args) > 0 && args[0].Text != "" && args[0].Text[0] != '-' { // tar xf FILE
		args = append([]Word{part(args[0], "-"+args[0].Text)}, args[1:]...)
		args = oldForm(args)
	}
	a := optionsOf("tar").read(args)
	archives := a.valuesOf("f", "file")
	switch {
	case a.has("x", "extract", "get"):
		if a.has("O", "to-stdout") {
			return nil
		}
		return unknownBelow(a.valuesOf("C", "directory"))
	case a.has("c", "r", "u", "A", "create", "append", "update", "delete"):
		list := each(archives, false)
		if a.has("remove-files") {
			list = append(list, each(a.operands, true)...)
		}
		return list
	}
	return nil
}

// oldForm gives each letter of tar's old form its value: they follow in the same order.
func oldForm(args []Word) []Word {
	values := optionsOf("tar").values
	out, next := []Word{}, args[1:]
	for _, letter := range args[0].Text[1:] {
		out = append(out, part(args[0], "-"+string(letter)))
		if strings.ContainsRune(values, letter) && len(next) > 0 {
			out, next = append(out, next[0]), next[1:]
		}
	}
	return append(out, next...)
}

// sevenZip tells what to do by its first word.
func sevenZip(args []Word) []Effect {
	var operands, folders []Word
	for _, w := range args {
		switch {
		case strings.HasPrefix(w.Text, "-o") && len(w.Text) > 2:
			folders = append(folders, part(w, w.Text[2:]))
		case !strings.HasPrefix(w.Text, "-"):
			operands = append(operands, w)
		}
	}
	if len(operands) == 0 {
		return nil
	}
	switch operands[0].Text {
	case "l", "t", "v", "p", "i", "b", "h", "lb", "lt", "vt":
		return nil
	case "a", "u", "d", "rn":
		return each(operands[1:min(2, len(operands))], false)
	}
	return unknownBelow(folders)
}

// unknownBelow are files of any name below some folders, or below that of the command.
func unknownBelow(folders []Word) []Effect {
	if len(folders) == 0 {
		folders = []Word{{Text: ".", Known: true}}
	}
	list := each(folders, true)
	for i := range list {
		list[i].From = Word{Text: Unknown}
	}
	return list
}

// patch applies one to the file that it is told, or to those that the patch names.
func (c Command) patch(a arguments) []Effect {
	if a.has("dry-run", "C", "check") {
		return nil
	}
	list := each(a.operands[:min(1, len(a.operands))], false)
	if len(a.operands) > 0 {
		return list
	}
	text := c.Stdin
	if len(a.valuesOf("i", "input")) > 0 {
		text = nil
	}
	strip := -1
	if p := a.valuesOf("p", "strip"); len(p) > 0 {
		if n, err := strconv.Atoi(p[0].Text); err == nil {
			strip = n
		}
	}
	return patched(text, strip, a.valuesOf("d", "directory"))
}

// patched are the files that a patch names, where the line has it. Without a count of
// leading folders to leave out, the name with and without the first.
func patched(text *Word, strip int, folders []Word) []Effect {
	if text == nil || !text.Known {
		return unknownBelow(folders)
	}
	var list []Effect
	for _, name := range patchedNames(text.Text) {
		names := []string{name}
		if _, below, ok := strings.Cut(name, "/"); ok && strip < 0 {
			names = append(names, below)
		}
		for range max(strip, 0) {
			_, names[0], _ = strings.Cut(names[0], "/")
		}
		for _, name := range names {
			list = append(list, Effect{Path: word(name)})
		}
	}
	for _, folder := range folders {
		list = below(folder, list)
	}
	return list
}

// patchedNames reads the heads of a patch; what its hunks hold is no head.
func patchedNames(text string) []string {
	var names []string
	before, after := 0, 0 // lines that are left of a hunk
	add := func(name string) {
		name, _, _ = strings.Cut(strings.TrimRight(name, "\r\n"), "\t")
		names = append(names, strings.Trim(name, `" `))
	}
	for line := range strings.Lines(text) {
		if before > 0 || after > 0 {
			switch {
			case strings.HasPrefix(line, "-"):
				before--
			case strings.HasPrefix(line, "+"):
				after--
			case !strings.HasPrefix(line, `\`):
				before, after = before-1, after-1
			}
			continue
		}
		if strings.HasPrefix(line, "@@ -") {
			before, after = hunk(line)
		}
		if pair, ok := strings.CutPrefix(line, "diff --git "); ok {
			for _, name := range strings.Fields(pair) {
				add(name)
			}
		}
		for _, head := range []string{"+++ ", "--- ", "rename from ", "rename to ", "copy to ", "Index: ", "*** "} {
			if name, ok := strings.CutPrefix(line, head); ok {
				add(name)
			}
		}
	}
	return names
}

// hunk reads @@ -a,b +c,d @@: a count that is not there is 1.
func hunk(line string) (before, after int) {
	fields := strings.Fields(line)
	count := func(i int) int {
		if i >= len(fields) {
			return 0
		}
		_, n, ok := strings.Cut(fields[i], ",")
		if !ok {
			return 1
		}
		number, _ := strconv.Atoi(n)
		return number
	}
	return count(1), count(2)
}

// below are effects in a folder.
func below(folder Word, list []Effect) []Effect {
	for i, e := range list {
		if !strings.HasPrefix(e.Path.Text, "/") {
			list[i].Path.Text, list[i].Path.Known = folder.Text+"/"+e.Path.Text, e.Path.Known && folder.Known
			list[i].Path.Glob = e.Path.Glob || folder.Glob
		}
	}
	return list
}
