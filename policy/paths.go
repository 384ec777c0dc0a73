package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/policy/wildcard"
)

// PathGlob selects files by their absolute paths: * and ? stay within a name, ** does
// not, and what names a folder covers all that is in it. One without a slash is that name
// in any folder; any other relative one begins where the policy lies.
type PathGlob struct{ text string }

// Selection is what globs select.
type Selection struct {
	Named []wildcard.Path
	// Inside is what lies in a folder of a name that stands for itself in a glob. A
	// folder that is not known is not taken for one.
	Inside []wildcard.Path
}

func (s *Selection) add(text string, alone bool) {
	folder := strings.TrimSuffix(strings.TrimSuffix(text, "/**"), "/")
	path := wildcard.Glob(folder)
	s.Named = append(s.Named, path)
	if alone {
		s.Inside = append(s.Inside, path.Below())
	} else {
		s.Named = append(s.Named, path.Below())
	}
}

func (t *table) pathGlobs(key string) []PathGlob {
	var globs []PathGlob
	for _, text := range t.texts(key) {
		switch {
		case strings.ContainsAny(text, `[]{}\`) || text == "" || strings.Contains(text, "//") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }):
			t.problem(key, fmt.Sprintf("%q is no glob for paths", text), `*, ** and ? are its only wildcards, such as "deploy/**" or "*.pem"`)
		case slices.Contains(strings.Split(text, "/"), ".."):
			t.problem(key, fmt.Sprintf("%q leads upwards", text), "write the path from the root, or from ~/")
		case strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "~/"):
			t.problem(key, fmt.Sprintf("%q is another user's home", text), "write the path from the root")
		}
		g := PathGlob{strings.TrimPrefix(text, "./")}
		if (g.text != text || g.isRelative()) && !t.file.layer.inRepository() {
			t.problem(key, fmt.Sprintf("%q begins nowhere: this policy belongs to no repository", text), "write an absolute path, one from ~/, or **/ before it")
		}
		if g.text != text && !strings.Contains(g.text, "/") {
			g.text = "./" + g.text // in the policy's folder alone
		}
		globs = append(globs, g)
	}
	return globs
}

// isRelative reports a glob that begins where the policy lies.
func (g PathGlob) isRelative() bool {
	return strings.Contains(strings.TrimSuffix(g.text, "/"), "/") && g.text[0] != '/' && !strings.HasPrefix(g.text, "~/") && !strings.HasPrefix(g.text, "**/")
}

// String is the glob as it is compared.
func (g PathGlob) String() string { return g.text }

// Absolute adds the glob for whole paths, and for what its folder leads to through links;
// roots are the folders of the policy. Letter case counts only where it is exact. It fails
// if the home is not known.
func (g PathGlob) Absolute(s *Selection, roots []string, home string, physical func(string) string, exact bool) bool {
	starts, text, alone := []string{""}, g.text, false
	switch {
	case strings.HasPrefix(text, "~/"):
		if home == "" {
			return false
		}
		starts, text = []string{home}, text[1:]
	case g.isRelative():
		starts, text = roots, "/"+strings.TrimPrefix(text, "./")
	case !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "**/"):
		alone = !strings.Contains(text, "/")
		text = "**/" + text
	}
	for _, start := range starts {
		if start != "" {
			start = filepath.Clean(start)
		}
		whole := strings.TrimSuffix(start, "/") + text
		forms := []string{whole}
		if real := throughLinks(whole, physical); real != whole {
			forms = append(forms, real)
		}
		for _, form := range forms {
			if !exact {
				form = strings.ToLower(form)
			}
			s.add(form, alone)
		}
	}
	return true
}

// throughLinks follows the links of a glob as far as it names one path.
func throughLinks(glob string, physical func(string) string) string {
	known := glob[:strings.IndexAny(glob+"*", "*?")]
	if !strings.ContainsAny(glob, "*?") {
		known = glob
	} else {
		known = known[:max(strings.LastIndexByte(known, '/'), 0)]
	}
	if physical == nil || known == "" {
		return glob
	}
	return strings.TrimSuffix(physical(known), "/") + glob[len(known):]
}

// inRepository reports a layer whose file lies in a repository, or in the folder that it
// is for.
func (l *Layer) inRepository() bool { return l.Name == Repo || l.Name == Local }

// Roots are the folders that the layer is for: its own, and in a linked worktree the one
// in the place of it. A layer of no repository has none.
func (l *Layer) Roots() []string {
	if !l.inRepository() {
		return nil
	}
	return append([]string{filepath.Dir(filepath.Dir(l.File))}, l.worktrees...)
}

// Writers are the clients' own tools that write the files which they are given.
func Writers() []string { return familyTools("write") }
