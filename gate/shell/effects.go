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
	// Into is the name that something gets in Path, if Path is a folder; Folder says that
	// it surely is one.
	Into   string
	Folder bool
	Makes  bool // it makes the folder
	// From is where a tree gets its content; empty: from what is there already.
	From Word
}

// Effects lists what a command does to files, and says whether that is all: of a program
// that is not known these are its redirections, and the files that an option such as
// --output names. What it does in a container or on another machine is left out, but for
// what is mounted there.
func (c Command) Effects() (list []Effect, all bool) {
	for _, r := range c.Redirects {
		if r.Writes {
			list = append(list, Effect{Path: r.Target})
		}
	}
	if len(c.Words) == 0 {
		return list, true
	}
	if !c.onlyTells() {
		var of []Effect
		of, all = c.changes()
		list = append(list, of...)
	}
	if c.Away != nil {
		return c.Away.seenHere(list, c.Dirs), false
	}
	return c.named(list), all || c.onlyTells()
}

// onlyTells reports a program that is asked for its help or version.
func (c Command) onlyTells() bool {
	args, name := c.Args(), c.Program()
	switch name { // later it is something else's
	case "find", "tar", "sed", "gsed", "mawk", "nawk":
		args = args[:min(len(args), 1)]
	case "git":
		args = args[:min(len(args), 2)]
	default:
		if c.Opaque() {
			args = args[:min(len(args), 1)]
		}
	}
	return slices.ContainsFunc(optionsOf(name).read(args).given, func(g given) bool {
		return (g.name == "help" || g.name == "version") && g.value.Text == ""
	})
}

// changes are the effects of a program's arguments.
func (c Command) changes() (list []Effect, all bool) {
	name := c.Program()
	o := optionsOf(name)
	a := o.read(c.Args())
	for _, file := range a.valuesOf(o.files...) {
		list = append(list, Effect{Path: file})
	}
	list = append(list, each(a.valuesOf(o.folders...), true)...)
	switch name {
	case "tee", "touch", "truncate", "rmdir", "unlink", "shred", "sponge", "mkfifo", "mknod", "setfattr":
		return append(list, each(a.operands, false)...), true
	case "ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "pico", "micro": // whose commands write others
		return slices.Concat(list, each(a.operands, false), edEffects(c.Stdin)), false
	case "mkdir":
		for _, w := range a.operands {
			list = append(list, Effect{Path: w, Makes: true})
		}
		return list, true
	case "rm", "srm":
		return append(list, each(a.operands, a.has("r", "R", "recursive"))...), true
	case "trash", "trash-put", "rimraf":
		return append(list, each(a.operands, true)...), true
	case "chmod", "chown", "chgrp", "chattr", "setfacl":
		return append(list, c.rights(a)...), true
	case "cp", "mv", "install", "ln", "rsync", "scp":
		return append(list, c.copies(a)...), true
	case "dd":
		for _, w := range c.Args() {
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				list = append(list, Effect{Path: part(w, file)})
			}
		}
		return list, true
	case "curl", "wget":
		return append(list, c.fetched(a)...), true
	case "git":
		return c.git()
	case "find":
		return append(list, c.finds()...), true
	}
	if of, known := c.unpacks(a); known {
		return append(list, of...), !a.has("I", "use-compress-program", "to-command", "checkpoint-action", "TT", "T")
	}
	if edited, known := c.edits(a); known || len(edited) > 0 {
		return append(list, edited...), known
	}
	if c.Reads() || len(o.files)+len(o.folders) > 0 {
		return list, c.Reads() && !isScripted(name) || name == "sort" && !a.has("compress-program")
	}
	return append(list, c.outputs()...), false
}

func each(words []Word, tree bool) []Effect {
	list := make([]Effect, 0, len(words))
	for _, w := range words {
		if w.Text != "" {
			list = append(list, Effect{Path: w, Tree: tree})
		}
	}
	return list
}

// maxFound bounds the patterns that one word stands for.
const maxFound = 32

// named puts what find finds in the place of its {}.
func (c Command) named(list []Effect) []Effect {
	if len(c.Found) == 0 || len(c.Found) > maxFound {
		return list
	}
	var out []Effect
	put := false
	for _, e := range list {
		if e.Path.Text != Unknown {
			out = append(out, e)
			continue
		}
		if put && !e.Tree {
			continue // once is enough
		}
		put = true
		for _, found := range c.Found {
			e.Path = found
			out = append(out, e)
		}
	}
	return out
}

// isFlags reports a word with options of one letter, all of them among some.
func isFlags(text, letters string) bool {
	return len(text) > 1 && text[0] == '-' && strings.Trim(text[1:], letters) == ""
}

// rights are the files whose mode or owner changes. A mode may look like an option, and an
// option may stand for it.
func (c Command) rights(a arguments) []Effect {
	if c.Program() == "setfacl" {
		return each(a.operands, a.has("R", "recursive"))
	}
	var files []Word
	tree, hasMode := false, a.has("reference")
	for _, w := range c.Args() {
		switch {
		case strings.HasPrefix(w.Text, "--"):
			tree = tree || strings.HasPrefix("--recursive", w.Text) && len(w.Text) > 4
		case isFlags(w.Text, "RcfvhHLPV"):
			tree = tree || strings.Contains(w.Text, "R")
		case !hasMode:
			hasMode = true
		default:
			files = append(files, w)
		}
	}
	return each(files, tree)
}

// copies are the files that a copy, a move or a link makes, and the sources that it
// removes or gives another name.
func (c Command) copies(a arguments) []Effect {
	name := c.Program()
	if a.has("dry-run", "list-only") || name == "rsync" && a.has("n") {
		return nil
	}
	if name == "install" && a.has("d", "directory") {
		return each(a.operands, false)
	}
	from, to, folder := a.operands, Word{}, false
	switch target := a.valuesOf("t", "target-directory"); {
	case len(target) > 0:
		to, folder = target[0], true
	case len(from) > 1:
		from, to = from[:len(from)-1], from[len(from)-1]
	case name == "ln": // the link gets the name of what it leads to
		to = Word{Text: ".", Known: true}
	}
	list := c.taken(a, from, to)
	if to.Text == "" || isRemote(to.Text) {
		return list
	}
	if name == "rsync" && (a.has("delete", "delete-after", "delete-before", "delete-during", "delete-excluded", "del")) {
		list = append(list, Effect{Path: to, Tree: true})
	}
	way := copying{to: to, folder: folder || strings.HasSuffix(to.Text, "/") || len(from) > 1,
		tree:  name == "mv" || name == "rsync" || a.has("r", "R", "a", "recursive", "archive"),
		slash: name == "rsync", parents: a.has("parents") || name == "rsync" && a.has("R", "relative")}
	if a.has("T", "no-target-directory") {
		way.whole = true
	}
	for _, w := range from {
		list = append(list, way.of(w))
	}
	return list
}

// taken are sources that are removed, or that links lead to: of a relative one seen from
// the link, too.
func (c Command) taken(a arguments, from []Word, to Word) []Effect {
	name, links := c.Program(), a.has("s", "symbolic", "symbolic-link")
	if name != "mv" && name != "ln" && !a.has("remove-source-files") && !(name == "cp" && (links || a.has("l", "link"))) {
		return nil
	}
	list := each(from, true)
	for _, w := range from {
		if links && !strings.HasPrefix(w.Text, "/") {
			list = append(list, Effect{Path: part(w, to.Text+"/"+w.Text), Tree: true}, Effect{Path: part(w, path.Dir(to.Text)+"/"+w.Text), Tree: true})
		}
	}
	return list
}

// copying is how sources come to lie somewhere.
type copying struct {
	to                                  Word
	folder, tree, slash, parents, whole bool
}

// of is one source where it comes to lie. A folder whose name ends with a slash or a dot
// gives its content.
func (way copying) of(from Word) Effect {
	e := Effect{Path: way.to, Tree: way.tree, Into: path.Base(from.Text), Folder: way.folder, From: from}
	if way.parents {
		e.Into = from.Text
	}
	if way.whole || strings.HasSuffix(from.Text, "/.") || from.Text == "." || from.Text == ".." || way.slash && strings.HasSuffix(from.Text, "/") {
		e.Into = ""
	}
	return e
}

// isRemote tells host:path from a path here.
func isRemote(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return ok && !strings.Contains(host, "/")
}

// outputs are the files that options of a program which is not known seem to name.
func (c Command) outputs() []Effect {
	o := options{values: "o", long: strings.Fields("output out outfile out-file output-file outdir out-dir outDir output-dir output-directory")}
	a := o.read(c.Args())
	list := each(a.valuesOf("o", "output", "out", "outfile", "out-file", "output-file"), false)
	list = append(list, each(a.valuesOf("outdir", "out-dir", "outDir", "output-dir", "output-directory"), true)...)
	return slices.DeleteFunc(list, func(e Effect) bool {
		return !strings.ContainsAny(e.Path.Text, "/.") && !e.Tree || strings.HasPrefix(e.Path.Text, Unknown) || strings.Contains(e.Path.Text, "=")
	})
}

// fetched are the files that get their names from an address.
func (c Command) fetched(a arguments) []Effect {
	addresses := append(slices.Clip(a.operands), a.valuesOf("url")...)
	if c.Program() == "wget" && a.has("O", "output-document") || c.Program() == "curl" && !a.has("O", "remote-name", "remote-name-all", "J") {
		addresses = nil
	}
	var list []Effect
	for _, w := range addresses {
		address, _, _ := strings.Cut(w.Text, "#")
		if c.Program() == "curl" {
			address, _, _ = strings.Cut(address, "?")
		}
		list = append(list, Effect{Path: part(w, path.Base(address))})
	}
	if len(a.valuesOf("K", "config", "i", "input-file")) > 0 {
		list = append(list, Effect{Path: Word{Text: Unknown}})
	}
	for _, folder := range a.valuesOf("P", "directory-prefix", "output-dir") {
		list = append(list, Effect{Path: folder, Tree: true, From: Word{Text: Unknown}})
	}
	return list
}

// isScripted tells programs whose scripts do anything.
func isScripted(name string) bool {
	return slices.Contains([]string{"awk", "gawk", "mawk", "nawk", "perl", "ruby", "sed", "gsed"}, name)
}
