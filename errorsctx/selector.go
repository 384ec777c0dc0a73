package errorsctx

import (
	"fmt"
	"strings"
)

// Selector names members of a result: "created_at_unix", "items[].paid_at",
// "[].id" for a list, "*_at" for every member whose name matches, and "**.paid_at"
// at any depth.
type Selector struct {
	text  string
	steps []pick
}

// pick is one step of a selector: a glob over names, every element of an array, or
// any number of steps.
type pick struct {
	glob       string
	each, deep bool
}

// ParseSelector reads a selector. Its error says what is wrong with the text.
func ParseSelector(text string) (Selector, error) {
	s := Selector{text: text}
	for part := range strings.SplitSeq(text, ".") {
		name, each := strings.CutSuffix(part, "[]")
		switch {
		case name == "**" && !each:
			s.steps = append(s.steps, pick{deep: true})
		case name == "" && !each, name == "$", strings.HasPrefix(name, "/"), strings.Contains(name, "**"), strings.ContainsAny(name, "[]\"' \t\r\n"):
			return Selector{}, fmt.Errorf("%q is not a path such as created_at, items[].paid_at, *_at or **.paid_at", text)
		case name != "":
			s.steps = append(s.steps, pick{glob: name})
		}
		if each {
			s.steps = append(s.steps, pick{each: true})
		}
	}
	switch deep := strings.Count(text, "**"); {
	case s.steps[len(s.steps)-1].deep:
		return Selector{}, fmt.Errorf("%q ends with **, which would name everything", text)
	case deep > 1:
		return Selector{}, fmt.Errorf("%q has ** more than once", text)
	}
	return s, nil
}

// Name is the name, or the glob over names, that the selector ends with.
func (s Selector) Name() string {
	if len(s.steps) == 0 {
		return ""
	}
	return s.steps[len(s.steps)-1].glob
}

// Anywhere is the change at any depth of a document.
func (c Change) Anywhere() Change {
	paths := make([]Selector, len(c.Paths))
	for i, s := range c.Paths {
		paths[i] = s
		if !strings.Contains(s.text, "**") {
			paths[i].steps = append([]pick{{deep: true}}, s.steps...)
		}
	}
	c.Paths = paths
	return c
}

// String returns the selector as it was written.
func (s Selector) String() string { return s.text }

// place is how far a change's selector has come at some value.
type place struct {
	change *Change
	rest   []pick
}

// here completes the places at a value: a ** may stand for no step at all.
func here(places []place) []place {
	for i := 0; i < len(places); i++ {
		if p := places[i]; len(p.rest) > 0 && p.rest[0].deep {
			places = append(places, place{p.change, p.rest[1:]})
		}
	}
	return places
}

// member gives the places at a member of that name.
func (n *normalizing) member(places []place, name string) []place {
	var next []place
	for _, p := range places {
		switch {
		case len(p.rest) == 0:
		case p.rest[0].deep:
			next = append(next, p)
		case !p.rest[0].each && n.named(p, name):
			next = append(next, place{p.change, p.rest[1:]})
		}
	}
	return next
}

// named compares a name. What hides something ignores letter case: a server that
// spells a name differently must not get past it.
func (n *normalizing) named(p place, name string) bool {
	glob := p.rest[0].glob
	if p.change.hides() && !p.change.exactly {
		return n.Glob(folded(glob), folded(name))
	}
	return n.Glob(glob, name)
}

// element gives the places at an element of an array.
func element(places []place) []place {
	var next []place
	for _, p := range places {
		switch {
		case len(p.rest) == 0:
		case p.rest[0].deep:
			next = append(next, p)
		case p.rest[0].each:
			next = append(next, place{p.change, p.rest[1:]})
		}
	}
	return next
}

// arrived lists the changes whose selector ends here, in their order.
func arrived(places []place) []*Change {
	var done []*Change
	for _, p := range places {
		if len(p.rest) == 0 {
			done = append(done, p.change)
		}
	}
	return done
}
