package hooks

// MaxInput is how many bytes of stdin are read at most.
const MaxInput = 64 << 20

// Frame watches bytes arrive and knows when one complete JSON object is in, so
// that a client which leaves the pipe open is not waited for. It does not
// check the object's grammar; Strict does, once, over the whole.
type Frame struct {
	size     int
	depth    int
	inString bool
	escaped  bool
	started  bool
	complete bool
	problem  string
}

// Settled reports that nothing more is needed: an object is complete, or the
// input can no longer become one.
func (f *Frame) Settled() bool { return f.complete || f.problem != "" }

// Problem says why the input can no longer become an object, or nothing.
func (f *Frame) Problem() string { return f.problem }

// Feed takes the next bytes. It returns as soon as there is a problem.
func (f *Frame) Feed(p []byte) {
	f.size += len(p)
	if f.size > MaxInput {
		f.fail("more than 64 MiB")
	}
	for i := 0; i < len(p) && f.problem == ""; i++ {
		switch {
		case f.inString:
			f.stringByte(p[i])
		case f.complete || !f.started:
			f.outside(p[i])
		default:
			f.inside(p[i])
		}
	}
}

func (f *Frame) fail(problem string) {
	if f.problem == "" {
		f.problem = problem
	}
}

func (f *Frame) stringByte(c byte) {
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inString = false
	}
}

func (f *Frame) outside(c byte) {
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
	case f.complete:
		f.fail("something follows the JSON object")
	case c == '{':
		f.started, f.depth = true, 1
	default:
		f.fail("not a JSON object")
	}
}

func (f *Frame) inside(c byte) {
	switch c {
	case '"':
		f.inString = true
	case '{', '[':
		f.depth++
	case '}', ']':
		if f.depth--; f.depth == 0 {
			f.complete = true
		}
	}
}
