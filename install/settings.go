package install

import (
	"encoding/json"
	"reflect"
	"slices"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

// Timeout is how long a client waits for us, in seconds. Our own deadline lies far
// below it: some clients run the call when it passes, and a busy machine may take
// seconds to start us.
const Timeout = 30

// mark is shown while the hook runs. Clients strip keys that they do not know
// when they rewrite a file, so an entry of ours is known by its command.
const mark = "gatewright"

// handler is one registered command in the form that the clients share.
type handler struct {
	Type          string `json:"type"`
	Command       string `json:"command"`
	Timeout       int    `json:"timeout"`
	OnFailure     string `json:"onFailure,omitempty"`
	StatusMessage string `json:"statusMessage"`
}

func handlerFor(c hooks.Client, r hooks.Registration, l Line) handler {
	h := handler{Type: "command", Command: l.Text(c, r), Timeout: Timeout, StatusMessage: mark}
	if c.OnFailure && r.Kind.CanBlock() {
		h.OnFailure = "block"
	}
	return h
}

// group is a list of handlers without a matcher: for every call.
type group struct {
	Hooks []handler `json:"hooks"`
}

// found is one handler in a settings file.
type found struct {
	event            string
	group, at, count int // count: how many handlers its group has
	matcher          string
	matched          bool // a matcher counts, whatever it is
	fields           map[string]any
}

// isExactly reports a handler that is registered for every call and as we would
// write it.
func (f found) isExactly(h handler) bool { return len(f.differs(h)) == 0 }

// differs names what keeps a handler from being exactly that.
func (f found) differs(h handler) []string {
	var want map[string]any
	if err := json.Unmarshal(hooks.EncodeJSON(h), &want); err != nil {
		return []string{err.Error()}
	}
	var names []string
	for name, value := range want {
		if has, ok := f.fields[name]; !ok || !reflect.DeepEqual(has, value) {
			names = append(names, name)
		}
	}
	for name := range f.fields {
		if _, ours := want[name]; !ours {
			names = append(names, name)
		}
	}
	if f.matcher != "" && f.matcher != "*" || f.matched {
		names = append(names, "matcher")
	}
	slices.Sort(names)
	return names
}

// Register gives the text of a client's settings file in which every event of
// the client calls us by this line, once. A nil text is a file that is not
// there. A text that is right already comes back as it is. The error is a
// *jsontext.Error if the client could not use the file.
func Register(text []byte, c hooks.Client, l Line) ([]byte, error) {
	if text != nil {
		list, err := handlers(text, c)
		if err != nil {
			return nil, err
		}
		if isRegistered(list, c, l) {
			return text, nil
		}
		if text, err = Unregister(text, c); err != nil {
			return nil, err
		}
	}
	bom, body := splitBOM(text)
	for _, r := range c.Events {
		var err error
		entry := hooks.EncodeJSON(group{[]handler{handlerFor(c, r, l)}})
		if body, err = jsontext.Append(body, []string{"hooks", r.Event}, entry); err != nil {
			return nil, err
		}
	}
	return slices.Concat(bom, body), nil
}

// isRegistered reports that ours are exactly what Register would write.
func isRegistered(list []found, c hooks.Client, l Line) bool {
	ours := 0
	for _, f := range list {
		if f.isOurs() {
			ours++
		}
	}
	for _, r := range c.Events {
		want := handlerFor(c, r, l)
		if !slices.ContainsFunc(list, func(f found) bool { return f.event == r.Event && f.isExactly(want) }) {
			return false
		}
	}
	return ours == len(c.Events)
}

// Unregister gives the text without any handler of ours; nil if nothing is left
// of a file that Register made.
func Unregister(text []byte, c hooks.Client) ([]byte, error) {
	bom, body := splitBOM(text)
	for {
		list, err := handlers(body, c)
		if err != nil {
			return nil, err
		}
		f, left := lastOfOurs(list)
		if !left {
			return slices.Concat(bom, body), nil
		}
		path := []any{"hooks", f.event, f.group}
		if f.count > 1 {
			path = append(path, "hooks", f.at)
		}
		if body, err = jsontext.Remove(body, path...); body == nil || err != nil {
			return nil, err
		}
	}
}

func lastOfOurs(list []found) (found, bool) {
	for _, f := range slices.Backward(list) {
		if f.isOurs() {
			return f, true
		}
	}
	return found{}, false
}

// Registered reports whether the file holds any handler of ours, and the command
// that it has for an event.
func Registered(text []byte, c hooks.Client, event string) (command string, any bool) {
	list, err := handlers(text, c)
	if err != nil {
		return "", false
	}
	return registeredIn(list, event)
}

func registeredIn(list []found, event string) (command string, any bool) {
	for _, f := range list {
		if f.isOurs() {
			any = true
			if f.event == event {
				command = f.command()
			}
		}
	}
	return command, any
}
