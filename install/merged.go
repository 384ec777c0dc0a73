package install

import (
	"fmt"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

// merged is what a client's files say together.
type merged struct {
	client   hooks.Client
	files    []string        // that are there
	entries  []Entry         // every handler
	sound    map[string]bool // events with a handler of ours that is as it must be
	disabled string          // the file that switches all hooks off
	says     []string        // files that say so, whether that counts or not
	only     string          // the file that lets no other file's hooks run
	plugins  string          // the file that lets no hooks run but those of plugins
	unread   []string        // files that the client may read otherwise than we do
	doubts   []doubt         // why the client may ignore a file
	env      []string        // variables that would come between the client and us
	ordinary []string        // variables that look like it and do no harm
	weakened []string        // altered copies of our handlers
}

func (w Watch) read(list []source) merged {
	m := merged{client: w.Client, sound: map[string]bool{}}
	decided := 1 << 30 // the rank at which it is decided whether all hooks are off
	slices.SortStableFunc(list, func(a, b source) int { return a.rank - b.rank })
	for _, s := range list {
		file, err := ReadFile(s.path)
		if err == nil && file.Text == nil {
			continue
		}
		m.files = append(m.files, s.path)
		if err != nil {
			m.unread = append(m.unread, err.Error())
			continue
		}
		found, err := handlers(file.Text, w.Client)
		if err != nil {
			m.unread = append(m.unread, s.path+":"+err.Error())
			continue
		}
		root, text := rootOf(file.Text)
		set, says := readSwitch(text, root, disableAll)
		if says && set {
			m.says = append(m.says, s.path)
		}
		if says && s.rank <= decided {
			if decided = s.rank; set {
				m.disabled = s.path
			}
		}
		if set, _ := readSwitch(text, root, claudeOnly); set {
			m.only = s.path
		}
		if leavesPluginsOnly(text, root) {
			m.plugins = s.path
		}
		bad, ordinary := w.badEnv(s, root)
		m.env, m.ordinary = append(m.env, bad...), append(m.ordinary, ordinary...)
		m.add(w, s, found, w.doubted(s, text, root))
	}
	return m
}

// rootOf is the root of a text that handlers has read.
func rootOf(text []byte) (*jsontext.Node, []byte) {
	text = hooks.TrimBOM(text)
	root, err := jsontext.Parse(text)
	if err != nil {
		root = &jsontext.Node{}
	}
	return root, text
}

// doubted lists what in a file the client may ignore it for.
func (w Watch) doubted(s source, text []byte, root *jsontext.Node) []doubt {
	if w.Client.Name != "claude" {
		return nil
	}
	return doubts(s.path, text, root)
}

// add takes the handlers of one file. Of several with the same command a client
// runs one, and that may be an altered copy, wherever it is.
func (m *merged) add(w Watch, s source, list []found, doubts []doubt) {
	m.doubts = append(m.doubts, doubts...)
	accepted := !slices.ContainsFunc(doubts, func(d doubt) bool { return !slices.Contains(w.Accepted, d.id) })
	for _, f := range list {
		e := w.entry(s, f)
		switch {
		case e.Kind == Altered:
			m.weakened = append(m.weakened, fmt.Sprintf("%s has a copy of gatewright's handler for %s that is altered, and the client may run that one", s.path, f.event))
		case e.Kind == Right && accepted && w.isTrusted(s.path, f, e.line):
			m.sound[f.event] = true
		}
		m.entries = append(m.entries, e)
	}
}

// softDoubts are the values of which we cannot tell whether the client takes them.
func (m merged) softDoubts() []string {
	var ids []string
	for _, d := range m.doubts {
		if d.soft {
			ids = append(ids, d.id)
		}
	}
	return ids
}

// counts reports whether a line leads to this program. One that names a program
// counts only where nobody but the user writes, and only if it names this one.
func (w Watch) counts(line Line, s source) bool {
	if line == Shared() {
		return true
	}
	return !w.Required && s.ours && (w.anyProgram || IsSameFile(line.program, w.program))
}

// lacking lists the events for which nothing of ours is registered.
func (m merged) lacking() []string {
	var list []string
	for _, r := range m.client.Events {
		if !r.Extra && !m.sound[r.Event] {
			list = append(list, r.Event)
		}
	}
	return list
}

// missing says for which events nothing of ours is registered.
func (m merged) missing() string {
	missing := m.lacking()
	if len(missing) == 0 {
		return ""
	}
	text := "gatewright is not registered for " + strings.Join(missing, ", ")
	causes := m.unread
	for _, d := range m.doubts {
		causes = append(causes, d.why)
	}
	if len(causes) > 0 {
		text += " (" + strings.Join(causes, "; ") + ")"
	}
	return text
}
