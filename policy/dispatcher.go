package policy

import (
	"fmt"
	"slices"
	"strings"

	"gatewright/errorsctx"
)

// Dispatcher is a tool whose calls make other calls: a [[dispatcher]].
type Dispatcher struct {
	Source
	Tools  []Pattern         // restricting
	Each   errorsctx.Path    // the list of calls; Whole = there is one
	Target errorsctx.Path    // the name of the tool that is reached
	Args   errorsctx.Path    // its arguments: an object, or a text that is one
	Names  map[string]string // of targets, where they differ from those of tools
	Prefix string            // of the tools' names otherwise
}

func readDispatcher(t *table) Dispatcher {
	t.need("tools", "target", "args")
	d := Dispatcher{
		Source: t.source(),
		Tools:  t.patterns("tools", false),
		Each:   t.argPath("each"),
		Target: t.argPath("target"),
		Args:   t.argPath("args"),
		Names:  t.names("names"),
		Prefix: t.text("prefix"),
	}
	for key, p := range map[string]errorsctx.Path{"target": d.Target, "args": d.Args, "each": d.Each} {
		if p.Plural() {
			t.problem(key, fmt.Sprintf("%s must name one value, and %q goes through an array", key, p), `write each = "calls", and target and args as seen from one of them`)
		}
	}
	if _, err := ParsePattern(d.Prefix + "x"); err != nil {
		t.problem("prefix", fmt.Sprintf("%q begins no tool's name", d.Prefix), `write prefix = "mcp__SERVER__"`)
	}
	return d
}

// names reads tools' names by other names.
func (t *table) names(key string) map[string]string {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	values, isTable := v.(map[string]any)
	if !isTable || len(values) == 0 {
		t.problem(key, key+" must be a table", `write names = { STRIPE_REFUND = "mcp__billing__process_refund" }`)
		return nil
	}
	names := map[string]string{}
	for name, value := range values {
		tool, _ := value.(string)
		if p, err := ParsePattern(tool); err != nil || !p.Literal() {
			t.problem(key, fmt.Sprintf("%s is no tool's name: %v", name, value), "")
		}
		names[name] = tool
	}
	return names
}

// Tool is the name of the tool that a target means.
func (d Dispatcher) Tool(target string) string {
	if tool, ok := d.Names[target]; ok {
		return tool
	}
	return d.Prefix + target
}

// FullNames are the whole names that the tables know for a tool which is named without
// its server: what holds for one server's tool must hold for it, too.
func (s *Set) FullNames(tool string) []string {
	var found []string
	name := strings.ToLower(mapName(tool, ""))
	for _, l := range s.Layers {
		for _, p := range l.patterns {
			if p.Literal() && strings.HasSuffix(p.folded, "__"+name) && !slices.Contains(found, p.text) {
				found = append(found, p.text)
			}
		}
	}
	return found
}
