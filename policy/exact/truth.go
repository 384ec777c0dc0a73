package exact

// Truth is the value of a condition. Unknown is what a condition has that
// cannot be decided: a wrong type, null, an ambiguous member. It never admits,
// and it never silently fails to restrict.
type Truth int8

// The three values, ordered so that min is "and" and max is "or".
const (
	False Truth = iota - 1
	Unknown
	True
)

// Of turns a Go bool into a Truth.
func Of(b bool) Truth {
	if b {
		return True
	}
	return False
}

// Not turns True and False round; Unknown stays.
func (t Truth) Not() Truth { return -t }

// String names the value as people say it.
func (t Truth) String() string {
	return [...]string{"false", "unknown", "true"}[t+1]
}
