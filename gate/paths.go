package gate

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// matchPaths says whether a call writes a file that a glob selects. Where a rule admits,
// all that it writes must be selected for certain; and of a command line that says
// nothing unless the rule names what it may run.
func (c *call) matchPaths(m policy.Match, admits bool) exact.Truth {
	e := c.files()
	globs, ok := c.globs(m.Paths, admits)
	switch {
	case !ok:
		return exact.Unknown
	case admits && m.Among != nil:
		among, _ := c.globs(m.Among, false)
		return exact.Of(c.allSelected(globs, func(f file) bool { return c.selects(among, f, false) != exact.False }))
	case admits && c.isLine() && (len(m.Commands) == 0 || e.more):
		return exact.False
	case admits:
		return exact.Of(len(e.files) > 0 && !e.hides && c.allSelected(globs, func(file) bool { return true }))
	}
	most := exact.False
	if e.hides {
		most = exact.Unknown
	}
	for _, f := range e.files {
		if most = max(most, c.selects(globs, f, false)); most == exact.True {
			break
		}
	}
	return most
}

// allSelected reports that of some files all are selected for certain.
func (c *call) allSelected(globs policy.Selection, of func(file) bool) bool {
	for _, f := range c.files().files {
		if of(f) && c.selects(globs, f, true) != exact.True {
			return false
		}
	}
	return true
}

// isLine reports a call that gives a line to a shell.
func (c *call) isLine() bool { return policy.IsShell(c.ev.Tool) || c.writer }

// globs are a layer's globs for whole paths.
func (c *call) globs(list []policy.PathGlob, exactly bool) (s policy.Selection, ok bool) {
	for _, g := range list {
		if !g.Absolute(&s, c.layer.Roots(), c.ctx.Home, c.ctx.Physical, exactly) {
			return s, false
		}
	}
	return s, true
}

// selects says whether globs select a file: by its name or by what that leads to, and
// where a rule admits, by what it leads to alone.
func (c *call) selects(s policy.Selection, f file, exactly bool) exact.Truth {
	globs := s.Named
	if isKnown(f.path) {
		globs = slices.Concat(globs, s.Inside)
	}
	real := f
	real.path = c.physical(f)
	t := c.selected(globs, real, exactly)
	if !exactly && real.path != f.path {
		t = max(t, c.selected(globs, f, exactly))
	}
	if f.may && t == exact.True {
		return exact.Unknown
	}
	return t
}

// physical follows the links of a path as far as it is known.
func (c *call) physical(f file) string {
	known := f.path
	if !f.plain() {
		known = f.folder()
	}
	if c.ctx.Physical == nil || known == "" {
		return f.path
	}
	return join("", strings.TrimSuffix(c.ctx.Physical(known), "/")+"/"+f.path[len(known):])
}

// folder is what of a pattern's path is surely one; empty if nothing is.
func (f file) folder() string {
	known := f.path[:strings.IndexAny(f.path+"*", "*?["+shell.Unknown+someName+someNumber)]
	return known[:max(strings.LastIndexByte(known, '/'), 0)]
}

func (c *call) selected(globs []wildcard.Path, f file, exactly bool) exact.Truth {
	path := pathOf(f.path, f.glob, exactly)
	paths := []wildcard.Path{path}
	if f.tree {
		paths = append(paths, path.Below())
	}
	switch {
	case !meets(globs, paths):
		return exact.False
	case f.plain() && meets(globs, paths[:1]):
		return exact.True // a folder, with all that is in it
	case f.isInside(globs, exactly):
		return exact.True
	case exactly:
		return exact.Unknown
	}
	return c.listed(globs, f)
}

// pathOf reads a path; some name is one without a slash.
func pathOf(text string, glob, exactly bool) wildcard.Path {
	if !exactly {
		text = strings.ToLower(text)
	}
	if strings.Contains(text, someName) {
		text, glob = strings.ReplaceAll(text, someName, "*"), true
	}
	path := wildcard.Word(text, rune(shell.Unknown[0]), glob)
	for i, c := range path {
		if c == rune(someNumber[0]) {
			path[i] = wildcard.NoLetters
		}
	}
	return path
}

func meets(globs, paths []wildcard.Path) bool {
	return slices.ContainsFunc(globs, func(g wildcard.Path) bool { return slices.ContainsFunc(paths, g.Meets) })
}

// isInside reports a pattern whose whole folder is selected.
func (f file) isInside(globs []wildcard.Path, exactly bool) bool {
	if f.plain() || strings.Contains(f.path, shell.Unknown) {
		return false
	}
	folder := f.folder()
	return folder != "" && meets(globs, []wildcard.Path{pathOf(folder, false, exactly)})
}

// listed looks at the files that are there, if a pattern or a tree names some of them.
func (c *call) listed(globs []wildcard.Path, f file) exact.Truth {
	if f.glob {
		files, all := c.matching(f)
		most := exact.False
		if !all {
			most = exact.Unknown
		}
		for _, path := range files {
			one := f
			one.path, one.glob = path, false
			if real := c.physical(one); real != path {
				one.path = real
			}
			most = max(most, c.selected(globs, one, false))
		}
		return most
	}
	if !isKnown(f.path+f.from) || c.ctx.Below == nil {
		return exact.Unknown
	}
	from := f.path
	if f.from != "" {
		from = f.from
	}
	names, all := c.below(from)
	for _, name := range names {
		if c.effects.work += len(globs); c.effects.work > maxWork {
			return exact.Unknown
		}
		if selectsName(globs, f.path, name) {
			return exact.True
		}
	}
	if !all {
		return exact.Unknown
	}
	return exact.False
}

// selectsName compares the path of a file in a folder.
func selectsName(globs []wildcard.Path, folder, name string) bool {
	path := strings.ToLower(folder + "/" + name)
	return slices.ContainsFunc(globs, func(g wildcard.Path) bool { return g.Takes(path) })
}

// below lists a folder.
func (c *call) below(folder string) ([]string, bool) {
	if c.ctx.Below == nil {
		return nil, false
	}
	return c.ctx.Below(folder)
}

// matching lists what a pattern stands for: the files that are there, with what follows
// the pattern in the path; and itself, as a shell leaves it if there are none. It says
// whether that is all.
func (c *call) matching(f file) (paths []string, all bool) {
	folder := f.folder()
	if folder == "" || !isKnown(f.path) {
		return nil, false
	}
	pattern, rest := f.path, ""
	for i := strings.LastIndexByte(pattern, '/'); i > 0 && !strings.ContainsAny(pattern[i:], "*?["); i = strings.LastIndexByte(pattern, '/') {
		pattern, rest = pattern[:i], pattern[i:]+rest
	}
	names, all := c.below(folder)
	of := pathOf(pattern, true, true)
	for _, name := range names {
		if c.effects.work++; c.effects.work > maxWork {
			return paths, false
		}
		if path := folder + "/" + name; of.Takes(path) {
			paths = append(paths, path+rest)
		}
	}
	return append(paths, f.path), all
}
