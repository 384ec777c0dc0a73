package gate

import (
	"path/filepath"
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
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
