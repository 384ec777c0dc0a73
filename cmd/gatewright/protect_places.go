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
		if shell.HasOption(args, "", "--delete", "--del") {
			_, to := cmd.Sources()
			return l.emptied(cmd, to)
		}
	case "ln":
		_, to := cmd.Sources()
		if to.Text != "" && (shell.HasOption(args, "nT", "--no-dereference", "--no-target-directory") || !l.exists(to.Text)) {
			return l.holds(cmd, to.Text)
		}
	case "chmod":
		if mode := cmd.Operands(); len(mode) > 1 && takesRights(args) {
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
	for _, folder := range shell.Filled(args) {
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
		return !shell.Packs(args)
	case "unzip", "cpio", "pax", "unrar", "7z", "patch", "wget", "ansible-galaxy":
		return !shell.HasOption(args, "l", "--list") || cmd.Name() == "patch"
	case "curl":
		return shell.HasOption(args, "OJ", "--remote-name")
	case "git":
		switch verb, rest := shell.GitVerb(args); verb {
		case "clean", "stash", "apply", "am":
			return true
		case "checkout", "restore", "rm", "mv":
			return !shell.GitReads(args) && slices.ContainsFunc(rest, func(word shell.Word) bool { return word.Glob || word.Text == "." || word.Text == "--" })
		}
	}
	return false
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
	if name := cmd.Name(); name != "wget" && (name != "curl" || !shell.HasOption(cmd.Args(), "O", "--remote-name")) {
		return ""
	}
	for _, word := range cmd.Operands() {
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
