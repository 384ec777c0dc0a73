package hooks

// Answer is what the client is to do with a call.
type Answer uint8

// The answers. The zero value is Deny: an answer that nobody set must not let
// a call through.
const (
	Deny Answer = iota
	Ask
	Silence // the client's own permission flow goes on
	Allow   // skips the user's prompt, where the client knows that
)

// Reply is our answer before it is put into a client's words. Events that can
// block use Answer and Reason, the others Result, Context and Notice.
type Reply struct {
	Answer  Answer
	Input   []byte // replaces the arguments, unless the call is denied: a JSON object
	Reason  string // Deny: read by the model; Ask: read by a person
	Result  []byte // replacement for the call's result, in its shape; nil keeps it
	Text    string // the replacement as one text, for a client that takes only that
	Lossy   bool   // the result has more than Text can say, such as an image
	Beside  string // what the model is told where the result cannot be replaced
	Context string // added beside the result, for the model
	Notice  string // for the user, never for the model
}

// Output is what the process leaves behind. Stdout is one complete JSON object
// or empty.
type Output struct {
	Stdout []byte
	Stderr string // notes for a person
	Exit   int
	// Told is a denial's reason, for a client that reads it from stderr. Behind a
	// registered line it stands there alone.
	Told string
}

// ExitBlock is the exit code with which both clients stop a call although they
// could not read our stdout; they need text on stderr for it.
const ExitBlock = 2

// answer wraps an encoded object. An object that could not be encoded becomes
// the exit code that stops the call.
func answer(object []byte) Output {
	if len(object) == 0 {
		return Output{Stderr: "gatewright: the answer could not be written as JSON", Exit: ExitBlock}
	}
	return Output{Stdout: object}
}
