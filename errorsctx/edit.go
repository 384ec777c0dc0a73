package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

// edit replaces a stretch of a text.
type edit struct {
	start, end int
	text       string
}

// apply makes all edits at once. They stand in the text's order and do not overlap.
func apply(text string, edits []edit) string {
	if len(edits) == 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	from := 0
	for _, e := range edits {
		b.WriteString(text[from:e.start])
		b.WriteString(e.text)
		from = e.end
	}
	b.WriteString(text[from:])
	return b.String()
}

// part is a member of an object or an element of an array, and where it stands.
type part struct {
	name       string
	start, end int // with the name
	key        int // where the name ends
	value      gjson.Result
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

// remover takes parts out of an object or array, each with one comma.
type remover struct {
	n     *normalizing
	parts []part
	kept  bool // a part before the present one
}

// drops removes part i if one of the changes says so.
func (r *remover) drops(i int, changes []*Change) bool {
	drop := false
	for _, c := range changes {
		drop = drop || c.Drop
	}
	if !drop {
		r.kept = true
		return false
	}
	start, end := r.parts[i].start, r.parts[i].end
	switch {
	case r.kept:
		start = r.parts[i-1].end // with the comma before it
	case i+1 < len(r.parts):
		end = r.parts[i+1].start // with the comma behind it
	}
	r.n.replace(start, end, "")
	r.n.tell(clip(r.parts[i].name, maxName) + " is not for you")
	return true
}

// Take takes a member out of an object: what is left, and the member's value. The
// value is empty if there is no such member.
func Take(object, name string) (rest, value string) {
	v := gjson.Parse(object)
	found, has := memberAt(v, name)
	if !has {
		return object, ""
	}
	drop := Change{Drop: true, exactly: true, Paths: []Selector{{steps: []pick{{glob: name}}}}}
	z := Normalizer{Changes: []Change{drop}, Glob: func(pattern, s string) bool { return pattern == s }}
	return z.Document(object).Text, found.Raw
}

// quote writes a text as JSON.
func quote(text string) string { return string(gjson.AppendJSONString(nil, text)) }
