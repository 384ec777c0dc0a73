package policy

import (
	"fmt"
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
	if p, err := ParsePattern(d.Prefix + "x"); err != nil || !p.Literal() {
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

// Tool is the name of the tool that a target means. One that the table does not tell is
// some server's: what the model calls it proves nothing.
func (d Dispatcher) Tool(target string) string {
	target = strings.TrimSpace(target)
	for name, tool := range d.Names {
		if strings.EqualFold(name, target) {
			return tool
		}
	}
	if d.Prefix != "" && !strings.HasPrefix(strings.ToLower(target), "mcp__") {
		return d.Prefix + target
	}
	if rest, full := strings.CutPrefix(target, "mcp__"); full {
		if _, name, named := strings.Cut(rest, "__"); named {
			target = name
		}
	}
	return AnyServer + strings.NewReplacer(".", "__", "/", "__", ":", "__").Replace(target)
}
