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
	if admits && policy.IsShell(c.ev.Tool) && len(m.Commands) == 0 && m.Among == nil {
		return exact.False
	}
	globs, ok := c.globs(m.Paths, admits)
	if !ok {
		return exact.Unknown
	}
	least, most := exact.Of(!admits || len(e.files) > 0 && (!e.hides || m.Among != nil)), exact.False
	if e.hides {
		most = exact.Unknown
	}
	among, _ := c.globs(m.Among, false)
	for _, f := range e.files {
		if m.Among != nil && c.selects(among, f, false) == exact.False {
			continue
		}
		t := c.selects(globs, f, admits)
		least, most = min(least, t), max(most, t)
	}
	if admits {
		return exact.Of(least == exact.True)
	}
	return most
}

// globs are a layer's globs for whole paths.
func (c *call) globs(list []policy.PathGlob, exactly bool) (s policy.Selection, ok bool) {
	for _, g := range list {
		if !g.Absolute(&s, c.layer.Roots(), c.ctx.Home, exactly) {
			return s, false
		}
	}
	return s, true
}

// selects says whether globs select a file: by its name or by what that leads to, and
// where a rule admits, by what it leads to alone.
func (c *call) selects(s policy.Selection, f file, exactly bool) exact.Truth {
	globs := s.Named
	if !strings.ContainsAny(f.path, shell.Unknown+someName) {
		globs = slices.Concat(globs, s.Inside)
	}
	real := f
	if real.path = c.physical(f); exactly || real.path == f.path {
		return c.selected(globs, real, exactly)
	}
	return max(c.selected(globs, f, exactly), c.selected(globs, real, exactly))
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
	known := f.path[:strings.IndexAny(f.path+"*", "*?["+shell.Unknown+someName)]
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
	return wildcard.Word(text, rune(shell.Unknown[0]), glob)
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
	if strings.ContainsAny(f.path+f.from, shell.Unknown+someName) || c.ctx.Below == nil || f.from != "" && f.glob {
		return exact.Unknown
	}
	top := f.path
	if f.glob {
		top = f.folder() + "/"
	}
	from := top
	if f.from != "" {
		from = f.from
	}
	files, all := c.ctx.Below(from)
	path := pathOf(f.path, f.glob, false)
	for _, name := range files {
		text := pathOf(join(top, name), false, false)
		within := path.Meets(text) || f.tree && path.Below().Meets(text)
		if within && meets(globs, []wildcard.Path{text}) {
			return exact.True
		}
	}
	if !all {
		return exact.Unknown
	}
	return exact.False
}
