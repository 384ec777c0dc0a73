package policy

import (
	"maps"
	"slices"
	"strings"

	"gatewright/policy/form"
)

// Reading says how policy files are read.
type Reading struct {
	// Kept gives the form of a file's text that Keep was given before, by nobody else;
	// nil if there is none. Both may be nil.
	Kept func(layer string, t Text) []byte
	Keep func(layer string, t Text, kept []byte)
	// Tool is whose calls alone are judged: rules that cannot be about it may be left
	// out. Empty: everything is needed.
	Tool string
}

// formVersion changes with the form, and with how patterns of tools are compared.
const formVersion = 2

// ruleKind is the only kind of table of which there are many.
const ruleKind = "rule"

// lacks reports that rules were left out of one file which count for calls that another
// speaks of: those that a call of the tool reaches.
func (s *Set) lacks(tool string) bool {
	for _, l := range s.Layers {
		for _, other := range s.Layers {
			reaches := len(other.Dispatchers) > 0 || IsShell(tool) && len(other.Commands) > 0
			if l.partial && (other != l || l.parts) && reaches {
				return true
			}
		}
	}
	return false
}

// keep gives the form of a file that was read in full and is right.
func (f *file) keep(t Text, how Reading) {
	if how.Keep == nil || !f.fresh {
		return
	}
	w := form.Writer{}
	f.writeForm(&w)
	if !w.Bad {
		how.Keep(f.layer.Name, t, w.Bytes)
	}
}

// writeForm writes the rules apart from the rest, each behind the tools that it is about.
func (f *file) writeForm(w *form.Writer) {
	rest, marks, rules := f.root.values, f.marks, tableList(f.root.values[ruleKind])
	places := placesOf(f.marks, ruleKind)
	if len(places) != len(rules) || !f.root.has(ruleKind) {
		rules, places = nil, nil
	} else {
		rest = map[string]any{}
		for key, value := range f.root.values {
			if key != ruleKind {
				rest[key] = value
			}
		}
		marks = slices.DeleteFunc(slices.Clone(f.marks), func(m mark) bool { return m.table == ruleKind })
	}
	w.Int(formVersion)
	f.writeReached(w)
	w.Value(rest)
	w.Int(len(marks))
	for _, m := range marks {
		m.write(w)
	}
	w.Int(len(rules))
	for i, rule := range rules {
		w.Part(func(w *form.Writer) {
			writeTools(w, rule)
			places[i].write(w)
			w.Value(rule)
		})
	}
}

// writeReached writes the tools that calls reach: anything by a dispatcher, and by a
// command line those of its commands.
func (f *file) writeReached(w *form.Writer) {
	l := f.layer
	w.Int(len(l.Dispatchers))
	w.Int(len(l.Commands))
	for _, c := range l.Commands {
		w.Text(c.Tool)
	}
}

// readReached gives the tools whose rules count for calls of a tool; none for all tools.
func readReached(r *form.Reader, tool string) []string {
	names, dispatchers := []string{foldName(tool)}, r.Int()
	for range r.Count() {
		if name := r.Text(); IsShell(tool) {
			names = append(names, foldName(name))
		}
	}
	if tool == "" || strings.HasPrefix(tool, AnyServer) || dispatchers > 0 {
		return nil
	}
	return names
}

func (m mark) write(w *form.Writer) {
	w.Text(m.table)
	w.Int(m.line)
	w.Int(len(m.keys))
	for _, key := range slices.Sorted(maps.Keys(m.keys)) {
		w.Text(key)
		w.Int(m.keys[key])
	}
}

// writeTools writes what the tools of a rule are compared with: nothing if the rule may
// matter for others, too.
func writeTools(w *form.Writer, rule any) {
	values, _ := rule.(map[string]any)
	match, _ := values["match"].(map[string]any)
	except, _ := values["except"].(map[string]any)
	tools, ok := match["tool"].([]any)
	if text, single := match["tool"].(string); single {
		tools, ok = []any{text}, true
	}
	for _, key := range []string{"command", "path"} {
		ok = ok && match[key] == nil && except[key] == nil
	}
	var folded []string
	for _, tool := range tools {
		text, _ := tool.(string)
		p, err := ParsePattern(text)
		ok = ok && err == nil
		if p.names == nil {
			folded = append(folded, p.folded)
		}
		for _, name := range p.names {
			folded = append(folded, foldName(name))
		}
	}
	if !ok {
		folded = nil
	}
	w.Int(len(folded))
	for _, text := range folded {
		w.Text(text)
	}
}

// content is what a file says, and where.
type content struct {
	values  map[string]any
	marks   []mark
	partial bool // rules are left out
}

// kept reads a form. It leaves out rules that are not about the tool.
func (how Reading) kept(layer string, t Text) (c content, ok bool) {
	if how.Kept == nil {
		return c, false
	}
	r := form.Reader{Rest: string(how.Kept(layer, t))}
	if r.Int() != formVersion {
		return c, false
	}
	names := readReached(&r, how.Tool)
	c.values, ok = r.Value().(map[string]any)
	for range r.Count() {
		c.marks = append(c.marks, readMark(&r))
	}
	if !ok || len(c.marks) == 0 {
		return c, false
	}
	c.readRules(&r, names)
	return c, !r.Bad && r.Rest == ""
}

func readMark(r *form.Reader) mark {
	m := mark{table: r.Text(), line: int(r.Int())}
	n := r.Count()
	m.keys = make(map[string]int, n)
	for range n {
		key := r.Text()
		m.keys[key] = int(r.Int())
	}
	return m
}

func (c *content) readRules(r *form.Reader, names []string) {
	var rules []any
	for range r.Count() {
		part := form.Reader{Rest: r.Text()}
		if about := isAbout(&part, names); !about && names != nil && !part.Bad {
			c.partial = true
			continue
		}
		c.marks = append(c.marks, readMark(&part))
		rules = append(rules, part.Value())
		r.Bad = r.Bad || part.Bad || part.Rest != ""
	}
	if len(rules) > 0 {
		c.values[ruleKind] = rules
	}
}

// isAbout reads what writeTools has written.
func isAbout(r *form.Reader, names []string) bool {
	n := r.Count()
	about := n == 0
	for range n {
		folded := r.Text()
		about = about || slices.ContainsFunc(names, func(name string) bool { return restricts(folded, name) })
	}
	return about
}
