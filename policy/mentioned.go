package policy

import "slices"

// Mentioned lists the tools that this layer and the broader ones name without a
// wildcard, sorted. Some are full names and some are the last part of one.
func (l *Layer) Mentioned() []string {
	var names []string
	add := func(lists ...[]Pattern) {
		for _, p := range slices.Concat(lists...) {
			if p.Literal() {
				names = append(names, p.text)
			}
		}
	}
	for ; l != nil; l = l.broader {
		for _, t := range l.Tools {
			add(t.Names)
		}
		for _, f := range l.Facts {
			add(f.From)
		}
		for _, g := range l.Gates {
			add(g.Tools)
		}
		for _, x := range l.Limits {
			add(x.Tools)
		}
		for _, r := range l.Rules {
			add(r.Match.Tools)
			if r.Except != nil {
				add(r.Except.Tools)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Builtins lists the tools that a client brings along.
func Builtins(client string) []string {
	var names []string
	for _, b := range builtins {
		if b.clients == client || b.clients == "both" {
			names = append(names, b.name)
		}
	}
	return names
}
