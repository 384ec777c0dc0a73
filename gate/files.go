package gate

import (
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// effects are the files that a call writes, as far as it shows them.
type effects struct {
	files []file
	hides bool // it may write others
}

// file is one that is written, or several.
type file struct {
	path string // absolute; shell.Unknown stands for what is not known
	glob bool   // it has pattern characters of a shell
	tree bool   // all that is below it, too
	from string // where a tree gets its content; empty: from what is there
}

// files finds the files that a call writes, once. What is no tool of the client's, nor a
// command line, writes none that we know of.
func (c *call) files() *effects {
	if c.effects != nil {
		return c.effects
	}
	c.effects = &effects{}
	switch {
	case policy.IsShell(c.ev.Tool):
		line := c.reads()
		c.effects.hides = line.err != nil
		for _, cmd := range line.commands {
			c.does(cmd)
		}
	case slices.Contains(policy.Writers(), c.ev.Tool):
		for _, path := range c.ev.Writes() {
			c.effects.add(file{path: join(c.folder(), path)})
		}
		c.effects.hides = len(c.effects.files) == 0
	}
	return c.effects
}

func (e *effects) add(f file) {
	if !isStream(f.path) && !slices.Contains(e.files, f) {
		e.files = append(e.files, f)
	}
}

// isStream tells what is written to and is no file.
func isStream(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty":
		return true
	}
	return strings.HasPrefix(path, "/dev/fd/")
}

// does adds what one command of a line does, in each folder where it may run.
func (c *call) does(cmd shell.Command) {
	list := cmd.Effects()
	for _, path := range patched(cmd) {
		list = append(list, shell.Effect{Path: shell.Word{Text: path, Known: true}})
	}
	for _, dir := range cmd.Dirs {
		at := c.place(dir)
		for _, e := range list {
			c.effected(at, dir.Glob, e)
		}
	}
}

// patched are the files of a patch that Codex's own program applies.
func patched(cmd shell.Command) []string {
	if name := cmd.Program(); name != "apply_patch" && name != "applypatch" {
		return nil
	}
	texts := cmd.Args()
	if cmd.Stdin != nil {
		texts = append(slices.Clip(texts), *cmd.Stdin)
	}
	var paths []string
	for _, text := range texts {
		paths = append(paths, hooks.PatchedFiles(text.Text)...)
	}
	return paths
}

// folder is where the client works, if it says so.
func (c *call) folder() string {
	if filepath.IsAbs(c.ev.CWD) {
		return c.ev.CWD
	}
	return shell.Unknown
}

// place is a folder where a command may run. Codex does not tell where a line does.
func (c *call) place(dir shell.Word) string {
	if c.ev.Client == hooks.Codex().Name {
		return c.located(shell.Unknown, dir)
	}
	return c.located(c.folder(), dir)
}

// located is a word as an absolute path: what is not known in it may lead anywhere, but
// for names of which it is known that they are names.
func (c *call) located(at string, w shell.Word) string {
	text := w.Text
	if name := c.nameFor(w); name != "" {
		text = strings.ReplaceAll(text, shell.Unknown, name)
	}
	return join(at, text)
}

// nameFor is what stands in a word for something that is the name of a file, or nothing.
func (c *call) nameFor(w shell.Word) string {
	switch {
	case w.Known:
	case w.IsTemporary() && strings.HasPrefix(w.Text, shell.Unknown):
		return "/tmp/" + freshName
	case w.IsName():
		return someName
	}
	return ""
}

// What stands for names that nobody knows: any, and one that is made up.
const (
	someName  = "\x01"
	freshName = "\x02"
)

// join makes an absolute path. What is behind an unknown part is all that is known of it.
func join(at, path string) string {
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, shell.Unknown) {
		path = at + "/" + path
	}
	if i := strings.LastIndex(path, shell.Unknown); i >= 0 {
		behind := path[i+1:]
		if up := strings.LastIndex("/"+behind+"/", "/../"); up >= 0 {
			behind = ("/" + behind + "/")[up+3:]
			behind = strings.TrimSuffix(behind, "/")
		}
		return shell.Unknown + behind
	}
	return filepath.Clean(path)
}

// effected adds one effect. What is put into a folder gets its name there.
func (c *call) effected(at string, glob bool, e shell.Effect) {
	f := file{path: c.located(at, e.Path), glob: glob || e.Path.Glob, tree: e.Tree}
	if e.From.Text != "" {
		f.from = c.located(at, e.From)
	}
	if e.Into == "" {
		c.effects.add(f)
		return
	}
	inside := f
	inside.path = join(f.path, e.Into)
	switch folder := c.isFolder(f); folder {
	case exact.True:
		c.effects.add(inside)
	case exact.False:
		c.effects.add(f)
	default:
		c.effects.add(f)
		c.effects.add(inside)
	}
}

func (c *call) isFolder(f file) exact.Truth {
	if !f.plain() || c.ctx.IsFolder == nil {
		return exact.Unknown
	}
	return exact.Of(c.ctx.IsFolder(f.path))
}

// plain reports one path, of which all is known.
func (f file) plain() bool { return !f.glob && !strings.ContainsAny(f.path, shell.Unknown+someName) }

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
