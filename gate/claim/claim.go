// Package claim reads the typed claim that a model attaches to a call with an effect,
// and compares it with facts that the model cannot change. A claim grants nothing: it
// can only add a reason to stop.
package claim

import (
	"gatewright/policy"
)

// Claim is what a model says that a call does.
type Claim struct {
	Class     string // of the intent
	Tool      string
	Effect    Effect
	Risk      policy.Risk
	Uncertain policy.Risk // low, medium or high
	Untrusted []Source
	Evidence  []Evidence
}

// Effect is what the call is to change.
type Effect struct {
	Operation   policy.Operation
	Type        string // of the resources; "" = none
	Resources   []string
	MaxItems    int
	Destination string // "" = none
}

// Source is an untrusted input that the call depends on.
type Source struct{ Name, Digest string }

// Evidence is something that the call was decided by.
type Evidence struct{ Type, Digest string }

// Outcome is what a check comes to.
type Outcome uint8

// The outcomes; the strictest counts.
const (
	Allow Outcome = iota
	Review
	Deny
)

// String is the word used in the audit.
func (o Outcome) String() string { return []string{"allow", "review", "deny"}[o] }

// Reason is all that a model hears of a check. Equal reasons are equal texts, so that
// the checks cannot be found out by trying.
type Reason string

// The reasons.
const (
	Missing    Reason = "claim missing"
	Malformed  Reason = "claim malformed"
	OtherCall  Reason = "claim does not match the call"
	OtherRoute Reason = "claim does not match the route"
	NoIntent   Reason = "claim does not match the authorised intent"
	Undeclared Reason = "untrusted input not declared"
	Stale      Reason = "evidence is stale"
	NeedReview Reason = "needs review"
)

// Mendable reports a reason against which another claim for the same call can help.
func (r Reason) Mendable() bool { return r == Missing || r == Malformed }

// Check is one comparison.
type Check struct {
	Name    string
	Outcome Outcome
	Reason  Reason // "" for Allow
	Detail  string // for the audit: never what the claim or the call says
}

func denied(name string, reason Reason, detail string) Check {
	return Check{name, Deny, reason, detail}
}

func review(name, detail string) Check { return Check{name, Review, NeedReview, detail} }

func allowed(name string) Check { return Check{Name: name} }
