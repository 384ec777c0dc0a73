package claim

import "slices"

// Remembered is what the session has seen.
type Remembered struct {
	Seen []Source // untrusted inputs, each with the digest of all of it
	Lost bool     // an untrusted input could not be recorded
}

// Recall makes the check that needs the memory: every untrusted input that the session
// has seen must be declared as it is now.
func Recall(c Claim, r Remembered) Check {
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

// CheckEvidence compares digests with those of now. Some types may be required.
func CheckEvidence(c Claim, now map[string]string, required []string) Check {
	const name = "evidence"
	for _, e := range c.Evidence {
		digest, known := now[e.Type]
		switch {
		case !known || digest == "":
			return review(name, "the digest of "+e.Type+" cannot be told")
		case e.Digest != digest:
			return denied(name, Stale, "the digest of "+e.Type+" is another one")
		}
	}
	for _, r := range required {
		if !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Type == r }) {
			return denied(name, Stale, "there is no evidence of "+r)
		}
	}
	return allowed(name)
}
