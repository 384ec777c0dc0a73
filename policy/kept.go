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
const formVersion = 1

// ruleKind is the only kind of table of which there are many.
const ruleKind = "rule"

// reaches reports a policy under which a call is judged as one of another tool, too.
func (s *Set) reaches() bool {
	return slices.ContainsFunc(s.Layers, func(l *Layer) bool { return len(l.Dispatchers)+len(l.Commands) > 0 })
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

// kept reads a form. It leaves out rules that are not about the tool.
func (how Reading) kept(layer string, t Text) (values map[string]any, marks []mark, ok bool) {
	if how.Kept == nil {
		return nil, nil, false
	}
	r := form.Reader{Rest: string(how.Kept(layer, t))}
	if r.Int() != formVersion {
		return nil, nil, false
	}
	values, ok = r.Value().(map[string]any)
	for range r.Count() {
		marks = append(marks, readMark(&r))
	}
	rules, places := how.rules(&r)
	if !ok || r.Bad || r.Rest != "" || len(marks) == 0 {
		return nil, nil, false
	}
	if len(rules) > 0 {
		values[ruleKind] = rules
	}
	return values, append(marks, places...), true
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

func (how Reading) rules(r *form.Reader) (rules []any, places []mark) {
	name := foldName(how.Tool)
	all := how.Tool == "" || strings.HasPrefix(how.Tool, AnyServer)
	for range r.Count() {
		part := form.Reader{Rest: r.Text()}
		about := isAbout(&part, name)
		if !all && !about {
			continue
		}
		places = append(places, readMark(&part))
		rules = append(rules, part.Value())
		r.Bad = r.Bad || part.Bad || part.Rest != ""
	}
	return rules, places
}

// isAbout reads what writeTools has written.
func isAbout(r *form.Reader, name string) bool {
	n := r.Count()
	about := n == 0
	for range n {
		if folded := r.Text(); !about {
			about = restricts(folded, name)
		}
	}
	return about
}
