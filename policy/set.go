// Package policy holds a team's policy as typed, validated data, read from TOML
// layers. It decides nothing about a call: it offers names, conditions and
// decimals, and gate applies them.
package policy

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatewright/errorsctx"
	"gatewright/policy/exact"
	"gatewright/policy/expression"
)

// Version is the policy language version that this program reads.
const Version = 1

// Set is everything that applies to one call, broad layers first. The zero Set
// has no layers: nothing is configured.
type Set struct{ Layers []*Layer }

// Empty reports that nothing is configured.
func (s *Set) Empty() bool { return s == nil || len(s.Layers) == 0 }

// Has reports whether there is a layer of that name.
func (s *Set) Has(name string) bool {
	return s != nil && slices.ContainsFunc(s.Layers, func(l *Layer) bool { return l.Name == name })
}

// Unprotected reports that an administrator has lifted self-protection.
func (s *Set) Unprotected() bool {
	return s != nil && slices.ContainsFunc(s.Layers, func(l *Layer) bool { return l.Name == Managed && l.Unprotected })
}

// Who can write a layer. A name is given by where a file lies, so that its author
// cannot choose it.
const (
	Managed = "managed" // an administrator
	User    = "user"    // this user, for everything
	Repo    = "repo"    // the team
	Local   = "local"   // this user, in one repository
)

// Layer is one policy file with the folder of further ones that belongs to it.
// Every slice of tables in it must be enforced by gate; a test there walks these
// fields.
type Layer struct {
	Name      string   // Managed, User, Repo or Local
	File      string   // absolute
	Text      []byte   // as read, for digests
	real      string   // File with every link resolved
	also      []string // equal files, for which this layer stands
	worktrees []string // folders of linked worktrees that stand for this one's
	partial   bool     // rules for other tools were left out
	parts     bool     // it has further files
	broader   *Layer   // the next one in whose facts and tools this one may use
	// DefaultDeny: a call that no allow rule of this layer admits is denied.
	DefaultDeny bool
	DefaultLine int // where that is said
	// Unprotected lifts the built-in rule that keeps agents from changing what
	// decides about them. Only an administrator can say it.
	Unprotected bool

	Tools    []Tool
	Facts    []Fact
	Gates    []Gate
	Limits   []Limit
	Rules    []Rule
	Requires []Require
	Lookups  []Lookup

	Failures   []Failure
	Normalizes []Normalize
	Retries    []Retry

	Claims    []Claims // one at most
	Intents   []Intent
	Untrusted []Untrusted

	Dispatchers []Dispatcher
	Commands    []Command
	Shells      []Shell

	Zone        *time.Location // of times that name none
	expressions []*Expression
	tables      map[string]expression.Value // see Tables

	// Lint is what `gatewright check` fails on although the hook can work with
	// it, and Warnings what it only mentions.
	Lint, Warnings Problems
}

// IsIn reports that the layer is the policy of a folder: that its file is there, or
// an equal one.
func (l *Layer) IsIn(dir string) bool {
	in := func(file string) bool { return filepath.Dir(filepath.Dir(file)) == dir }
	return in(l.File) || slices.ContainsFunc(l.also, in)
}

// Key identifies the layer in what is remembered: two repositories that
// use the same ids must not share a budget, and one repository that is reached
// through a link must not have two.
func (l *Layer) Key() string { return l.Name + ":" + l.real }

// Fact finds a fact of this layer or of a broader one.
func (l *Layer) Fact(id string) (Fact, bool) {
	for ; l != nil; l = l.broader {
		for _, f := range l.Facts {
			if f.ID == id {
				return f, true
			}
		}
	}
	return Fact{}, false
}

// KnownTools is what this layer and the broader ones say about tools.
func (l *Layer) KnownTools() []Tool {
	if l.broader == nil {
		return l.Tools
	}
	return slices.Concat(l.broader.KnownTools(), l.Tools)
}

// Operation is what a tool does to the world.
type Operation string

// The operations a [[tool]] can have.
const (
	Read    Operation = "read"
	Create  Operation = "create"
	Update  Operation = "update"
	Delete  Operation = "delete"
	Send    Operation = "send"
	Execute Operation = "execute"
)

// Risk is how much harm a tool can do; ordered.
type Risk uint8

// The risks a [[tool]] can have. The zero Risk is unknown.
const (
	UnknownRisk Risk = iota
	Low
	Medium
	High
)

// Exposure is how a client offers a tool to the model.
type Exposure string

// The exposures a [[tool]] can have. No client tells its hooks which one applies.
const (
	Direct   Exposure = "direct"   // in every request
	Deferred Exposure = "deferred" // found by searching
)

// Tool is what the policy's author says about tools. The model cannot change it.
type Tool struct {
	Source
	Names     []Pattern // granting
	Tags      []string
	Operation Operation // "" = not said
	Risk      Risk
	Exposure  Exposure // "" = not said

	Claim        bool             // calls must carry one
	ResourceType string           // "" = not said
	Resources    []errorsctx.Path // the arguments that name resources
	Items        errorsctx.Path   // what is counted as items; Whole = not said
	Destinations []errorsctx.Path // the arguments that say where something goes
}

// Gate keeps tools closed until facts are proved.
type Gate struct {
	Source
	Tools    []Pattern   // restricting
	Needs    []string    // fact ids: all of them
	AnyOf    []string    // fact ids: one of them
	Unless   []string    // fact ids: none of them
	Where    *Expression // what the facts must say besides; nil = nothing
	Call     string      // the tool that proves the fact, told to the model
	Opens    []Pattern   // granting: the tools that prove its facts, which it never closes
	Announce bool        // the model is told when a session begins
	Reason   string
	Category errorsctx.Category
}

// Limit bounds an amount in the arguments, for one call or added up.
type Limit struct {
	Source
	Tools       []Pattern      // restricting
	Amount      errorsctx.Path // where the amount stands; over an array it is summed
	Currency    string         // the limit's unit; "" = not checked
	CurrencyArg errorsctx.Path // the argument that must agree; Whole = none
	Scale       int32          // the argument counts units of 10^-Scale
	Max         exact.Decimal  // itself allowed
	Per         Period
	Key         []errorsctx.Path // arguments that each have a budget of their own
	OverAsks    bool             // beyond Max a person is asked instead
	Redirect    string           // the tool to use instead, told to the model
	Reason      string
	Category    errorsctx.Category
}

// Period is the time over which a limit adds up.
type Period struct {
	Session bool
	Window  time.Duration // 0 with !Session: each call for itself
}

// String is the period as policies say it.
func (p Period) String() string {
	switch {
	case p.Session:
		return "session"
	case p.PerCall():
		return "call"
	}
	text := p.Window.String()
	for _, zero := range []string{"0s", "0m"} { // 24h0m0s
		if before, ok := strings.CutSuffix(text, zero); ok && strings.HasSuffix(before, map[string]string{"0s": "m", "0m": "h"}[zero]) {
			text = before
		}
	}
	return text
}

// PerCall reports that the limit needs no memory.
func (p Period) PerCall() bool { return !p.Session && p.Window == 0 }
