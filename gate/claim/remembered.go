package claim

import "slices"

// Remembered is what the session has seen, and what evidence is of now.
type Remembered struct {
	Seen []Source // untrusted inputs, each with the digest of all of it
	// Now gives the digest of a type of evidence, or nothing.
	Now map[string]string
	// Required are the types that a claim must have.
	Required []string
	// Lost: an untrusted input could not be recorded.
	Lost bool
}

// Recall makes the checks that need the memory.
func Recall(c Claim, r Remembered) []Check {
	return []Check{checkUntrusted(c, r), checkEvidence(c, r)}
}

// checkUntrusted: every untrusted input that the session has seen must be declared as
// it is now.
func checkUntrusted(c Claim, r Remembered) Check {
	const name = "untrusted context"
	for _, s := range r.Seen {
		if !slices.Contains(c.Untrusted, s) {
			return denied(name, Undeclared, "an input that the session has seen is left out")
		}
	}
	if r.Lost {
		return review(name, "an input could not be recorded")
	}
	return allowed(name)
}

func checkEvidence(c Claim, r Remembered) Check {
	const name = "evidence"
	for _, e := range c.Evidence {
		now, known := r.Now[e.Type]
		switch {
		case !known || now == "":
			return review(name, "the digest of "+e.Type+" cannot be told")
		case e.Digest != now:
			return denied(name, Stale, "the digest of "+e.Type+" is another one")
		}
	}
	for _, required := range r.Required {
		if !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Type == required }) {
			return denied(name, Stale, "there is no evidence of "+required)
		}
	}
	return allowed(name)
}
