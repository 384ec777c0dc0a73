package policy

import (
	"slices"
	"time"
)

// Retry refuses calls that failed already: a [retry].
type Retry struct {
	Source
	Tools []Pattern // restricting; a wildcard does not name a client's own tools
	Max   int       // how often a call that failed for a passing reason may be tried
	// Until are the tools after whose success the calls may be tried again. What a
	// person says has the same effect.
	Until    []Pattern     // restricting
	After    time.Duration // after which it may be tried again; 0 = never
	Redirect string        // the tool to use instead, told to the model
}

// retryID is the id of a [retry] that names none.
const retryID = "retry"

// tries is how often a call is tried where the policy does not say it.
const tries = 3

// readRetry reads a [retry].
func readRetry(t *table) Retry {
	t.need("tools")
	id := t.text("id")
	if !t.has("id") {
		id = retryID
	}
	r := Retry{
		Source:   t.sourceNamed(id),
		Tools:    t.patterns("tools", false),
		Max:      t.count("max"),
		Until:    t.patterns("until", false),
		After:    t.duration("after"),
		Redirect: t.text("redirect"),
	}
	if !t.has("max") {
		r.Max = tries
	}
	if len(r.Until) == 0 && r.After == 0 {
		t.warn("tools", "a call that failed stays refused until the person says something, whatever was changed in between",
			`add after = "10m", or until = ["mcp__crm__create_*"]; for a client's own tools until = ["@write", "@shell"]`)
	}
	return r
}

// CountsTries reports that some table counts failed calls.
func (s *Set) CountsTries() bool {
	return slices.ContainsFunc(s.Layers, func(l *Layer) bool { return len(l.Retries) > 0 })
}

// Covers reports that the table is about a tool.
func (r Retry) Covers(tool string) bool {
	for _, p := range r.Tools {
		if p.Restricts(tool) && (p.names != nil || p.Literal() || IsMCP(tool)) {
			return true
		}
	}
	return false
}
