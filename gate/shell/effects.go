package shell

import (
	"path"
	"slices"
	"strings"
)

// Effect is what a command does to a file: it makes, changes or removes it, or gives it
// another name.
type Effect struct {
	Path Word // where the command runs, if it is relative
	Tree bool // and to all that is below it
	// Into is the name that something gets in Path, if Path is a folder.
	Into string
	// From is where a tree gets its content; empty: from what is there already.
	From Word
}

// Effects lists what a command does to files. Of a program that is not known these are
// its redirections, and the files that an option such as --output names.
func (c Command) Effects() []Effect {
	var list []Effect
	for _, r := range c.Redirects {
		if r.Writes {
			list = append(list, Effect{Path: r.Target})
		}
	}
	if len(c.Words) == 0 {
		return list
	}
	list = append(list, c.outputs()...)
	switch name := c.Program(); name {
	case "tee", "touch", "truncate", "mkdir", "rmdir", "unlink", "shred", "sponge", "mkfifo", "mknod", "setfattr",
		"ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "pico", "micro":
		list = append(list, each(c.Operands(), false)...)
	case "rm", "srm", "trash", "trash-put", "rimraf":
		list = append(list, each(c.Operands(), name != "rm" && name != "srm" || HasOption(c.Args(), "rR", "--recursive"))...)
	case "chmod", "chown", "chgrp", "chattr", "setfacl":
		list = append(list, c.rights()...)
	case "cp", "mv", "install", "ln", "rsync", "scp":
		list = append(list, c.copies()...)
	case "git":
		list = append(list, c.git()...)
	case "find":
		list = append(list, c.finds()...)
	default:
		list = append(list, c.unpacks()...)
		list = append(list, each(c.edited(), true)...)
	}
	return c.named(list)
}

func each(words []Word, tree bool) []Effect {
	list := make([]Effect, 0, len(words))
	for _, w := range words {
		list = append(list, Effect{Path: w, Tree: tree})
	}
	return list
}

// named puts what find finds in the place of its {}.
func (c Command) named(list []Effect) []Effect {
	var out []Effect
	for _, e := range list {
		if e.Path.Text != Unknown || len(c.Found) == 0 {
			out = append(out, e)
			continue
		}
		for _, found := range c.Found {
			e.Path = found
			out = append(out, e)
		}
	}
	return out
}

// rights are the files whose mode or owner changes: those behind the first operand, which
// is the mode, unless an option gives it.
func (c Command) rights() []Effect {
	files := c.Operands()
	if len(files) > 0 && !HasOption(c.Args(), "", "--reference") {
		files = files[1:]
	}
	return each(files, HasOption(c.Args(), "R", "--recursive"))
}

// copies are the files that a copy, a move or a link makes, and the sources that it
// removes or gives another name.
func (c Command) copies() []Effect {
	args, name := c.Args(), c.Program()
	if name == "install" && HasOption(args, "d", "--directory") {
		return each(c.Operands(), false)
	}
	from, to := c.Sources()
	var list []Effect
	if c.takesSource() {
		list = each(from, true)
	}
	if name == "ln" && to.Text == "" { // the link gets the name of what it leads to
		to = Word{Text: ".", Known: true}
	}
	if to.Text == "" || isRemote(to.Text) {
		return list
	}
	if name == "rsync" && HasOption(args, "", "--delete", "--del") {
		list = append(list, Effect{Path: to, Tree: true})
	}
	tree := name == "mv" || name == "rsync" || HasOption(args, "rRa", "--recursive", "--archive")
	for _, w := range from {
		list = append(list, copied(w, to, tree, name == "rsync"))
	}
	return list
}

// takesSource reports a command that removes its sources, or makes links of them.
func (c Command) takesSource() bool {
	args := c.Args()
	switch c.Program() {
	case "mv", "ln":
		return true
	case "cp":
		return HasOption(args, "ls", "--link", "--symbolic-link")
	}
	return HasOption(args, "", "--remove-source-files")
}

// copied is one source where it comes to lie. A folder whose name ends with a slash or a
// dot gives its content.
func copied(from, to Word, tree, slash bool) Effect {
	e := Effect{Path: to, Tree: tree, Into: path.Base(from.Text), From: from}
	if strings.HasSuffix(from.Text, "/.") || from.Text == "." || from.Text == ".." || slash && strings.HasSuffix(from.Text, "/") {
		e.Into = ""
	}
	if from.Glob {
		e.Path.Glob = true
	}
	return e
}

// isRemote tells host:path from a path here.
func isRemote(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return ok && !strings.Contains(host, "/")
}

// otherO are programs whose -o is no file.
var otherO = []string{"set", "ps", "ssh", "mount", "test", "[", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ls", "kill", "chmod", "chown", "cp", "install", "rsync", "kubectl", "pkill", "useradd", "bash", "sh", "zsh", "find", "git", "tar", "unzip", "nmap", "read", "declare", "pytest", "journalctl", "systemctl", "lsof", "column", "df"}

// outputs are the files that options name as the place of what a program makes.
func (c Command) outputs() []Effect {
	name, args := c.Program(), c.Args()
	var list []Effect
	for i, w := range args {
		option, value, attached := strings.Cut(w.Text, "=")
		place := Word{Text: value, Known: w.Known, Glob: w.Glob, Source: w.Source}
		file, folder := namesOutput(name, option)
		switch {
		case name == "dd" && option == "of":
		case !file && !folder:
			if value, ok := strings.CutPrefix(w.Text, "-o"); ok && value != "" && isMaker(name) {
				place.Text, attached = value, true
				break
			}
			continue
		}
		if !attached && i+1 < len(args) {
			place = args[i+1]
		}
		if place.Text != "" && place.Text != "-" && (isMaker(name) || !strings.HasPrefix(place.Text, Unknown)) {
			list = append(list, Effect{Path: place, Tree: folder})
		}
	}
	return append(list, c.fetched()...)
}

// namesOutput tells the options whose value is a file, or a folder, that is written.
func namesOutput(program, option string) (file, folder bool) {
	switch option {
	case "-o":
		return !slices.Contains(otherO, program), false
	case "--output", "--out", "--outfile", "--out-file", "--output-file", "--output-document":
		return true, false
	case "--outdir", "--out-dir", "--outDir", "--output-dir", "--directory-prefix":
		return false, true
	case "-O":
		return program == "wget", false
	case "-P":
		return false, program == "wget"
	case "-D", "--dump-header", "-c", "--cookie-jar":
		return program == "curl", false
	case "-out":
		return program == "openssl", false
	}
	return false, false
}

// isMaker tells programs that write what their -o names, whatever it is.
func isMaker(name string) bool {
	return slices.Contains([]string{"curl", "wget", "sort", "cc", "gcc", "g++", "c++", "clang", "clang++", "ld", "go", "rustc", "dd", "openssl"}, name)
}

// fetched are the files that get their names from an address.
func (c Command) fetched() []Effect {
	args := c.Args()
	switch c.Program() {
	case "curl":
		if !HasOption(args, "OJ", "--remote-name", "--remote-name-all") {
			return nil
		}
	case "wget":
		if HasOption(args, "O", "--output-document") {
			return nil
		}
	default:
		return nil
	}
	var list []Effect
	for _, w := range c.Operands() {
		if _, address, ok := strings.Cut(w.Text, "://"); ok {
			address, _, _ = strings.Cut(address, "?")
			list = append(list, Effect{Path: Word{Text: path.Base(address), Known: w.Known, Source: w.Source}})
		}
	}
	return list
}
