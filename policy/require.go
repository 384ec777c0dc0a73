package policy

import (
	"fmt"
	"slices"

	"gatewright/errorsctx"
)

// Missing says what happens where a fact that a requirement uses is not there.
type Missing string

// The ways to treat what is missing.
const (
	MissingGates Missing = "gate" // deny; naming what to call
	MissingSkips Missing = "skip" // the requirement says nothing
	MissingAsks  Missing = "ask"
)

// Require is a condition that a call must meet, over its arguments and facts.
type Require struct {
	Source
	Tools    []Pattern // restricting
	Use      []string  // fact ids
	Missing  Missing
	If       *Expression   // where it is not true, the requirement says nothing
	All, Any []*Expression // all must hold, or one
	ElseAsks bool
	Redirect string
	Reason   string
	Category errorsctx.Category
}

// readRequire reads a [[require]].
func readRequire(t *table) Require {
	t.need("tools")
	r := Require{
		Source:   t.source(),
		Tools:    t.patterns("tools", false),
		Use:      t.texts("use"),
		Missing:  Missing(t.word("missing", string(MissingGates), string(MissingSkips), string(MissingAsks))),
		ElseAsks: t.word("else", "deny", "ask") == "ask",
		Redirect: t.text("redirect"),
		Reason:   t.text("reason"),
		Category: t.category(errorsctx.Business),
	}
	if r.Missing == "" {
		r.Missing = MissingGates
	}
	t.checkFacts("use", r.Use)
	for _, id := range r.Use {
		if !isName(id) {
			t.problem("use", fmt.Sprintf("%q is no name that an expression can use", id), "give the fact an id of letters, digits and _")
		}
	}
	used := func() []string { return r.Use }
	r.If = t.expression("if", true, used)
	r.All = t.expressions("all", true, used)
	r.Any = t.expressions("any", true, used)
	if len(r.All)+len(r.Any) == 0 && (len(r.Use) == 0 || r.Missing == MissingSkips) {
		t.problem("", "this [[require]] requires nothing", `add all = ['…'] or any = ['…']`)
	}
	if r.Missing == MissingSkips && len(r.Use) > 0 && !t.file.layer.gated(r) {
		t.warn("missing", `with missing = "skip" and no gate on the same tools, a call before the facts are there goes through`, `add a [[gate]] that needs them, or missing = "gate"`)
	}
	return r
}

// gated reports whether some gate of the layer stands before a requirement's tools.
func (l *Layer) gated(r Require) bool {
	return slices.ContainsFunc(l.Gates, func(g Gate) bool {
		return slices.ContainsFunc(g.Tools, func(p Pattern) bool {
			return slices.ContainsFunc(r.Tools, func(q Pattern) bool { return p.text == q.text || p.Restricts(q.text) })
		})
	})
}

func isName(id string) bool {
	for i, r := range id {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return id != ""
}
