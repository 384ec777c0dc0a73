package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatewright/errorsctx"
	"gatewright/policy/wildcard"
)

// Effect is what a rule does with a call that it matches.
type Effect string

// The effects of a [[rule]].
const (
	Allow           Effect = "allow"
	Deny            Effect = "deny"
	Hide            Effect = "hide"
	RequireApproval Effect = "require_approval"
	AutoApprove     Effect = "auto_approve"
)

// Admits reports that the effect widens instead of narrowing.
func (e Effect) Admits() bool { return e == Allow || e == AutoApprove }

// Surface is where a tool reaches the model.
type Surface string

// The surfaces of a rule. Both clients list a tool in the catalog and in the
// search, or in neither.
const (
	Catalog Surface = "catalog" // the tools in a request to the model
	Search  Surface = "search"  // what the model finds when it looks for tools
	Call    Surface = "call"
)

// Rule says what happens to the calls it matches.
type Rule struct {
	Source
	Effect   Effect
	On       []Surface // empty: all
	Match    Match
	Except   *Match // read the opposite way to the rule
	When     []Context
	Reason   string
	Category errorsctx.Category
}

// Context is one key of a rule's `when`, with the globs one of which must match.
type Context struct {
	Key   string // client, permission_mode, agent_type, project or env.NAME
	Globs []string
}

func (r Rule) has(s Surface) bool { return len(r.On) == 0 || slices.Contains(r.On, s) }

// OnCall reports that the rule judges calls. What a client does not list it does
// not call either, so a tool that is off the lists is refused.
func (r Rule) OnCall() bool {
	return r.has(Call) || (r.Effect == Deny || r.Effect == Hide) && r.OnLists()
}

// OnLists reports that the rule decides whether a client lists a tool. What is to be
// hidden in one place is hidden in both, because clients know no other way.
func (r Rule) OnLists() bool {
	if r.Effect == Hide {
		return r.has(Catalog) || r.has(Search)
	}
	return r.has(Catalog) && r.has(Search)
}

// TakesOff reports that the rule takes the tools it matches off a client's lists.
// What depends on a call stays listed, because some calls may pass.
func (r Rule) TakesOff() bool {
	return (r.Effect == Deny || r.Effect == Hide) && r.OnLists() && !r.Conditional()
}

// Conditional reports that the rule depends on the call or its surroundings, so
// that it says nothing about the tool as such.
func (r Rule) Conditional() bool {
	return len(r.When) > 0 || r.Match.OfCalls() || r.Except != nil && r.Except.OfCalls()
}

// readRule reads a [[rule]].
func readRule(t *table) Rule {
	t.need("effect", "match")
	r := Rule{
		Source:   t.source(),
		Effect:   Effect(t.word("effect", "allow", "deny", "hide", "require_approval", "auto_approve")),
		Reason:   t.text("reason"),
		Category: t.category(errorsctx.Permission),
	}
	if layer := t.file.layer.Name; r.Effect == AutoApprove && layer != Managed && layer != User {
		t.problem("effect", "auto_approve is not allowed in this layer", "only the managed and the user layer may skip a person's prompt")
	}
	r.readSurfaces(t)
	if m := t.sub("match"); m != nil {
		r.Match = readMatch(m, r.Effect.Admits())
	}
	if m := t.sub("except"); m != nil {
		except := readMatch(m, !r.Effect.Admits())
		except.Among = r.Match.Paths
		r.Except = &except
	}
	if w := t.sub("when"); w != nil {
		r.When = readWhen(w, r.Effect)
	}
	return r
}

var surfaces = []string{string(Catalog), string(Search), string(Call)}

func (r *Rule) readSurfaces(t *table) {
	for _, word := range t.words("on", surfaces) {
		r.On = append(r.On, Surface(word))
	}
	approves := r.Effect == RequireApproval || r.Effect == AutoApprove
	both := r.has(Catalog) == r.has(Search)
	switch {
	case len(r.On) == 0:
	case approves && !r.has(Call):
		t.problem("on", "a person approves calls, so "+string(r.Effect)+" needs on = [\"call\"]", "")
	case r.Effect == Allow && !r.has(Call), r.Effect == Deny && !both && !r.has(Call):
		t.lint("on", "this rule does nothing: clients have a tool on both lists or on neither, and it is not about calls", `add "call", or name both lists in a deny`)
	case r.Effect == Hide && !r.OnLists():
		t.lint("on", "hide takes a tool off the lists; on calls alone it is a deny", `write on = ["catalog", "search"], or no on`)
	case !approves && r.Effect != Allow && !both:
		t.warn("on", "clients have a tool on both lists or on neither", `name both, or only "call"`)
	}
}

// contextKeys are the keys of `when` that every client sends.
var contextKeys = []string{"client", "permission_mode", "agent_type", "project"}

// EnvPrefix begins the `when` keys that are read from the environment variable
// GATEWRIGHT_CONTEXT_NAME.
const EnvPrefix = "env."

func readWhen(t *table, effect Effect) []Context {
	var out []Context
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		name, isEnv := strings.CutPrefix(key, EnvPrefix)
		switch {
		case isEnv && effect.Admits():
			t.problem(key, "the environment may only narrow: env."+name+" cannot decide what "+string(effect)+" admits", "")
		case isEnv && !isEnvName(name), !isEnv && !slices.Contains(contextKeys, key):
			t.problem(key, fmt.Sprintf("no client sends %q", key), "one of "+strings.Join(contextKeys, ", ")+`, "env.NAME"`)
		}
		context := Context{key, t.texts(key)}
		t.lintContext(context)
		out = append(out, context)
	}
	if len(out) == 0 {
		t.problem("", "an empty when says nothing", "name a key, or remove the line")
	}
	t.finish()
	return out
}

// contextValues are the values that a key can have, where they are known.
var contextValues = map[string][]string{
	"client":          {"claude", "codex"},
	"permission_mode": {"default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"},
}

// lintContext notes a glob that no known value matches: the rule would never
// apply.
func (t *table) lintContext(c Context) {
	values := contextValues[c.Key]
	for _, glob := range c.Globs {
		matches := func(value string) bool { return wildcard.Match(glob, value) }
		if values != nil && !slices.ContainsFunc(values, matches) {
			t.lint(c.Key, fmt.Sprintf("no %s is ever %q", c.Key, glob), "it is one of "+strings.Join(values, ", "))
		}
	}
}

func isEnvName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
