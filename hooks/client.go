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
	// Refuse denies what the event announces. Only Kind and Name count; a zero
	// Name is the client's PreToolUse.
	Refuse func(ev Event, reason string) Output
	// Events is what the client has to be registered for.
	Events []Registration
	// OldShapes recognises by its environment a client that fails on a result that is
	// replaced by an object; nil: no version does.
	OldShapes func(env func(string) string) bool
	// OnFailure: the client can be told to block when its hook fails.
	OnFailure bool
	// ByStderr: the registered line denies by stderr and ExitBlock, because the
	// user's shell, in which this client starts it, may write to stdout first; the
	// client takes an object behind other text for no answer.
	ByStderr bool
}

// Registration is one event that a client is to send us.
type Registration struct {
	Event string // the client's name of the event
	Kind  Kind
	// Extra events only say something: without them nothing goes unjudged.
	Extra bool
	// Begin and End are how a complete answer that stops something begins and
	// ends; the registered line takes nothing else for one. They are empty for
	// events that our answer cannot stop.
	Begin, End string
	// Rewrite is how an answer begins that lets a call run with other arguments, and
	// RewriteEnd how it ends; empty where there is none.
	Rewrite string
}

// RewriteEnd is how an answer ends that gives a call other arguments.
const RewriteEnd = "}}}"

// decides is the registration of an event that is answered by a decision about
// a call.
func decides(event string) Registration {
	return Registration{
		Event: event,
		Kind:  PreToolUse,
		Begin: `{"hookSpecificOutput":{"hookEventName":"` + event + `","permissionDecision":"`,
		End:   `"}}`,
	}
}

// rewrites is decides for calls whose arguments can be replaced by an answer that
// begins with these fields.
func rewrites(event, fields string) Registration {
	r := decides(event)
	r.Rewrite = `{"hookSpecificOutput":{"hookEventName":"` + event + `",` + fields + `"updatedInput":{`
	return r
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

// Refusal says why input was not taken as an event. Kind and Name are what the
// event claimed to be, where that much could be read without doubt; PreToolUse
// and nothing otherwise, because only a denial of that is safe.
type Refusal struct {
	Kind   Kind
	Name   string
	Reason string
}

func (r *Refusal) Error() string { return "malformed hook input: " + r.Reason }
