package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Claims says which calls must carry a typed claim of what they do, and how it is
// written: the [claims] table.
type Claims struct {
	Source
	Version    string   // of the form, which a claim repeats
	Argument   string   // the argument in which the claim is
	CamelCase  bool     // how its members are spelt
	Classes    []string // of intents
	Types      []string // of resources
	Tags       []string // globs over tags: tools with one of them need a claim
	MaxList    int      // how long a list in a claim may be
	PassOthers bool     // tools of servers without a [[tool]] are not reviewed
	Evidence   []string // the types of evidence that a claim must have
}

// Versions of the form that can be read.
const ClaimVersion = "ebte-0.1"

// EvidenceTypes are the types of evidence that a claim can refer to.
var EvidenceTypes = []string{"intent", "policy", "payload"}

// claimsID is the id of a [claims] that names none.
const claimsID = "claims"

// defaultMaxList is how long a list in a claim may be where the policy is silent.
const defaultMaxList = 50

func readClaims(t *table) Claims {
	t.need("intent_classes", "resource_types")
	id := t.text("id")
	if !t.has("id") {
		id = claimsID
	}
	c := Claims{
		Source:     t.sourceNamed(id),
		Version:    t.word("schema_version", ClaimVersion),
		Argument:   t.text("argument"),
		CamelCase:  t.word("spelling", "snake_case", "camelCase") == "camelCase",
		Classes:    t.texts("intent_classes"),
		Types:      t.texts("resource_types"),
		Tags:       t.texts("tags"),
		MaxList:    t.count("max_list"),
		PassOthers: t.word("unregistered", "review", "pass") == "pass",
		Evidence:   t.words("require_evidence", EvidenceTypes),
	}
	if c.Version == "" {
		c.Version = ClaimVersion
	}
	if c.Argument == "" {
		c.Argument = "claim"
	}
	if c.MaxList == 0 {
		c.MaxList = defaultMaxList
	}
	for key, list := range map[string][]string{"intent_classes": c.Classes, "resource_types": c.Types} {
		for _, word := range list {
			if !IsIdentifier(word) {
				t.problem(key, fmt.Sprintf("%q is no identifier", word), "use letters, digits and . _ - : / @ # + =")
			}
		}
	}
	return c
}

// maxIdentifier bounds identifiers in claims, in bytes.
const maxIdentifier = 128

// IsIdentifier reports a text that names something and says nothing: printable ASCII
// without spaces, quotes or brackets.
func IsIdentifier(text string) bool {
	if text == "" || len(text) > maxIdentifier {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c > '~' || slices.Contains([]byte("\"'`\\<>(){}[]|;,"), c) {
			return false
		}
	}
	return true
}

// Claims finds the table of claims that counts, and the layer that has it: the
// broadest one.
func (s *Set) Claims() (*Claims, *Layer) {
	if s == nil {
		return nil, nil
	}
	for _, l := range s.Layers {
		if len(l.Claims) > 0 {
			return &l.Claims[0], l
		}
	}
	return nil, nil
}

// NeedsClaim reports a tool whose calls must carry a claim, whichever layer says so.
func (s *Set) NeedsClaim(caller Caller) bool {
	claims, _ := s.Claims()
	if claims == nil {
		return false
	}
	if !IsMCP(caller.Tool) {
		return false // a client's own tool takes no argument more
	}
	tagged := func(t Tool) bool {
		d := Description{Tags: t.Tags}
		return slices.ContainsFunc(claims.Tags, func(glob string) bool { return d.HasTag(glob, false) })
	}
	return slices.ContainsFunc(s.Layers, func(l *Layer) bool {
		return slices.ContainsFunc(l.Tools, func(t Tool) bool { return AnyRestricts(t.Names, caller.Tool) && (t.Claim || tagged(t)) })
	})
}

// Registers reports a tool of which this layer, or a broader one, has a [[tool]]. What
// a narrower one says does not make a tool known here.
func (l *Layer) Registers(caller Caller) bool {
	return slices.ContainsFunc(l.KnownTools(), func(t Tool) bool { return AnyGrants(t.Names, caller) })
}

// form is the [claims] of this layer or of a broader one.
func (l *Layer) form() *Claims {
	for ; l != nil; l = l.broader {
		if len(l.Claims) > 0 {
			return &l.Claims[0]
		}
	}
	return nil
}

// checkWords: what no claim can say is a misspelling.
func (f *file) checkWords(form *Claims) {
	check := func(s Source, words, known []string, what string) {
		for _, word := range words {
			if word != "" && !slices.Contains(known, word) {
				f.addAt(s, fmt.Sprintf("[claims] has no %s %q", what, word), "one of "+strings.Join(known, ", "))
			}
		}
	}
	for _, i := range f.layer.Intents {
		check(i.Source, i.Classes, form.Classes, "intent class")
		check(i.Source, i.Types, form.Types, "type of resource")
	}
	for _, t := range f.layer.Tools {
		check(t.Source, []string{t.ResourceType}, form.Types, "type of resource")
	}
}

// checkClaims: only one layer says how claims are written, and nothing speaks of them
// where none does.
func (f *file) checkClaims() {
	l := f.layer
	if n := len(l.Claims); n > 1 {
		f.addAt(l.Claims[1].Source, "there is more than one [claims]", "write one")
	}
	if len(l.Claims) > 0 && l.broader.form() != nil {
		f.addAt(l.Claims[0].Source, "a broader policy has [claims] already, which cannot be redefined", "remove this table")
	}
	if form := l.form(); form != nil {
		f.checkWords(form)
		return
	}
	for _, t := range l.Tools {
		if t.Claim {
			f.addAt(t.Source, "claim = true without [claims] has no form to be in", "add [claims] with intent_classes and resource_types")
		}
	}
	for _, s := range l.claimsOnly() {
		f.addAt(s, "this is about claims, and there is no [claims]", "add [claims] with intent_classes and resource_types")
	}
}

func (l *Layer) claimsOnly() []Source {
	return append(sourcesOf(l.Intents), sourcesOf(l.Untrusted)...)
}
