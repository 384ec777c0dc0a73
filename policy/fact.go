package policy

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Keep says which past calls make a fact.
type Keep string

// The ways to keep a fact.
const (
	Latest Keep = "latest" // the newest call about the same thing
	Count  Keep = "count"  // how many calls
	Sum    Keep = "sum"    // the sum of their values
	All    Keep = "all"    // a list of their values, the newest of each by
)

// Fact is something that a session can prove by successful calls.
type Fact struct {
	Source
	layer         *Layer
	Key           string    // of the layer that defines it, see Layer.Key
	From          []Pattern // granting: the tools whose results feed it
	Keep          Keep
	Where         *Expression // nil: every call counts
	Value         *Expression // nil: past.result
	By            *Expression // All: what tells things apart
	InvalidatedBy []Pattern   // restricting: tools after which what was seen is stale
	Optional      bool        // where it is not there, its value is absent instead of unknown
	TTL           time.Duration
	MaxUses       int // how many calls one proof carries; 0 = any number
	// ResetOnCompact forgets it when the client shortens the conversation: what the
	// model has read then is gone.
	ResetOnCompact bool
	// PerAgent binds what a call shows to the context that made it: the session's
	// own, or one sub-agent's.
	PerAgent bool
}

// Owner is the layer that defines the fact.
func (f Fact) Owner() *Layer { return f.layer }

// FactsBehind gives facts of this layer and of broader ones by their ids, with those
// that they are joined to.
func (l *Layer) FactsBehind(ids []string) ([]Fact, error) {
	b := &behind{seen: map[string]bool{}, open: map[string]bool{}}
	for _, id := range ids {
		if err := b.add(l, id); err != nil {
			return nil, err
		}
	}
	return b.facts, nil
}

// behind walks facts along what they are joined to.
type behind struct {
	facts      []Fact
	seen, open map[string]bool // open: of whose own walk this is a part
}

func (b *behind) add(l *Layer, id string) error {
	f, ok := l.Fact(id)
	name := f.Key + " " + id
	switch {
	case ok && b.open[name]:
		return Problems{{File: f.File, Line: f.Line, Message: fmt.Sprintf("the fact %q needs itself, through those that it is joined to", id), Hint: "take one of the facts out of the other's where"}}
	case !ok || b.seen[name]:
		return nil
	}
	b.seen[name], b.open[name] = true, true
	defer delete(b.open, name)
	b.facts = append(b.facts, f)
	for _, next := range f.joined() {
		if err := b.add(f.layer, next); err != nil {
			return err
		}
	}
	return nil
}

// joined lists the facts that this one's expressions may read.
func (f Fact) joined() []string {
	if f.Where == nil {
		return nil
	}
	p, err := f.Where.Program()
	if err != nil {
		return nil
	}
	var ids []string
	for _, name := range slices.Sorted(maps.Keys(p.Reads())) {
		if _, isFact := f.layer.Fact(name); isFact {
			ids = append(ids, name)
		}
	}
	return ids
}

// UsesUp reports that some fact of the layer or of a broader one is good for a
// number of calls only.
func (l *Layer) UsesUp() bool {
	for ; l != nil; l = l.broader {
		if slices.ContainsFunc(l.Facts, func(f Fact) bool { return f.MaxUses > 0 }) {
			return true
		}
	}
	return false
}

// ResetsOnCompact reports that some fact is forgotten when a conversation is
// shortened.
func (s *Set) ResetsOnCompact() bool {
	return slices.ContainsFunc(s.Layers, func(l *Layer) bool {
		return slices.ContainsFunc(l.Facts, func(f Fact) bool { return f.ResetOnCompact })
	})
}

// readFact reads a [[fact]].
func readFact(t *table) Fact {
	t.need("from")
	f := Fact{
		Source:         t.source(),
		layer:          t.file.layer,
		Key:            t.file.layer.Key(),
		From:           t.patterns("from", true),
		Keep:           Keep(t.word("keep", string(Latest), string(Count), string(Sum), string(All))),
		InvalidatedBy:  t.patterns("invalidated_by", false),
		Optional:       t.flag("optional"),
		TTL:            t.duration("ttl"),
		MaxUses:        t.count("max_uses"),
		ResetOnCompact: len(t.words("reset_on", []string{"compact"})) > 0,
		PerAgent:       t.word("scope", "session", "agent") == "agent",
	}
	if f.Keep == "" {
		f.Keep = Latest
	}
	for _, p := range f.From {
		if p.anyServer() {
			t.problem("from", fmt.Sprintf("%q lets any server prove this fact", p), "name the server: mcp__SERVER__TOOL")
		}
	}
	layer := t.file.layer
	past := func() []string { return []string{"past"} }
	f.Where = t.expression("where", true, func() []string { return append(layer.factNames(f.ID), "past") })
	f.Value = t.expression("value", false, past)
	f.By = t.expression("by", false, past)
	f.check(t)
	return f
}

func (f Fact) check(t *table) {
	switch {
	case slices.Contains(commonNames, f.ID) || f.ID == "past":
		t.problem("id", fmt.Sprintf("%q means something else in expressions", f.ID), "use another id")
	case f.By != nil && f.Keep != All:
		t.problem("by", `by has a meaning with keep = "all" only`, "")
	case f.Keep == Sum && f.Value == nil:
		t.problem("keep", `keep = "sum" adds up a value`, `add value = "past.args.amount"`)
	case f.MaxUses > 0 && f.Keep != Latest:
		t.problem("max_uses", `max_uses has a meaning with keep = "latest" only`, "")
	}
}

// factNames lists the facts that the `where` of another fact can use.
func (l *Layer) factNames(without string) []string {
	var names []string
	for ; l != nil; l = l.broader {
		for _, fact := range l.Facts {
			if fact.ID != without {
				names = append(names, fact.ID)
			}
		}
	}
	return names
}

// flag reads true or false.
func (t *table) flag(key string) bool {
	v, ok := t.value(key)
	flag, isBool := v.(bool)
	if ok && !isBool {
		t.problem(key, key+" must be true or false", "")
	}
	return flag
}

// count reads a whole number above zero; 0 if it is not there.
func (t *table) count(key string) int {
	v, ok := t.value(key)
	n, isInt := v.(int64)
	if ok && (!isInt || n < 1 || n > 1_000_000) {
		t.problem(key, key+" must be a whole number above zero", "")
		return 0
	}
	return int(n)
}
