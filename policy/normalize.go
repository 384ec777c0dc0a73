package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
)

// Normalize gives results of some tools one form: a [[normalize]].
type Normalize struct {
	Source
	Tools  []Pattern // restricting; only tools of servers have results to change
	Change errorsctx.Change
}

// readNormalize reads a [[normalize]].
func readNormalize(t *table) Normalize {
	t.need("tools", "paths")
	n := Normalize{Source: t.source(), Tools: t.patterns("tools", false)}
	n.Change = errorsctx.Change{
		ID:     n.ID,
		Paths:  t.selectors("paths"),
		Rename: t.text("rename"),
		Keep:   t.yes("keep"),
		Time:   t.timeForm(),
		Map:    t.mapping("map"),
		Number: t.word("number", errorsctx.NumberForms...),
		Drop:   t.yes("drop"),
		Redact: t.yes("redact"),
	}
	t.checkChange(n)
	return n
}

func (t *table) checkChange(n Normalize) {
	var said []string
	for _, key := range []string{"time", "map", "number", "drop", "redact"} {
		if t.has(key) {
			said = append(said, key)
		}
	}
	switch {
	case len(said) > 1:
		t.problem(said[1], said[0]+" and "+said[1]+" cannot both be done to one value", "write two tables")
	case len(said) == 0 && !t.has("rename"):
		t.problem("", "[[normalize]] does nothing", `add one of time, map, number, drop, redact, rename, such as time = "auto"`)
	case t.has("rename") && n.Change.Drop:
		t.problem("rename", "what is dropped has no name", "remove one of the lines")
	case t.has("keep") && (!t.has("rename") || n.Change.Redact):
		t.problem("keep", "keep leaves the member and puts the renamed one beside it", `add rename = "…", or remove the line`)
	}
	for _, p := range n.Tools {
		if p.names != nil || IsBuiltin(p.text) {
			t.problem("tools", fmt.Sprintf("%s is a client's own: only results of servers' tools can be changed", p.text), "name tools such as mcp__SERVER__*")
		}
	}
	for _, s := range n.Change.Paths {
		if s.Name() == n.Change.Rename && n.Change.Rename != "" {
			t.problem("rename", fmt.Sprintf("%q is called that already", s), "")
		}
		if strings.HasSuffix(s.String(), "[]") && t.has("rename") {
			t.problem("rename", fmt.Sprintf("%q names elements of an array, which have no names", s), "")
		}
	}
}

func (t *table) selectors(key string) []errorsctx.Selector {
	var out []errorsctx.Selector
	for _, text := range t.texts(key) {
		s, err := errorsctx.ParseSelector(text)
		if err != nil {
			t.problem(key, err.Error(), "")
		}
		out = append(out, s)
	}
	return out
}

// timeForm reads time, layout and zone. Without a zone the policy's timezone counts.
func (t *table) timeForm() *errorsctx.TimeForm {
	f := &errorsctx.TimeForm{
		Unit:    t.word("time", errorsctx.TimeUnits...),
		Layouts: t.texts("layout"),
		Zone:    t.zone("zone"),
	}
	if f.Zone == nil {
		f.Zone = t.file.layer.Zone
	}
	for _, layout := range f.Layouts {
		if err := errorsctx.CheckLayout(layout); err != nil {
			t.problem("layout", err.Error(), `write Monday, 2 January 2006, 15:04:05 the way the server does, such as "02.01.2006 15:04"`)
		}
	}
	if !t.has("time") {
		for _, key := range []string{"layout", "zone"} {
			if t.has(key) {
				t.problem(key, key+" is about times", `add time = "auto"`)
			}
		}
		return nil
	}
	return f
}

// mapping reads what values become. A result that is a value of its own would
// change again when it comes again.
func (t *table) mapping(key string) map[string]string {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	values, isTable := v.(map[string]any)
	if !isTable || len(values) == 0 {
		t.problem(key, key+" must be a table", `write map = { 1 = "active", 2 = "closed" }`)
		return nil
	}
	out := map[string]string{}
	for _, from := range slices.Sorted(maps.Keys(values)) {
		if from == "null" {
			t.problem(key, "null is no value, and stays", "remove it")
		}
		to, err := json.Marshal(values[from])
		switch values[from].(type) {
		case string, int64, bool:
		default:
			err = fmt.Errorf("%s = %v", from, values[from])
		}
		if err != nil {
			t.problem(key, "a map gives texts, whole numbers and true or false", "")
		}
		out[from] = string(to)
	}
	for from, to := range out {
		if next, again := out[gjson.Parse(to).String()]; again && next != to {
			t.problem(key, fmt.Sprintf("%s becomes %s, which itself becomes %s", from, to, next), "a value that was changed once must stay as it is")
		}
	}
	return out
}

// IsMCP reports a name of a server's tool.
func IsMCP(tool string) bool { return strings.HasPrefix(tool, "mcp__") }

// zone reads the name of a time zone.
func (t *table) zone(key string) *time.Location {
	name := t.text(key)
	if name == "" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		t.problem(key, fmt.Sprintf("there is no time zone %q", name), `write one such as "UTC" or "America/New_York"`)
		return nil
	}
	return zone
}
