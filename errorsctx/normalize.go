package errorsctx

import (
	"slices"
	"strconv"

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

// Normalizer changes JSON documents. Everything that no change names stays byte
// for byte.
type Normalizer struct {
	Changes []Change
	Glob    func(pattern, name string) bool
	// Digest gives the keyed digest of a value that is hidden. It may be empty.
	Digest func(text string) string
	// Stop says that there is no more time; nil: there is enough.
	Stop func() bool
}

// maxPasses bounds how often changes are applied to what changes have made. Only
// tables that rename in a circle need more.
const maxPasses = 8

// Document is what became of one document.
type Document struct {
	Text    string
	Changed []string // what was changed, a line each
	Left    []string // what did not fit and was left
	// Unread: something in it could not be read, or the changes came to no end. What is
	// to be hidden may still be there.
	Unread bool
}

// Document changes one document until nothing more changes, so that a document that
// was changed before stays as it is. What hides comes first: nothing is copied or
// renamed before it is hidden.
func (z Normalizer) Document(text string) Document {
	d := Document{Text: text}
	hiding := z
	hiding.Changes = slices.DeleteFunc(slices.Clone(z.Changes), func(c Change) bool { return !c.hides() })
	if len(hiding.Changes) > 0 {
		hiding.run(&d)
	}
	if len(hiding.Changes) < len(z.Changes) {
		z.run(&d)
	}
	d.Unread = d.Unread || len(hiding.Changes) > 0 && hiding.mentions(d.Text, true)
	return d
}

// run makes passes until one changes nothing.
func (z Normalizer) run(d *Document) {
	for pass := range maxPasses {
		n := z.once(d.Text)
		if pass == 0 {
			d.Left = append(d.Left, n.notes...)
		}
		next := apply(d.Text, n.edits)
		if n.stopped {
			d.Unread = true
			d.Left = append(d.Left, "there was no time to change all of it")
			return
		}
		if next == d.Text {
			return
		}
		d.Text, d.Changed = next, append(d.Changed, n.changed...)
	}
	d.Unread = true
	d.Left = append(d.Left, "some tables rename in a circle")
}

// normalizing is one pass over one document.
type normalizing struct {
	Normalizer
	text  string
	edits []edit

	changed, notes []string
	stopped        bool
	parted         int // parts so far
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
		if n.parted++; n.stopped || n.parted%1024 == 0 && n.Stop != nil && n.Stop() {
			n.stopped = true
			return
		}
		at := here(placesOf(p))
		done := arrived(at)
		if !r.drops(i, done) && !n.change(p, done, names) {
			n.value(p.value, at)
		}
	}
}

// change applies the changes that have arrived at a part: what hides its value, or
// the first that knows it, and the first new name. It reports that nothing inside
// the part is left to change.
func (n *normalizing) change(p part, changes []*Change, names func() map[string]gjson.Result) bool {
	values, rename := chosen(changes)
	raw, hidden := p.value.Raw, false
	if len(values) > 0 && values[0].Redact {
		raw, hidden = n.redacted(p.value), true
	} else if len(values) > 0 && p.value.Type != gjson.Null {
		converted, fits := n.convert(p, values)
		if !fits && slices.Contains(values, rename) {
			rename = nil // what does not fit keeps its name
		}
		raw = converted
	}
	changed := raw != p.value.Raw
	renamed := false
	if rename != nil && names != nil && rename.Rename != p.name {
		if hidden && (rename.Keep || names()[rename.Rename].Exists()) {
			n.set(p, p.name, raw) // whatever becomes of the name
		}
		renamed = n.rename(rename, p, raw, hidden, names())
	} else if changed {
		n.set(p, p.name, raw)
	}
	return renamed || changed || hidden
}

// chosen picks what is done to the value, and the one new name. What hides the value
// is all that is done to it.
func chosen(changes []*Change) (values []*Change, rename *Change) {
	for _, c := range changes {
		switch {
		case len(values) > 0 && values[0].Redact:
		case c.Redact:
			values = []*Change{c}
		case c.Time != nil || c.Map != nil || c.Number != "":
			values = append(values, c)
		}
		if rename == nil && c.Rename != "" {
			rename = c
		}
	}
	return values, rename
}

// convert makes all conversions of a value, one after the other. One that does not fit
// is left out, if another one does.
func (n *normalizing) convert(p part, values []*Change) (raw string, fits bool) {
	raw = p.value.Raw
	var why string
	for _, c := range values {
		converted, problem := c.convert(p.name, gjson.Parse(raw))
		if problem == "" {
			raw, fits = converted, true
		} else if why == "" {
			why = problem
		}
	}
	if !fits {
		n.note(values[0], p, why)
	}
	return raw, fits
}

// set replaces a part's value. name is the one that it has afterwards.
func (n *normalizing) set(p part, name, raw string) {
	n.replace(p.end-len(p.value.Raw), p.end, raw)
	if n.hidesName(name) && !isRedacted(gjson.Parse(raw).Str) {
		raw = "…" // it is hidden in a later pass
	}
	n.tell(clip(name, maxName) + " = " + clip(raw, maxTold))
}

// maxName bounds what is told of a name, in bytes.
const maxName = 80

// maxTold bounds what is told of one change, in bytes.
const maxTold = 200

func (n *normalizing) tell(text string) { n.changed = append(n.changed, text) }

// rename gives a member another name, or puts one of that name beside it, which it
// reports. A name that is taken leaves both as they are, unless what goes by it would
// be hidden.
func (n *normalizing) rename(c *Change, p part, raw string, hidden bool, names map[string]gjson.Result) (beside bool) {
	if there, taken := names[c.Rename]; taken {
		if !c.Keep || there.Raw != raw {
			n.note(c, p, "there is a "+c.Rename+" already")
		}
		if c.Keep || hidden || !n.hidesName(c.Rename) {
			return false
		}
		n.set(p, p.name, n.redacted(p.value)) // it was to go where it would be hidden
		return true
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
	n.tell(clip(p.name, maxName) + " is called " + c.Rename)
	return false
}

func (n *normalizing) note(c *Change, p part, why string) {
	n.notes = append(n.notes, "normalize "+c.ID+": "+strconv.Quote(clip(p.name, maxName))+" is left as it is: "+why)
}

func (n *normalizing) replace(start, end int, text string) {
	n.edits = append(n.edits, edit{start, end, text})
}
