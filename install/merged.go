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
	sound    map[string]bool // events with a handler of ours that is as it must be
	disabled string          // the file that switches all hooks off
	only     string          // the file that lets no other file's hooks run
	unread   []string        // files that the client may read otherwise than we do
	dropped  []string        // files that the client may ignore
	env      []string        // variables that would come between the client and us
	weakened []string        // altered copies of our handlers
}

func (w watch) read(list []source) merged {
	m := merged{client: w.client, sound: map[string]bool{}}
	decided := 1 << 30 // the rank at which it is decided whether all hooks are off
	slices.SortStableFunc(list, func(a, b source) int { return a.rank - b.rank })
	for _, s := range list {
		file, err := ReadFile(s.path)
		if err != nil {
			m.unread = append(m.unread, err.Error())
			continue
		}
		if file.Text == nil {
			continue
		}
		found, err := handlers(file.Text, w.client)
		if err != nil {
			m.unread = append(m.unread, s.path+":"+err.Error())
			continue
		}
		root, text := rootOf(file.Text)
		if set, says := readSwitch(text, root, "disableAllHooks"); says && s.rank <= decided {
			if decided = s.rank; set {
				m.disabled = s.path
			}
		}
		if set, _ := readSwitch(text, root, "allowManagedHooksOnly"); set {
			m.only = s.path
		}
		m.env = append(m.env, w.badEnv(s, text, root)...)
		m.add(w, s, found, w.drops(s, text, root))
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

// drops says why the client may ignore the whole file, or nothing.
func (w watch) drops(s source, text []byte, root *jsontext.Node) string {
	if w.client.Name != "claude" {
		return ""
	}
	if err := misfit(text, root); err != nil {
		return s.path + ":" + err.Error()
	}
	return ""
}

// add takes the handlers of one file. Of several with the same command a client
// runs one, and that may be an altered copy, wherever it is.
func (m *merged) add(w watch, s source, list []found, dropped string) {
	if dropped != "" {
		m.dropped = append(m.dropped, dropped)
	}
	for _, f := range list {
		i := slices.IndexFunc(w.client.Events, func(r hooks.Registration) bool { return r.Event == f.event })
		if i < 0 {
			continue
		}
		line, ok := lineOf(f.command(), w.client, w.client.Events[i])
		switch {
		case !ok:
		case !f.isExactly(handlerFor(w.client, w.client.Events[i], line)):
			m.weakened = append(m.weakened, fmt.Sprintf("%s has a copy of gatewright's handler for %s that is altered, and the client may run that one", s.path, f.event))
		case dropped == "" && w.counts(line, s) && w.isTrusted(s.path, f):
			m.sound[f.event] = true
		}
	}
}

// counts reports whether a line leads to this program. One that names a program
// counts only where nobody but the user writes, and only if it names this one.
func (w watch) counts(line Line, s source) bool {
	if line == Shared() {
		return true
	}
	return !w.required && s.ours && IsSameFile(line.program, w.program)
}

// missing names the events for which nothing of ours is registered.
func (m merged) missing() string {
	var missing []string
	for _, r := range m.client.Events {
		if !m.sound[r.Event] {
			missing = append(missing, r.Event)
		}
	}
	if len(missing) == 0 {
		return ""
	}
	text := "gatewright is not registered for " + strings.Join(missing, ", ")
	if causes := slices.Concat(m.unread, m.dropped); len(causes) > 0 {
		text += " (" + strings.Join(causes, "; ") + ")"
	}
	return text
}
