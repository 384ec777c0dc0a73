package errorsctx

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Change is what one table does to the members that its selectors name. A value
// has one of Time, Map, Number, Drop and Redact, or none if it is only renamed.
type Change struct {
	ID     string
	Paths  []Selector
	Rename string // the new name; "" = as it was
	Keep   bool   // the member stays, and the renamed one is put beside it
	Time   *TimeForm
	Map    map[string]string // from a value's text to the JSON of the new one
	Number string            // how numbers are written in texts; see NumberForms
	Drop   bool
	Redact bool

	exactly bool // what it hides is named exactly
}

// hides reports a change that keeps something from the model.
func (c *Change) hides() bool { return c.Drop || c.Redact }

// Hides reports changes of which one keeps something from the model.
func Hides(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.hides() })
}

// Normalizer changes JSON documents. Everything that no change names stays byte
// for byte.
type Normalizer struct {
	Changes []Change
	Glob    func(pattern, name string) bool
	// Digest gives the keyed digest of a value that is hidden. It may be empty.
	Digest func(text string) string
}

// maxPasses bounds how often changes are applied to what changes have made. Only
// tables that rename in a circle need more.
const maxPasses = 8

// Document is what became of one document.
type Document struct {
	Text    string
	Changed []string // what was changed, a line each
	Left    []string // what did not fit and was left
}

// Document changes one document until nothing more changes, so that a document that
// was changed before stays as it is.
func (z Normalizer) Document(text string) Document {
	d := Document{Text: text}
	for pass := range maxPasses {
		n := z.once(d.Text)
		if pass == 0 {
			d.Left = n.notes
		}
		next := apply(d.Text, n.edits)
		if next == d.Text {
			return d
		}
		d.Text, d.Changed = next, append(d.Changed, n.changed...)
	}
	d.Left = append(d.Left, "some tables rename in a circle")
	return d
}

// normalizing is one pass over one document.
type normalizing struct {
	Normalizer
	text  string
	edits []edit

	changed, notes []string
}

func (z Normalizer) once(text string) *normalizing {
	n := &normalizing{Normalizer: z, text: text}
	var places []place
	for i := range z.Changes {
		for _, s := range z.Changes[i].Paths {
			places = append(places, place{&z.Changes[i], s.steps})
		}
	}
	n.value(gjson.Parse(text), places)
	return n
}

func (n *normalizing) value(v gjson.Result, places []place) {
	if places = here(places); len(places) == 0 {
		return
	}
	switch {
	case v.IsObject():
		n.object(v, places)
	case v.IsArray():
		n.array(v, places)
	}
}

// part is a member of an object or an element of an array, and where it stands.
type part struct {
	name       string
	start, end int // with the name
	key        int // where the name ends
	value      gjson.Result
}

func (n *normalizing) object(v gjson.Result, places []place) {
	var parts []part
	v.ForEach(func(k, m gjson.Result) bool {
		parts = append(parts, part{k.Str, k.Index, m.Index + len(m.Raw), k.Index + len(k.Raw), m})
		return true
	})
	n.parts(parts, namesOf(parts), func(p part) []place { return n.member(places, p.name) })
}

func (n *normalizing) array(v gjson.Result, places []place) {
	var parts []part
	v.ForEach(func(_, m gjson.Result) bool {
		parts = append(parts, part{"", m.Index, m.Index + len(m.Raw), m.Index, m})
		return true
	})
	n.parts(parts, nil, func(part) []place { return element(places) })
}

// parts changes what a container holds. names gives the members by their names, and
// is nil for elements, which have none.
func (n *normalizing) parts(parts []part, names func() map[string]gjson.Result, placesOf func(part) []place) {
	r := remover{n: n, parts: parts}
	for i, p := range parts {
		at := here(placesOf(p))
		done := arrived(at)
		if !r.drops(i, done) && !n.change(p, done, names) {
			n.value(p.value, at)
		}
	}
}

// namesOf gives an object's members by their names, when somebody asks for them.
func namesOf(parts []part) func() map[string]gjson.Result {
	var names map[string]gjson.Result
	return func() map[string]gjson.Result {
		if names == nil {
			names = map[string]gjson.Result{}
			for _, p := range parts {
				names[p.name] = p.value
			}
		}
		return names
	}
}

// change applies the changes that have arrived at a part: what hides its value, or
// the first that knows it, and the first new name. It reports that nothing inside
// the part is left to change.
func (n *normalizing) change(p part, changes []*Change, names func() map[string]gjson.Result) bool {
	value, rename := chosen(changes)
	raw := p.value.Raw
	switch {
	case value == nil:
	case value.Redact:
		raw = n.redacted(p.value)
	case p.value.Type != gjson.Null:
		converted, why := value.convert(p.name, p.value)
		if why != "" {
			n.note(value, p, why)
			return false
		}
		raw = converted
	}
	changed, hidden := raw != p.value.Raw, value != nil && value.Redact
	renamed := false
	if rename != nil && names != nil && rename.Rename != p.name {
		if hidden && (rename.Keep || names()[rename.Rename].Exists()) {
			n.set(p, p.name, raw) // whatever becomes of the name
		}
		renamed = n.rename(rename, p, raw, names())
	} else if changed {
		n.set(p, p.name, raw)
	}
	return renamed || changed || hidden
}

// chosen picks the change of the value and the one of the name.
func chosen(changes []*Change) (value, rename *Change) {
	for _, c := range changes {
		if c.Redact && (value == nil || !value.Redact) || value == nil && (c.Time != nil || c.Map != nil || c.Number != "") {
			value = c
		}
		if rename == nil && c.Rename != "" {
			rename = c
		}
	}
	return value, rename
}

// set replaces a part's value. name is the one that it has afterwards.
func (n *normalizing) set(p part, name, raw string) {
	n.replace(p.end-len(p.value.Raw), p.end, raw)
	n.tell(name + " = " + clip(raw, maxTold))
}

// maxTold bounds what is told of one change, in bytes.
const maxTold = 200

func (n *normalizing) tell(text string) { n.changed = append(n.changed, text) }

// rename gives a member another name, or puts one of that name beside it, which it
// reports. A name that is taken leaves both as they are.
func (n *normalizing) rename(c *Change, p part, raw string, names map[string]gjson.Result) (beside bool) {
	if there, taken := names[c.Rename]; taken {
		if !c.Keep || there.Raw != raw {
			n.note(c, p, "there is a "+c.Rename+" already")
		}
		return false
	}
	names[c.Rename] = gjson.Parse(raw)
	name := quote(c.Rename)
	if c.Keep {
		n.replace(p.end, p.end, ","+name+":"+raw)
		n.tell(c.Rename + " = " + clip(raw, maxTold))
		return true
	}
	n.replace(p.start, p.key, name)
	if raw != p.value.Raw {
		n.set(p, c.Rename, raw)
		return false
	}
	n.tell(p.name + " is called " + c.Rename)
	return false
}

// redactedMark begins what stands for a value that is hidden.
const redactedMark = "redacted"

// redacted stands for a value by its keyed digest: equal values stay equal.
func (n *normalizing) redacted(v gjson.Result) string {
	if v.Type == gjson.Null || v.Type == gjson.String && isRedacted(v.Str) {
		return v.Raw
	}
	mark := redactedMark
	if digest := n.Digest(v.String()); digest != "" {
		mark += ":" + digest
	}
	return quote(mark)
}

// isRedacted recognises what redact has written.
func isRedacted(text string) bool {
	digest, found := strings.CutPrefix(text, redactedMark)
	return found && (digest == "" || digest[0] == ':' && len(digest) > 8 && strings.Trim(digest[1:], "0123456789abcdef") == "")
}

func (n *normalizing) note(c *Change, p part, why string) {
	n.notes = append(n.notes, "normalize "+c.ID+": "+p.name+" is left as it is: "+why)
}

func (n *normalizing) replace(start, end int, text string) {
	n.edits = append(n.edits, edit{start, end, text})
}
