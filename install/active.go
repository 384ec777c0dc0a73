package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

// Lost says why a client that was started in dir would not call us at every
// event, or not so that we can stop a call, with its settings as they are on disk
// now. It is empty if all is well.
func Lost(c hooks.Client, dir string, home Home) string {
	repo, err := FindRepository(dir)
	if err != nil {
		return err.Error()
	}
	if c.Name == "codex" {
		return readSources(c, codexSources(dir, repo, home)).lost()
	}
	managed := readSources(c, managedSources(home))
	switch lost := managed.lost(); {
	case lost == "":
		return "" // nothing else can switch these off
	case managed.disabled != "":
		return lost
	case managed.only != "":
		return managed.only + " lets no hooks run but an administrator's"
	}
	return readSources(c, claudeSources(dir, repo, home)).lost()
}

// claudeSources lists the settings that the client merges, strongest first.
func claudeSources(dir string, repo Repository, home Home) []string {
	paths := []string{claudeLocal(repo.Root), claudeProject(dir)}
	if home.Claude != "" {
		paths = append(paths, filepath.Join(home.Claude, "settings.json"))
	}
	return paths
}

// managedSources lists an administrator's settings. Of the files in the folder
// the last counts.
func managedSources(home Home) []string {
	if home.Managed == "" {
		return nil
	}
	more, err := filepath.Glob(filepath.Join(home.Managed, "managed-settings.d", "*.json"))
	if err != nil {
		more = nil // a pattern that cannot be wrong, but for an odd folder
	}
	slices.Reverse(more)
	return append(more, filepath.Join(home.Managed, "managed-settings.json"))
}

// codexSources lists the hooks.json from the start directory up to the
// repository's root, the main checkout's for a linked worktree, and the user's.
func codexSources(dir string, repo Repository, home Home) []string {
	paths := []string{codexFile(repo.Main)}
	for d := dir; repo.Main == repo.Root && d != repo.Root && d != filepath.Dir(d); d = filepath.Dir(d) {
		paths = append(paths, codexFile(d))
	}
	if home.Codex != "" {
		paths = append(paths, filepath.Join(home.Codex, "hooks.json"))
	}
	return paths
}

// sources are the handlers of all files that a client merges.
type sources struct {
	client   hooks.Client
	list     []found
	disabled string   // the file that switches all hooks off
	only     string   // the file that lets no other file's hooks run
	problems []string // files that the client cannot use either
}

func readSources(c hooks.Client, paths []string) sources {
	s := sources{client: c}
	decided := false // the strongest file that says something about all hooks counts
	for _, path := range paths {
		file, err := ReadFile(path)
		if err != nil {
			s.problems = append(s.problems, err.Error())
			continue
		}
		if file.Text == nil {
			continue
		}
		list, err := handlers(file.Text, c)
		if err != nil {
			s.problems = append(s.problems, path+":"+err.Error())
			continue
		}
		s.list = append(s.list, list...)
		if set, says := readSwitch(file.Text, "disableAllHooks"); says && !decided {
			if decided = true; set {
				s.disabled = path
			}
		}
		if set, _ := readSwitch(file.Text, "allowManagedHooksOnly"); set {
			s.only = path
		}
	}
	return s
}

// readSwitch reads a switch. What is neither true nor false counts as set.
func readSwitch(text []byte, name string) (set, says bool) {
	text = hooks.TrimBOM(text)
	root, err := jsontext.Parse(text)
	if err != nil {
		return false, false
	}
	i := root.Index(name)
	if i < 0 {
		return false, false
	}
	return string(root.Members[i].Value.Raw(text)) != "false", true
}

func (s sources) lost() string {
	if s.disabled != "" {
		return s.disabled + " sets disableAllHooks"
	}
	var missing []string
	for _, r := range s.client.Events {
		switch sound, weakened := s.registration(r); {
		case weakened:
			return fmt.Sprintf("a copy of gatewright's handler for %s is altered, and the client may run that one", r.Event)
		case !sound:
			missing = append(missing, r.Event)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	text := "gatewright is not registered for " + strings.Join(missing, ", ")
	if len(s.problems) > 0 {
		text += " (" + strings.Join(s.problems, "; ") + ")"
	}
	return text
}

// registration reports whether one handler is as it must be, and whether a copy
// of one is not: of several with the same command a client runs one only, and
// that may be the copy.
func (s sources) registration(r hooks.Registration) (sound, weakened bool) {
	for _, f := range s.list {
		line, ok := lineOf(f.command(), s.client, r)
		if f.event != r.Event || !ok {
			continue
		}
		if f.isExactly(handlerFor(s.client, r, line)) {
			sound = true
		} else {
			weakened = true
		}
	}
	return sound, weakened && s.client.OnFailure
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
