package gate

import (
	"fmt"
	"gatewright/policy"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkFactOrder: the order of tables, and of files, does not matter for what reads
// the session either.
func checkFactOrder(t testing.TB, b bench, c *choices) {
	w := c.enrich(c.world())
	ev, ctx := c.event(), c.context()
	set := b.load(w)
	facts := c.session(set, ctx, ev)
	before, uses := Explain(set, ctx, facts, ev), usesOf(Decide(set, ctx, facts, ev))
	other := w
	for place, s := range w {
		if s != nil {
			other[place] = &sheet{s.deny, c.shuffled(s.tables), 0}
			if place != local {
				other[place].parts = c.n(4)
			}
		}
	}
	set = b.load(other)
	after := Explain(set, ctx, facts, ev)
	if summary(before) != summary(after) {
		t.Fatalf("%s of %s %s\n%s\nbecame in another order\n%s\n%s\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, other)
	}
	if now := usesOf(Decide(set, ctx, facts, ev)); !slices.Equal(uses, now) {
		t.Fatalf("%s of %s %s uses %q, and in another order %q\n%s", ev.Client, ev.Tool, ev.Args, uses, now, w)
	}
}

// usesOf are the proofs that a verdict uses up.
func usesOf(v Verdict) []string {
	var out []string
	for _, e := range v.Uses {
		out = append(out, e.Key)
	}
	slices.Sort(out)
	return out
}

// checkFactNarrowing: one more gate, requirement, lookup or fact lets no more
// through, and broader layers say what they said.
func checkFactNarrowing(t testing.TB, b bench, c *choices) {
	w := c.enrich(c.world())
	place := c.n(places)
	more := w
	if w[place] == nil {
		more[place] = &sheet{}
		more = onlyAt(w, place, c.enrich(onlyAt(world{}, place, more)))
	} else {
		s := *w[place]
		s.tables = append(slices.Clone(s.tables), c.fact(place, facts(place)), fmt.Sprintf("[[lookup]]\nid = \"new%d\"\ntable = { five = 6 }\n", place), c.reader(place, fmt.Sprintf("new_%d", place)),
			c.failure(fmt.Sprintf("id = \"new_e%d\"\ntools = %s\n", place, c.list(proving...))))
		more[place] = &s
	}
	ev, ctx := c.event(), c.context()
	set, wider := b.load(more), b.load(w)
	checkBroadMemory(t, wider, set, ctx, c.ends(), filepath.Join(b.dir, layerFiles[place]))
	facts := c.session(set, ctx, ev)
	before, after := Explain(wider, ctx, facts, ev), Explain(set, ctx, facts, ev)
	if after.Verdict.Decision < before.Verdict.Decision {
		t.Fatalf("%s of %s %s: %s\nbecame\n%s\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, more)
	}
	file := filepath.Join(b.dir, layerFiles[place])
	others := func(f Finding) bool { return f.File != file }
	if was, is := objections(before, others), objections(after, others); !slices.Equal(was, is) {
		t.Fatalf("%s of %s %s: other layers said\n%q, and now\n%q\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, was, is, w, more)
	}
}

// checkBroadMemory: what layers broader than a file remember does not depend on it.
func checkBroadMemory(t testing.TB, wider, set *policy.Set, ctx Context, ends past, file string) {
	was, is := Facts{Now: time.Unix(1e9, 0), Evidence: map[string][]byte{}}, Facts{Now: time.Unix(1e9, 0), Evidence: map[string][]byte{}}
	ends.leave(&was, wider, ctx)
	ends.leave(&is, set, ctx)
	for _, l := range set.Layers {
		if l.File == file {
			return
		}
		if a, b := keysOf(was, l), keysOf(is, l); !slices.Equal(a, b) {
			t.Fatalf("%s remembered\n%q, and now\n%q\nof %+v\nbecause of %s", l.File, a, b, ends, file)
		}
	}
}

// keysOf are the keys under which something is kept for a layer.
func keysOf(facts Facts, l *policy.Layer) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(facts.Evidence)), func(key string) bool { return !strings.Contains(key, fmt.Sprintf("%q", l.Key())) })
}

// onlyAt is w with the one sheet of from.
func onlyAt(w world, place int, from world) world {
	w[place] = from[place]
	return w
}

// TestGeneratedFactsAreGood: every generated expression compiles, and the generator
// makes calls that are let through, asked about and denied by what it adds.
func TestGeneratedFactsAreGood(t *testing.T) {
	b, random, said := newBench(t), rand.NewPCG(5, 6), map[Decision]int{}
	for range rounds {
		c := randomChoices(random)
		set := b.load(c.enrich(c.world()))
		for _, l := range set.Layers {
			if problems := l.Expressions(); len(problems) > 0 {
				t.Fatal(problems)
			}
		}
		ev, ctx := c.event(), c.context()
		v := Decide(set, ctx, c.session(set, ctx, ev), ev)
		said[v.Decision]++
		for _, f := range v.Findings {
			if f.Undecided {
				said[0]++
			}
		}
	}
	if said[Pass] < rounds/20 || said[Ask] == 0 || said[Deny] < rounds/20 || said[0] < rounds/20 {
		t.Errorf("of %d calls: %v", rounds, said)
	}
}

func TestOrderOfFactsDoesNotMatter(t *testing.T) { repeatLong(t, checkFactOrder) }
func TestMoreFactsNeverLoosen(t *testing.T)      { repeatLong(t, checkFactNarrowing) }

// repeatLong has more choices for each of fewer rounds.
func repeatLong(t *testing.T, check func(testing.TB, bench, *choices)) {
	b, random := newBench(t), rand.NewPCG(9, 10)
	for range rounds / 5 {
		c := randomChoices(random)
		c.bytes = append(c.bytes, randomChoices(random).bytes...)
		check(t, b, c)
	}
}

// FuzzFacts looks for policies, sessions and calls for which either does not hold.
func FuzzFacts(f *testing.F) {
	fuzzChoices(f, rand.NewPCG(7, 8), checkFactOrder, checkFactNarrowing)
}
