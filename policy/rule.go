package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatewright/errorsctx"
)

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
	if m := t.sub("match"); m != nil {
		r.Match = readMatch(m, r.Effect.Admits())
	}
	if m := t.sub("except"); m != nil {
		except := readMatch(m, !r.Effect.Admits())
		r.Except = &except
	}
	if w := t.sub("when"); w != nil {
		r.When = readWhen(w, r.Effect)
	}
	return r
}

func readMatch(t *table, admits bool) Match {
	m := Match{
		Tools:       t.patterns("tool", admits),
		Tags:        t.texts("tag"),
		RiskAtLeast: t.risk("risk_at_least"),
		RiskAtMost:  t.risk("risk_at_most"),
	}
	for _, word := range t.texts("operation") {
		if !slices.Contains(operationWords, word) {
			t.problem("operation", fmt.Sprintf("operation cannot be %q", word), "one of "+strings.Join(operationWords, ", "))
		}
		m.Operations = append(m.Operations, Operation(word))
	}
	for _, arg := range t.subs("arg") {
		m.Args = append(m.Args, readCondition(arg))
		arg.finish()
	}
	if len(t.values) == 0 {
		t.problem("", "an empty matcher would match every tool", `name the tools; tool = ["*"] if you mean all of them`)
	}
	t.finish()
	return m
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
		out = append(out, Context{key, t.texts(key)})
	}
	if len(out) == 0 {
		t.problem("", "an empty when says nothing", "name a key, or remove the line")
	}
	t.finish()
	return out
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
