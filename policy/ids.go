package policy

import (
	"fmt"
	"slices"
	"strings"
)

// source reads the id that every table but [[tool]] has.
func (t *table) source() Source {
	t.need("id")
	return t.sourceNamed(t.text("id"))
}

func (t *table) sourceNamed(id string) Source {
	if !PrintableASCII(id) || strings.ContainsAny(id, "\"'`") {
		t.problem("id", "an id is made of printable ASCII without quotes", "rename it, for example "+t.kind+"-1")
	}
	return Source{t.file.layer.Name, id, t.file.path, t.mark.line}
}

// DefaultID is the id of what a layer denies because nothing in it allows it.
const DefaultID = "default"

// checkIDs: a finding is known by its layer and rule id, so no two tables of a
// layer may share one. A fact of a broader layer cannot be redefined.
func (f *file) checkIDs() {
	places := map[string]Source{}
	for _, s := range f.layer.sources() {
		if first, taken := places[s.ID]; taken && s.ID != "" {
			f.addAt(s, fmt.Sprintf("the id %q is used twice", s.ID), first.place(s.File)+" has it already")
		}
		if s.ID == DefaultID {
			f.addAt(s, fmt.Sprintf("the id %q is what denials by default go by", s.ID), "use another id")
		}
		places[s.ID] = s
	}
	for _, fact := range f.layer.Facts {
		if other, known := f.layer.broader.Fact(fact.ID); known {
			f.addAt(fact.Source, fmt.Sprintf("the fact %q is one of the %s policy, which cannot be redefined", fact.ID, other.Layer), "use another id")
		}
	}
}

// sources lists every table of the layer that has an id.
func (l *Layer) sources() []Source {
	return slices.Concat(sourcesOf(l.Facts), sourcesOf(l.Gates), sourcesOf(l.Limits), sourcesOf(l.Rules), sourcesOf(l.Requires), sourcesOf(l.Lookups), sourcesOf(l.Failures),
		sourcesOf(l.Normalizes), sourcesOf(l.Retries), sourcesOf(l.Claims), sourcesOf(l.Dispatchers), sourcesOf(l.Commands), sourcesOf(l.Shells), l.claimsOnly())
}

func sourcesOf[T interface{ source() Source }](tables []T) []Source {
	var all []Source
	for _, t := range tables {
		all = append(all, t.source())
	}
	return all
}

func (s Source) source() Source { return s }

// addAt adds a problem at the place of a table, which may be in another file.
func (f *file) addAt(s Source, message, hint string) {
	if s.File == f.path {
		f.add(s.Line, message, hint)
		return
	}
	f.problems = append(f.problems, Problem{File: s.File, Line: s.Line, Message: message, Hint: hint})
}

// place names a table, with its file where that is another one.
func (s Source) place(file string) string {
	if s.File == file {
		return fmt.Sprintf("line %d", s.Line)
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}
