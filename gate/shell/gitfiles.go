package shell

import (
	"path"
	"slices"
	"strings"
)

// git are the files that git changes by their names, and whether that is all: what a commit
// brings is not shown.
func (c Command) git() (list []Effect, all bool) {
	verb, rest := GitVerb(c.Args())
	a := gitOptions(verb).read(rest)
	list, all = c.gitVerb(verb, a)
	list = append(list, each(a.valuesOf("output"), false)...)
	all = all && !HasOption(c.Args()[:len(c.Args())-len(rest)], "c")
	if len(a.valuesOf("pathspec-from-file")) > 0 {
		list = unknownBelow(nil)
	}
	var folders []Word
	for _, assign := range c.Assigns {
		if assign.Name == "GIT_WORK_TREE" {
			folders = append(folders, assign.Value)
		}
	}
	folders = append(folders, gitFolders(c.Args())...)
	for _, folder := range slices.Backward(folders) {
		list = below(folder, list)
	}
	return list, all
}

// gitFolders are where git is told to work, before its subcommand.
func gitFolders(args []Word) []Word {
	o := options{values: "Cc", long: strings.Fields("git-dir work-tree namespace exec-path config-env")}
	_, rest := GitVerb(args)
	return o.read(args[:max(0, len(args)-len(rest)-1)]).valuesOf("C", "work-tree")
}

func gitOptions(verb string) options {
	o := options{long: []string{"pathspec-from-file", "output"}}
	switch verb {
	case "checkout", "switch":
		o.values, o.long = "bB", append(o.long, "orphan", "conflict")
	case "restore":
		o.values, o.long = "s", append(o.long, "source")
	case "clean":
		o.values, o.long = "e", append(o.long, "exclude")
	case "apply", "am":
		o.values, o.long = "pC", append(o.long, "directory", "exclude", "include", "whitespace")
	case "config":
		o.values, o.long = "f", append(o.long, "file")
	case "clone":
		o.values, o.long = "bocju", append(o.long, "branch", "origin", "config", "depth", "filter", "reference", "jobs", "template", "separate-git-dir", "upload-pack")
	case "worktree":
		o.values, o.long = "bB", append(o.long, "reason")
	case "archive":
		o.values, o.long = "o", append(o.long, "output", "prefix", "format", "remote", "add-file")
	case "format-patch":
		o.values, o.long = "ovNn", append(o.long, "output-directory", "start-number", "subject-prefix", "suffix")
	}
	return o
}

func (c Command) gitVerb(verb string, a arguments) (list []Effect, all bool) {
	switch verb {
	case "rm", "mv":
		if a.has("n", "dry-run") || verb == "rm" && a.has("cached") {
			return nil, true
		}
		return pathspecs(a.operands), true
	case "checkout":
		if a.has("b", "B", "t", "orphan", "detach", "track") {
			return nil, false
		}
		return pathspecs(a.operands), false
	case "restore":
		if a.has("staged", "S") && !a.has("worktree", "W") {
			return nil, true
		}
		return pathspecs(a.operands), true
	case "clean":
		if a.has("n", "dry-run") {
			return nil, true
		}
		if list = pathspecs(a.operands); len(list) == 0 {
			list = each([]Word{{Text: ".", Known: true}}, true)
		}
		return list, true
	case "apply", "am":
		if a.has("check", "stat", "numstat", "summary", "cached") && !a.has("apply") {
			return nil, true
		}
		text := c.Stdin
		if len(a.operands) > 0 {
			text = nil
		}
		return patched(text, -1, a.valuesOf("directory")), true
	case "add", "commit", "status", "diff", "log", "show", "branch", "fetch", "push", "tag", "remote", "blame", "grep", "ls-files", "rev-parse", "describe", "shortlog", "reflog":
		return nil, true
	}
	return gitMakes(verb, a)
}

// gitMakes are the files of subcommands that make some.
func gitMakes(verb string, a arguments) (list []Effect, all bool) {
	switch verb {
	case "clone":
		switch len(a.operands) {
		case 0:
			return nil, true
		case 1:
			return []Effect{{Path: part(a.operands[0], strings.TrimSuffix(path.Base(a.operands[0].Text), ".git"))}}, true
		}
		return each(a.operands[len(a.operands)-1:], false), true
	case "worktree":
		if len(a.operands) > 1 && slices.Contains([]string{"add", "remove", "move"}, a.operands[0].Text) {
			return each(a.operands[1:2], true), true
		}
		return nil, true
	case "archive":
		return each(a.valuesOf("o"), false), true
	case "config":
		return each(a.valuesOf("f", "file"), false), true
	case "init", "checkout-index":
		return pathspecs(a.operands), true
	case "stash", "bundle", "submodule":
		if len(a.operands) > 1 && slices.Contains([]string{"push", "create", "add"}, a.operands[0].Text) {
			return pathspecs(a.operands[1:]), false
		}
		return nil, false
	case "format-patch":
		return each(a.valuesOf("o", "output-directory"), true), true
	}
	return nil, false
}

// pathspecs are the files that git is told: its patterns cross folders, and magic words
// begin with a colon.
func pathspecs(words []Word) []Effect {
	var list []Effect
	for _, w := range words {
		magic, text := "", w.Text
		if rest, ok := strings.CutPrefix(text, ":("); ok {
			magic, text, _ = strings.Cut(rest, ")")
		} else if strings.HasPrefix(text, ":") && len(text) > 1 {
			i := 1
			for i < len(text) && strings.IndexByte("/!^", text[i]) >= 0 {
				i++
			}
			magic, text = map[bool]string{true: "top"}[strings.Contains(text[:i], "/")]+map[bool]string{true: "exclude"}[strings.ContainsAny(text[:i], "!^")], text[i:]
		}
		spec := part(w, strings.ReplaceAll(text, "*", "**"))
		spec.Glob = w.Glob || hasGlob(text)
		switch {
		case strings.Contains(magic, "exclude"):
			spec = Word{Text: ".", Known: true} // all but these
		case strings.Contains(magic, "top"): // of a repository whose root the line does not show
			spec = Word{Text: Unknown + "/" + spec.Text, Glob: spec.Glob}
		}
		list = append(list, Effect{Path: spec, Tree: true})
	}
	return list
}
