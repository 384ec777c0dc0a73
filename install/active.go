package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

// Watch is what it takes to tell whether a client calls us.
type Watch struct {
	Client hooks.Client
	Dir    string // where the client was started
	Repo   Repository
	Home   Home
	// Required: only lines that need a policy count.
	Required bool
	// Accepted are Doubts that were there when the client's session began: it took
	// them, since it called us.
	Accepted []string

	program    string         // this one
	anyProgram bool           // a line may name any program
	trusted    map[string]any // Codex: what it remembers of handlers, by their place
}

// Lost says why the client would not call us at every event, or not so that we
// can stop a call, with its settings as they are on disk now. It is empty if all
// is well.
func (w Watch) Lost() string {
	var err error
	if w.program, err = os.Executable(); err != nil {
		return err.Error()
	}
	if w.Client.Name == "codex" {
		// It runs every handler that it takes, so that copies do no harm.
		w.trusted = trustedByCodex(w.Home)
		return w.lostCodex()
	}
	return w.lostClaude()
}

// lostCodex adds up what Codex adds up. Where it runs an administrator's hooks only,
// the others' do not count.
func (w Watch) lostCodex() string {
	managed := merged{client: w.Client, sound: map[string]bool{}}
	managed.addRequirements(w)
	lost := managed.missing()
	switches, _ := w.codexSwitches()
	for _, s := range switches {
		if s.Counts && (s.Name != codexOnly || lost != "") {
			return s.String()
		}
	}
	if lost == "" {
		return ""
	}
	m := w.read(codexSources(w.Dir, w.Repo, w.Home))
	for event := range managed.sound {
		m.sound[event] = true
	}
	m.unread = append(m.unread, managed.unread...)
	return m.missing()
}

// Doubts names the values in the client's settings of which we cannot tell whether
// it ignores their file. Those that it does ignore a file for are none.
func (w Watch) Doubts() []string {
	if w.Client.Name == "codex" {
		return nil
	}
	return w.read(claudeSources(w.Dir, w.Repo, w.Home)).softDoubts()
}

// source is one file that a client merges. Of two ranks the lower one wins where
// only one value can count.
type source struct {
	path string
	rank int
	ours bool // nobody but the user or an administrator writes it for us
}

// lostClaude looks at an administrator's settings first: nothing else can switch
// off what is registered there.
func (w Watch) lostClaude() string {
	managed := w.read(managedSources(w.Home))
	switch lost := managed.missing(); {
	case managed.disabled != "":
		return Switch{managed.disabled, disableAll, true}.String()
	case lost == "":
		return ""
	case managed.only != "":
		return Switch{managed.only, claudeOnly, true}.String()
	}
	merged := w.read(claudeSources(w.Dir, w.Repo, w.Home))
	if merged.disabled != "" {
		return Switch{merged.disabled, disableAll, true}.String()
	}
	for _, reasons := range [][]string{merged.unread, merged.env, merged.weakened} {
		if len(reasons) > 0 {
			return reasons[0]
		}
	}
	return merged.missing()
}

// claudeSources lists the settings that the client merges. It reads the local
// ones of the start directory, of the root, and of the main checkout.
func claudeSources(dir string, repo Repository, home Home) []source {
	list := []source{{path: claudeLocal(dir)}, {path: claudeLocal(repo.Root)}, {path: claudeLocal(repo.Main)}, {path: claudeProject(dir), rank: 1}}
	if home.Claude != "" {
		list = append(list, source{filepath.Join(home.Claude, "settings.json"), 2, true})
	}
	return unique(list)
}

func unique(list []source) []source {
	var out []source
	for _, s := range list {
		if !slices.ContainsFunc(out, func(o source) bool { return o.path == s.path }) {
			out = append(out, s)
		}
	}
	return out
}

// managedSources lists an administrator's settings. Of the files in the folder
// the last counts.
func managedSources(home Home) []source {
	if home.Managed == "" {
		return nil
	}
	more, err := filepath.Glob(filepath.Join(home.Managed, "managed-settings.d", "*.json"))
	if err != nil {
		more = nil // the folder's name is no pattern
	}
	var list []source
	for i, path := range append([]string{filepath.Join(home.Managed, "managed-settings.json")}, more...) {
		list = append(list, source{path, -i, true})
	}
	return list
}

// codexSources lists the hooks.json of a start directory, and the user's.
func codexSources(dir string, repo Repository, home Home) []source {
	var list []source
	for _, d := range codexDirs(dir, repo) {
		list = append(list, source{path: codexFile(d)})
	}
	if home.Codex != "" {
		list = append(list, source{filepath.Join(home.Codex, "hooks.json"), 2, true})
	}
	return list
}

// readSwitch reads a switch. What is neither true nor false counts as set.
func readSwitch(text []byte, root *jsontext.Node, name string) (set, says bool) {
	i := root.Index(name)
	if i < 0 {
		return false, false
	}
	return string(root.Members[i].Value.Raw(text)) != "false", true
}

// leavesPluginsOnly reports settings by which hooks may come from plugins alone.
func leavesPluginsOnly(text []byte, root *jsontext.Node) bool {
	i := root.Index(pluginsOnly)
	if i < 0 {
		return false
	}
	kinds, isList := decoded(root.Members[i].Value.Raw(text)).([]any)
	return isList && slices.Contains(kinds, any("hooks")) || !isList && string(root.Members[i].Value.Raw(text)) != "false"
}

// lineOf finds the line that a command was written from.
func lineOf(command string, c hooks.Client, r hooks.Registration) (Line, bool) {
	lines := []Line{Shared()}
	script, _ := scriptOf(command)
	if rest, ok := strings.CutPrefix(script, "g="); ok {
		if own, err := Own(unquoted(rest)); err == nil {
			lines = append(lines, own)
		}
	}
	i := slices.IndexFunc(lines, func(l Line) bool { return l.Text(c, r) == command })
	if i < 0 {
		return Line{}, false
	}
	return lines[i], true
}
