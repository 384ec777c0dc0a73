package main

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// wholeFolder judges a command by the folder that it fills, empties or closes.
func (l shellLine) wholeFolder(cmd shell.Command) string {
	args := cmd.Args()
	switch name := cmd.Name(); name {
	case "rsync":
		if hasOption(args, "", "--delete", "--del") {
			_, to := sources(cmd)
			return l.emptied(cmd, to)
		}
	case "ln":
		_, to := sources(cmd)
		if to.Text != "" && (hasOption(args, "nT", "--no-dereference", "--no-target-directory") || !l.exists(to.Text)) {
			return l.holds(cmd, to.Text)
		}
	case "chmod":
		if mode := operands(cmd); len(mode) > 1 && takesRights(args) {
			for _, word := range mode[1:] {
				if what := l.inPlaces(cmd, word, l.loses); what != "" {
					return what
				}
			}
		}
	}
	if !fills(cmd) {
		return ""
	}
	if l.inOurs(cmd) {
		return "what is in the folder where it runs"
	}
	for _, folder := range filled(args) {
		if what := l.holdsOutside(cmd, folder); what != "" {
			return what
		}
	}
	return ""
}

// emptied judges a folder here that loses what is not in another one.
func (l shellLine) emptied(cmd shell.Command, to shell.Word) string {
	if host, _, remote := strings.Cut(to.Text, ":"); to.Text == "" || remote && !strings.Contains(host, "/") {
		return ""
	}
	return l.holds(cmd, to.Text)
}

// takesRights reports a mode that keeps the owner from reading.
func takesRights(args []shell.Word) bool {
	for _, word := range args {
		text := word.Text
		if strings.Trim(text, "01234567") == "" && len(text) >= 3 {
			return text[len(text)-3] < '4'
		}
		who, what, removes := strings.Cut(text, "-")
		if removes && strings.Trim(what, "rwxX") == "" && what != "" && (who == "" && len(what) < 3 || strings.ContainsAny(who, "ua")) && strings.Trim(who, "ugoa") == "" {
			return !strings.HasPrefix(text, "-R")
		}
	}
	return false
}

// fills reports a command that puts files of any name into a folder, or takes them
// away.
func fills(cmd shell.Command) bool {
	args := cmd.Args()
	switch cmd.Name() {
	case "tar", "bsdtar", "gtar":
		return !packs(args)
	case "unzip", "cpio", "pax", "unrar", "7z", "patch", "wget", "ansible-galaxy":
		return !hasOption(args, "l", "--list") || cmd.Name() == "patch"
	case "curl":
		return hasOption(args, "OJ", "--remote-name")
	case "git":
		switch verb, rest := gitVerb(args); verb {
		case "clean", "stash", "apply", "am":
			return true
		case "checkout", "restore", "rm", "mv":
			return !gitReads(args) && slices.ContainsFunc(rest, func(word shell.Word) bool { return word.Glob || word.Text == "." || word.Text == "--" })
		}
	}
	return false
}

// packs reports tar where it reads: it creates, extends or lists an archive.
func packs(args []shell.Word) bool {
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && strings.ContainsAny(args[0].Text, "ctru") {
		return true
	}
	return hasOption(args, "ctru", "--create", "--list", "--append", "--update") && !hasOption(args, "x", "--extract", "--get")
}

// packed is the archive that a command makes of files that it leaves alone, or
// nothing.
func packed(cmd shell.Command) *shell.Word {
	args := cmd.Args()
	if cmd.Name() == "zip" {
		if paths := operands(cmd); len(paths) > 0 && !hasOption(args, "m", "--move") {
			return &paths[0]
		}
		return nil
	}
	if !packs(args) || hasOption(args, "IF", "--remove-files", "--to-command", "--use-compress-program") {
		return nil
	}
	for i, word := range args {
		file, long := strings.CutPrefix(word.Text, "--file=")
		short := i == 0 || strings.HasPrefix(word.Text, "-") && !strings.HasPrefix(word.Text, "--")
		switch at := strings.IndexByte(word.Text, 'f'); {
		case long:
			return &shell.Word{Text: file, Known: word.Known}
		case short && at >= 0 && at+1 < len(word.Text) && word.Text[0] == '-':
			return &shell.Word{Text: word.Text[at+1:], Known: word.Known}
		case (short && at >= 0 || word.Text == "--file") && i+1 < len(args):
			return &args[i+1]
		}
	}
	return &shell.Word{Known: true} // standard output
}

// filled are the folders that options name: tar -C, unzip -d, cpio -D.
func filled(args []shell.Word) []string {
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

// holdsOutside names what of ours is in a folder outside of the repository and
// below the home: whoever fills the repository or the home means other files.
func (l shellLine) holdsOutside(cmd shell.Command, folder string) string {
	if strings.Contains(folder, shell.Unknown) {
		return ""
	}
	return l.inPlaces(cmd, shell.Word{Text: folder}, func(_ shell.Word, at string) string {
		full := folder
		if !filepath.IsAbs(full) {
			full = filepath.Join(at, full)
		}
		full = filepath.Clean(full)
		if full == l.root || strings.HasPrefix(l.home+"/", full+"/") || full == "/" || strings.HasPrefix(full, l.root+"/") {
			return ""
		}
		return l.own.Holds(full, at)
	})
}

// fetches judges the name that curl -O and wget take from an address.
func (l shellLine) fetches(cmd shell.Command) string {
	if name := cmd.Name(); name != "wget" && (name != "curl" || !hasOption(cmd.Args(), "O", "--remote-name")) {
		return ""
	}
	for _, word := range operands(cmd) {
		if strings.Contains(word.Text, "://") {
			if what := l.covers(cmd, word, path.Base(word.Text), false); what != "" {
				return what
			}
		}
	}
	return ""
}

// builds judges go install and go build -o by the name that the program gets.
func (l shellLine) builds(cmd shell.Command) string {
	args := cmd.Args()
	if len(args) == 0 || args[0].Text != "install" && args[0].Text != "build" {
		return ""
	}
	folder := ""
	for _, a := range cmd.Assigns {
		if a.Name == "GOBIN" && args[0].Text == "install" {
			folder = a.Value.Text
		}
	}
	for i, word := range args[:len(args)-1] {
		if word.Text == "-o" && args[0].Text == "build" {
			folder = args[i+1].Text
		}
	}
	if folder == "" {
		return ""
	}
	pkg, _, _ := strings.Cut(path.Base(args[len(args)-1].Text), "@")
	inside := filepath.Join(folder, pkg)
	return l.covers(cmd, shell.Word{Text: inside}, inside, true)
}
