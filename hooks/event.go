// Package hooks knows what agent clients say to a hook (Event) and what they
// accept as an answer (Reply, Output). Each client's dialect is one file.
package hooks

// Kind is what an event means to us, whatever the client calls it.
type Kind uint8

// The kinds of events we act on. Every other event is Other and gets silence.
const (
	Other Kind = iota
	PreToolUse
	PostToolUse
	PostToolUseFailure
	SessionStart
	ConfigChange // the client is about to take changed settings
	UserPrompt   // a person has said something
	SubagentStart
)

// CanBlock reports whether an answer to the event can stop something.
func (k Kind) CanBlock() bool { return k == PreToolUse || k == ConfigChange }

// aboutNoTool reports the kinds of events that name no tool.
func (k Kind) aboutNoTool() bool {
	return k == SessionStart || k == SubagentStart || k == ConfigChange || k == UserPrompt
}

// Compact is the Source of a SessionStart after which the conversation is a summary.
const Compact = "compact"

// Event is one hook event without any client's dialect. Strings are empty when
// the client did not send them.
type Event struct {
	Kind   Kind
	Name   string // the client's own name of the event
	Client string // the name of the Client that decoded it

	Session   string // shared by all sub-agents of a session
	AgentID   string // only inside a sub-agent
	AgentType string
	CWD       string // the session's current directory, absolute
	Mode      string // permission mode, in the client's words
	CanAsk    bool   // a person can be asked and no other hook answers for them
	Source    string // SessionStart: startup, resume, clear, compact, fork; ConfigChange: which settings

	Prompt string // UserPrompt: what was said

	Tool      string // the tool's name as the client spells it
	ToolUseID string
	Server    string // MCP: the server's configured name, from clients that send it
	// ServerSource is where that server is configured, in the client's words:
	// user, project, plugin, agent and others.
	ServerSource string
	Args         []byte // the arguments, a JSON object; nil if the client sent none
	Through      string // the tool by which this call is reached; empty if it is made itself
	Claim        []byte // what was taken out of the arguments as their claim, JSON
	Response     []byte // PostToolUse: the raw result, JSON
	Error        string // PostToolUseFailure: what the client says went wrong
	Stopped      bool   // PostToolUseFailure: a person interrupted the call
	Rereads      bool   // starts an agent for which the client reads its hooks anew
	Nested       bool   // made from a program the model wrote: a replaced result throws there
	// OldShapes: the client fails on a result that is replaced by an object.
	OldShapes bool
}
