package install

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"gatewright/hooks"
)

// Report is what a client's settings say of us, each matter on its own. Where a
// person has to look for something, the text names the file.
type Report struct {
	Files    []string // settings that are there
	Unread   []string // why files cannot be read; the client ignores them
	Dropped  []string // why the client may ignore a file that registers us
	Doubts   []string // the same, of other files and of values that we do not know
	Off      []Switch
	Env      []string // variables that come between the client and us
	Ordinary []string // variables that look like it and do no harm
	Missing  []string // events for which nothing of ours is registered
	Managed  bool     // an administrator's settings register us: no other file switches that off
	Entries  []Entry
}

// Switch is a setting that keeps a client from calling us.
type Switch struct {
	File, Name string
	Counts     bool // false: another setting comes before it
}

// Names of such settings in Claude Code's files.
const (
	disableAll  = "disableAllHooks"
	codexOnly   = "allow_managed_hooks_only"
	pluginsOnly = "strictPluginOnlyCustomization"
)

// String says what the switch does.
func (s Switch) String() string {
	if s.Name == claudeOnly || s.Name == codexOnly {
		return s.File + " lets no hooks run but an administrator's (" + s.Name + ")"
	}
	return s.File + " sets " + s.Name
}

// Kind is what a handler in a client's settings is to us.
type Kind int

// The kinds.
const (
	Foreign   Kind = iota
	Right          // ours, as it has to be
	Altered        // ours, with another field or for some calls only
	Strange        // calls us by a line that this version does not write
	Misplaced      // ours, in a file in which a line that names a program does not count
)

// Entry is one handler in a client's settings.
type Entry struct {
	File, Event, Command string
	Kind                 Kind
	Fields               []string // of an altered one: what is not as it has to be
	Program              string   // that the line of ours names; empty: it looks for gatewright

	line Line
}

// IsShared reports a line of ours that a team shares: it needs a policy.
func (e Entry) IsShared() bool { return e.line == Shared() }

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Event, b.Event), cmp.Compare(a.Command, b.Command))
}

// entry says what a handler is to us.
func (w Watch) entry(s source, f found) Entry {
	e := Entry{File: s.path, Event: f.event, Command: commandOf(f.fields)}
	if f.isOurs() {
		e.Kind = Strange
	}
	i := slices.IndexFunc(w.Client.Events, func(r hooks.Registration) bool { return r.Event == f.event })
	if i < 0 {
		return e
	}
	line, ok := lineOf(f.command(), w.Client, w.Client.Events[i])
	if !ok {
		return e
	}
	e.Fields = f.differs(handlerFor(w.Client, w.Client.Events[i], line))
	switch {
	case len(e.Fields) > 0:
		e.Kind = Altered
	case !w.counts(line, s):
		e.Kind = Misplaced
	default:
		e.Kind = Right
	}
	e.line, e.Program = line, line.program
	return e
}

// commandOf is what a handler runs, or its type.
func commandOf(fields map[string]any) string {
	command, _ := fields["command"].(string)
	kind, _ := fields["type"].(string)
	return cmp.Or(command, kind)
}

// Report reads all settings of the client. Unlike Lost it takes every program that
// a line names for ours, and does not ask whether Codex trusts anything.
func (w Watch) Report() Report {
	w.anyProgram, w.Required, w.trusted = true, false, nil
	if w.Client.Name == "codex" {
		return w.reportCodex()
	}
	w.Accepted = slices.Concat(w.Doubts(), w.read(managedSources(w.Home)).softDoubts())
	managed, merged := w.read(managedSources(w.Home)), w.read(claudeSources(w.Dir, w.Repo, w.Home))
	r := merged.report()
	r.Managed = managed.disabled == "" && len(managed.lacking()) == 0
	for _, file := range merged.says {
		r.Off = append(r.Off, Switch{file, disableAll, !r.Managed && file == merged.disabled})
	}
	if managed.only != "" {
		r.Off = append(r.Off, Switch{managed.only, claudeOnly, !r.Managed})
	}
	if managed.plugins != "" {
		r.Off = append(r.Off, Switch{managed.plugins, pluginsOnly, !r.Managed})
	}
	above := managed.report()
	for _, file := range managed.says {
		r.Off = append(r.Off, Switch{file, disableAll, file == managed.disabled})
	}
	r.Missing = slices.DeleteFunc(r.Missing, func(event string) bool { return managed.sound[event] })
	r.Files, r.Unread, r.Entries = append(r.Files, above.Files...), append(r.Unread, above.Unread...), append(r.Entries, above.Entries...)
	r.Dropped, r.Doubts = append(r.Dropped, above.Dropped...), append(r.Doubts, above.Doubts...)
	r.Env, r.Ordinary = append(r.Env, above.Env...), append(r.Ordinary, above.Ordinary...)
	return r
}

func (w Watch) reportCodex() Report {
	managed := merged{client: w.Client, sound: map[string]bool{}}
	managed.addRequirements(w)
	r := w.read(codexSources(w.Dir, w.Repo, w.Home)).report()
	r.Managed = len(managed.lacking()) == 0
	r.Missing = slices.DeleteFunc(r.Missing, func(event string) bool { return managed.sound[event] })
	var unread []string
	r.Off, unread = w.codexSwitches()
	for i, s := range r.Off {
		r.Off[i].Counts = s.Counts && (s.Name != codexOnly || !r.Managed)
	}
	r.Unread, r.Entries = append(r.Unread, unread...), slices.Concat(r.Entries, managed.entries, w.inlineHooks())
	for _, path := range w.codexConfigs() {
		if file, err := ReadFile(path); err != nil || file.Text != nil {
			r.Files = append(r.Files, path)
		}
	}
	return r
}

func (m merged) report() Report {
	r := Report{Files: m.files, Unread: m.unread, Env: m.env, Ordinary: m.ordinary, Missing: m.lacking(), Entries: m.entries}
	for _, d := range m.doubts {
		if !d.soft && slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.File == d.file && e.Kind == Right }) {
			r.Dropped = append(r.Dropped, d.why)
		} else {
			r.Doubts = append(r.Doubts, d.why)
		}
	}
	return r
}

// Ours lists the files with an entry of ours, in their order.
func (r Report) Ours() []string {
	var files []string
	for _, e := range r.Entries {
		if e.Kind != Foreign && !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	return files
}

// Of counts the entries of a kind that a file has for an event.
func (r Report) Of(file, event string, kind Kind) int {
	n := 0
	for _, e := range r.Entries {
		if e.File == file && e.Event == event && e.Kind == kind {
			n++
		}
	}
	return n
}

// Remembered says why Codex, by its config.toml alone, would not run what this file
// registers; nothing if it would.
func (w Watch) Remembered(file string) error {
	w.anyProgram, w.Required, w.trusted = true, false, trustedByCodex(w.Home)
	text, err := ReadFile(file)
	if err != nil {
		return err
	}
	list, err := handlers(text.Text, w.Client)
	if err != nil {
		return err
	}
	path := file
	if real, err := filepath.EvalSymlinks(file); err == nil && !w.remembers(file) {
		path = real
	}
	if !w.remembers(path) {
		return fmt.Errorf("config.toml of Codex does not say that the handlers of %s are trusted", file)
	}
	for _, f := range list {
		if e := w.entry(source{path: file, ours: true}, f); e.Kind == Right && !w.isTrusted(path, f, e.line) {
			return fmt.Errorf("by its config.toml Codex does not trust the handler of %s for %s as it is now", file, f.event)
		}
	}
	return nil
}
