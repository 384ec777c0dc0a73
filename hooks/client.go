package hooks

// Client is one agent program's dialect, as a value.
type Client struct {
	Name string
	// StartDirEnv names the environment variable in which the client passes the
	// directory it was started in; empty if it has none.
	StartDirEnv string
	// Decode reads one event from stdin's bytes. An error is a *Refusal, and the
	// event is then the zero Event.
	Decode func(stdin []byte) (Event, error)
	// Encode puts a reply into the client's words for the event's kind.
	Encode func(Event, Reply) Output
	// Refuse denies a call about which nothing else is known.
	Refuse func(reason string) Output
}

// Clients lists every client we speak to.
func Clients() []Client { return []Client{Claude(), Codex()} }

// ClientNamed finds a client by name.
func ClientNamed(name string) (Client, bool) {
	for _, c := range Clients() {
		if c.Name == name {
			return c, true
		}
	}
	return Client{}, false
}

// Refusal says why input was not taken as an event. Kind is what the event
// claimed to be, where that much could be read without doubt; PreToolUse
// otherwise, because only a denial of that is safe.
type Refusal struct {
	Kind   Kind
	Reason string
}

func (r *Refusal) Error() string { return "malformed hook input: " + r.Reason }
