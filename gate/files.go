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
	seen  map[file]bool
	made  map[string]bool // folders that the line makes first
	hides bool            // it may write others
	more  bool            // programs of which that is not known have a part in it
	work  int             // names of files that were compared
}

// file is one that is written, or several.
type file struct {
	path string // absolute; shell.Unknown stands for what is not known
	glob bool   // it has pattern characters of a shell
	tree bool   // all that is below it, too
	from string // where a tree gets its content; empty: from what is there
	may  bool   // a program that is not known may write it
}

// Bounds of what is looked at for one call.
const (
	maxFiles = 20000
	maxWork  = 1000000 // well within the time that a call has
)

// files finds the files that a call writes, once. What is no tool of the client's, nor a
// command line, writes none that we know of.
func (c *call) files() *effects {
	if c.effects != nil {
		return c.effects
	}
	c.effects = &effects{seen: map[file]bool{}, made: map[string]bool{}}
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
	switch {
	case isStream(f.path), e.seen[f]:
	case len(e.files) == maxFiles:
		e.hides = true
	default:
		e.seen[f] = true
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
	list, all := cmd.Effects()
	for _, path := range patched(cmd) {
		list = append(list, shell.Effect{Path: shell.Word{Text: path, Known: true}})
	}
	c.effects.more = c.effects.more || !all
	if !all {
		defer c.mayDo(cmd)
	}
	for _, dir := range cmd.Dirs {
		at := c.place(dir)
		for _, e := range list {
			c.effected(at, dir.Glob, e)
		}
	}
}

// mayDo adds what a program that is not known could do, if it runs what it is given.
func (c *call) mayDo(cmd shell.Command) {
	switch cmd.Program() {
	case "docker", "podman", "nerdctl", "kubectl", "oc", "ssh": // what they start is judged by itself
		return
	}
	known := len(c.effects.files)
	for _, tail := range tails(cmd) {
		list, all := tail.Effects()
		if !all {
			continue
		}
		for _, dir := range cmd.Dirs {
			for _, e := range list {
				c.effected(c.place(dir), dir.Glob, e)
			}
		}
	}
	for i := known; i < len(c.effects.files); i++ {
		c.effects.files[i].may = true
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
	switch name := nameFor(w); name {
	case "":
	case freshName:
		text = "/tmp/" + freshName + strings.ReplaceAll(strings.TrimPrefix(text, shell.Unknown), shell.Unknown, someName)
	default:
		text = strings.ReplaceAll(text, shell.Unknown, name)
	}
	return join(at, text)
}

// nameFor is what stands in a word for something that is the name of a file, or nothing.
func nameFor(w shell.Word) string {
	switch {
	case w.Known || w.Origin == shell.Anything:
		return ""
	case w.Origin == shell.Name:
		return someName
	case w.Origin == shell.Number:
		return someNumber
	}
	return freshName
}

// What stands for names that nobody knows: any, one that is made up, and one without
// letters.
const (
	someName   = "\x01"
	freshName  = "\x02"
	someNumber = "\x03"
)

// isKnown reports a path in which nothing stands for something else.
func isKnown(path string) bool { return !strings.ContainsAny(path, shell.Unknown+someName+someNumber) }

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
	if e.From.Glob {
		if sources, all := c.matching(file{path: c.located(at, e.From), glob: true}); all {
			for _, source := range sources {
				e.From, e.Into = shell.Word{Text: source, Known: true}, filepath.Base(source)
				c.effected(at, glob, e)
			}
			return
		}
		e.Path.Glob = true
	}
	f := file{path: c.located(at, e.Path), glob: glob || e.Path.Glob, tree: e.Tree}
	if e.From.Text != "" {
		f.from = c.located(at, e.From)
	}
	if e.Makes && f.plain() {
		c.effects.made[f.path] = true
	}
	inside := f
	inside.path = join(f.path, e.Into)
	folder := c.isFolder(f)
	if e.Folder {
		folder = exact.True
	}
	if e.Into == "" || folder != exact.True {
		c.adds(at, f, e.Path)
	}
	if e.Into != "" && folder != exact.False {
		c.adds(at, inside, shell.Word{Text: e.Path.Text + "/" + e.Into, Known: e.Path.Known})
	}
}

// adds adds a file, and what it is if a link stands before a .. in its path.
func (c *call) adds(at string, f file, w shell.Word) {
	c.effects.add(f)
	whole := w.Text
	if !filepath.IsAbs(whole) {
		whole = at + "/" + whole
	}
	if !f.plain() || c.ctx.Physical == nil || !strings.Contains(whole+"/", "/../") {
		return
	}
	real := "/"
	for _, name := range strings.Split(whole, "/") {
		if real = filepath.Join(real, name); name != ".." {
			real = c.ctx.Physical(real)
		}
	}
	f.path = real
	c.effects.add(f)
}

func (c *call) isFolder(f file) exact.Truth {
	switch {
	case c.effects.made[f.path]:
		return exact.True
	case !f.plain() || c.ctx.IsFolder == nil:
		return exact.Unknown
	}
	return exact.Of(c.ctx.IsFolder(f.path))
}

// plain reports one path, of which all is known.
func (f file) plain() bool { return !f.glob && isKnown(f.path) }
