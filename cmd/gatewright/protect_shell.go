package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/install"
)

// commandLine is the text that a call gives to a shell, or nothing.
func commandLine(ev hooks.Event) string {
	if ev.Tool != "Bash" && ev.Tool != "PowerShell" {
		return ""
	}
	return gjson.GetBytes(ev.Args, "command").String()
}

// shellLine is a command line while it is judged.
type shellLine struct {
	own    install.Protection
	text   string
	cwd    string
	root   string // of the repository
	home   string
	placed bool // the client says where the line runs
	dots   bool // it makes patterns match names that begin with a dot
	// mentioned names what of ours the whole line mentions, for what is not known.
	mentioned func() string
	starts    func() string // what mentionsStart says of it
	looks     func() bool   // looksForUs of it
	listed    *string       // what of ours a find has listed so far
}

// protectFromShell judges a command line. What cannot be read as bash is judged by
// the names in it: a shell runs the lines before a mistake.
func (h *hook) protectFromShell(ev hooks.Event, own install.Protection, root, text string) (what, evades string) {
	if ev.Tool == "PowerShell" || gjson.GetBytes(ev.Args, "command").Type != gjson.String {
		plain := strings.ReplaceAll(text, "`", "") // PowerShell's escape, which most characters do not need
		return own.Mentioned(plain), mentionsStart(plain)
	}
	l := shellLine{own: own, text: text, cwd: ev.CWD, root: root, home: h.env.get("HOME"), placed: ev.Client != hooks.Codex().Name}
	l.looks = sync.OnceValue(func() bool { return looksForUs(text) })
	l.listed = new(string)
	l.dots = strings.Contains(text, "dotglob") || strings.Contains(text, "GLOBIGNORE") || strings.Contains(strings.ToLower(text), "globdots")
	l.mentioned = sync.OnceValue(l.mentions)
	l.starts = sync.OnceValue(func() string { return mentionsStart(text) })
	commands, err := h.commands(ev)(text)
	written := scriptsOf{}
	for _, cmd := range commands {
		if what := l.touches(cmd); what != "" {
			return what, ""
		}
		if what, evades := l.runsWritten(cmd, written); what+evades != "" {
			return what, evades
		}
		written.note(cmd)
		if evades := l.evades(cmd); evades != "" {
			return "", evades
		}
	}
	if err != nil {
		return own.Mentioned(text), mentionsEvasion(text)
	}
	return "", ""
}

// taken is a command line that was taken apart.
type taken struct {
	commands []shell.Command
	err      error
}

// commands takes command lines apart, each once: a call is judged in several steps.
func (h *hook) commands(ev hooks.Event) func(line string) ([]shell.Command, error) {
	return func(line string) ([]shell.Command, error) {
		t, known := h.lines[line]
		if !known {
			t.commands, t.err = shell.List(line, h.variable(ev))
			if h.lines == nil {
				h.lines = map[string]taken{}
			}
			h.lines[line] = t
		}
		return slices.Clip(t.commands), t.err
	}
}

// variable is the environment in which a command line runs. Only Claude Code tells the
// folder.
func (h *hook) variable(ev hooks.Event) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		switch {
		case name == "PWD" && ev.Client != hooks.Codex().Name:
			return ev.CWD, true
		case name == "PWD":
			return ".", true
		}
		value := h.env.get(name)
		return value, value != ""
	}
}

// touches names what of ours a command would write, or nothing.
func (l shellLine) touches(cmd shell.Command) string {
	for _, r := range cmd.Redirects {
		if !r.Writes {
			continue
		}
		if what := l.argument(cmd, r.Target, true); what != "" {
			return what
		}
		if what := l.inPlaces(cmd, r.Target, l.replaces); what != "" {
			return what
		}
		if r.Target.Text == "!" { // zsh: the next word is the file
			if what := l.anyArgument(cmd); what != "" {
				return what
			}
		}
	}
	if slices.ContainsFunc(cmd.Redirects, func(r shell.Redirect) bool { return r.Writes }) {
		if what := l.copiesUs(cmd); what != "" {
			return what
		}
	}
	if what := l.programText(cmd); what != "" {
		return what
	}
	if hidesProgram(cmd) {
		if what := l.mentioned(); what != "" {
			return what
		}
	}
	return l.arguments(cmd)
}

// candidates are the paths that an argument may have in it: itself, what follows a
// =, what is attached to an option.
func candidates(text string) []string {
	var out []string
	if !strings.HasPrefix(text, "-") {
		out = append(out, text)
	} else if len(text) > 2 && text[1] != '-' {
		out = append(out, text[2:])
		for i := 3; i < min(len(text), 6); i++ { // sort -uo.mcp.json
			if strings.IndexByte("./~", text[i]) >= 0 {
				out = append(out, text[i:])
			}
		}
	}
	if _, value, ok := strings.Cut(text, "="); ok {
		out = append(out, value)
	}
	return out
}

// argument judges one argument as a path. Where a command takes texts, one with
// blanks is a path only if there is such a file.
func (l shellLine) argument(cmd shell.Command, word shell.Word, onlyPaths bool) string {
	text := word.Text
	if magic, rest, ok := strings.Cut(text, ")"); ok && strings.HasPrefix(magic, ":(") {
		text = rest // git's pathspecs
	}
	for _, path := range candidates(text) {
		if !onlyPaths && strings.ContainsAny(path, " \t\n") && !l.exists(path) {
			continue
		}
		if what := l.covers(cmd, word, path, onlyPaths); what != "" {
			return what
		}
		if install.IsSettingsFolder(path) {
			return path
		}
		if onlyPaths && path == shell.Unknown && !slices.Contains(cmd.Wrappers, "find") { // rm $(ls .claude/*.json)
			return l.unknown(word)
		}
	}
	return ""
}

func (l shellLine) exists(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.cwd, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

func (l shellLine) anyArgument(cmd shell.Command) string {
	for _, word := range cmd.Args() {
		if what := l.argument(cmd, word, takesPaths(cmd)); what != "" {
			return what
		}
	}
	return l.piped(cmd)
}

// piped judges names that come through a pipe: what the line mentions may be
// among them.
func (l shellLine) piped(cmd shell.Command) string {
	args := cmd.Args()
	if slices.Contains(cmd.Wrappers, "xargs") && len(args) > 0 && args[len(args)-1].Text == shell.Unknown {
		if *l.listed != "" && (takesPaths(cmd) || cmd.Name() == "rm" || cmd.Name() == "mv") {
			return *l.listed
		}
		return l.mentioned()
	}
	return ""
}
