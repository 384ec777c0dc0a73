package shell

import "strings"

// Packs reports tar where it reads: it creates, extends or lists an archive.
func Packs(args []Word) bool {
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && strings.ContainsAny(args[0].Text, "ctru") {
		return true
	}
	return HasOption(args, "ctru", "--create", "--list", "--append", "--update") && !HasOption(args, "x", "--extract", "--get")
}

// Packed is the archive that a command makes of files that it leaves alone, or
// nothing.
func (c Command) Packed() *Word {
	args := c.Args()
	if c.Name() == "zip" {
		if paths := c.Operands(); len(paths) > 0 && !HasOption(args, "m", "--move") {
			return &paths[0]
		}
		return nil
	}
	if !Packs(args) || HasOption(args, "IF", "--remove-files", "--to-command", "--use-compress-program") {
		return nil
	}
	for i, word := range args {
		file, long := strings.CutPrefix(word.Text, "--file=")
		short := i == 0 || strings.HasPrefix(word.Text, "-") && !strings.HasPrefix(word.Text, "--")
		switch at := strings.IndexByte(word.Text, 'f'); {
		case long:
			return &Word{Text: file, Known: word.Known}
		case short && at >= 0 && at+1 < len(word.Text) && word.Text[0] == '-':
			return &Word{Text: word.Text[at+1:], Known: word.Known}
		case (short && at >= 0 || word.Text == "--file") && i+1 < len(args):
			return &args[i+1]
		}
	}
	return &Word{Known: true} // standard output
}

// Filled are the folders that options name: tar -C, unzip -d, cpio -D.
func Filled(args []Word) []string {
	var out []string
	for i, word := range args {
		text := word.Text
		switch {
		case (text == "-C" || text == "-d" || text == "-D" || text == "--directory") && i+1 < len(args):
			out = append(out, args[i+1].Text)
		case strings.HasPrefix(text, "--directory="):
			out = append(out, strings.TrimPrefix(text, "--directory="))
		case len(text) > 2 && (strings.HasPrefix(text, "-C") || strings.HasPrefix(text, "-d") || strings.HasPrefix(text, "-D")):
			out = append(out, text[2:])
		}
	}
	return out
}
