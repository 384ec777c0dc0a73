package expression

import "gatewright/policy/exact"

// maxSteps bounds one evaluation. What needs more is unknown. A step is at most
// about half a microsecond and a few hundred bytes, so that no evaluation takes
// long or much memory.
const maxSteps = 400_000

// What one step pays for.
const (
	bytesRead    = 256 // of a text that is compared or searched
	bytesWritten = 64  // of a text or of JSON that is turned into something else
	statesTried  = 32  // of a pattern, for a byte of its text
	wordsSquared = 8   // of a number: arithmetic is quadratic
)

// maxTextSize bounds the texts that expressions make, in bytes.
const maxTextSize = 64 << 10

// spend takes steps, and reports whether there were so many left.
func (e *evaluator) spend(steps int) bool {
	if e.steps <= maxSteps {
		e.steps += steps
	}
	return e.steps <= maxSteps
}

// affords reports whether there are so many steps left.
func (e *evaluator) affords(steps int) bool { return e.steps+steps <= maxSteps }

// makes pays for a text that is made from so many bytes.
func (e *evaluator) makes(size int) bool {
	return size <= maxTextSize && e.spend(1+size/bytesWritten)
}

// weight is what it costs to read a text or to calculate with a number.
func weight(v Value) int {
	if v.kind == Number {
		return numberWeight(v.number)
	}
	return 1 + len(v.text)/bytesRead
}

func numberWeight(d exact.Decimal) int {
	words := d.Size() / 64
	return 1 + words*words/wordsSquared
}
