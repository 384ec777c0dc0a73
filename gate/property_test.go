package gate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// bench is a folder in which worlds are written and read again.
type bench struct {
	testing.TB
	dir     string
	written *world            // what is there now
	forms   map[string][]byte // that are kept
}

func newBench(t testing.TB) bench {
	b := bench{t, t.TempDir(), &world{}, map[string][]byte{}}
	for _, dir := range []string{"repo/.git", "repo/sub"} {
		b.must(os.MkdirAll(filepath.Join(b.dir, dir), 0o700))
	}
	return b
}

func (b bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// load gives the set of a world. Everything that is generated is a good policy.
func (b bench) load(w world) *policy.Set {
	b.Helper()
	for place, file := range layerFiles {
		if b.written[place] != w[place] {
			b.write(filepath.Join(b.dir, file), w[place], place != local)
		}
	}
	*b.written = w
	set, err := policy.Load(filepath.Join(b.dir, "repo", "sub"), policy.Places{Managed: filepath.Join(b.dir, "managed"), Users: []string{filepath.Join(b.dir, "user")}})
	if err != nil && !errors.Is(err, policy.ErrNone) {
		b.Fatalf("%v\n%s", err, w)
	}
	if set == nil {
		set = &policy.Set{}
	}
	return set
}

// write makes a policy file, and the folder of further ones where there can be
// one.
func (b bench) write(file string, s *sheet, parts bool) {
	more := filepath.Join(filepath.Dir(file), "policy.d")
	if parts {
		b.must(os.RemoveAll(more))
	}
	if s == nil {
		b.must(os.RemoveAll(file))
		return
	}
	texts := slices.Repeat([]string{"version = 1\n"}, 1+s.parts)
	if s.deny {
		texts[0] += "default = \"deny\"\n"
	}
	for i, table := range s.tables {
		texts[i%len(texts)] += table
	}
	b.must(os.MkdirAll(filepath.Dir(file), 0o700))
	b.must(os.WriteFile(file, []byte(texts[0]), 0o600))
	for i, text := range texts[1:] {
		b.must(os.MkdirAll(more, 0o700))
		b.must(os.WriteFile(filepath.Join(more, fmt.Sprintf("%d.toml", i)), []byte(text), 0o600))
	}
}

func (w world) String() string {
	var out strings.Builder
	for place, s := range w {
		if s != nil {
			fmt.Fprintf(&out, "# %s, default deny: %v, further files: %d\n%s", layerFiles[place], s.deny, s.parts, strings.Join(s.tables, ""))
		}
	}
	return out.String()
}

// remembered is a memory in which half of the budgets are spent and half of the
// facts are proved.
func (c *choices) remembered(set *policy.Set, ctx Context, ev hooks.Event) Facts {
	facts := Facts{Now: time.Unix(1e9, 0), Evidence: map[string][]byte{}, Spent: map[string]exact.Decimal{}}
	done := hooks.Event{Kind: hooks.PostToolUse, Client: "claude", Tool: "mcp__crm__get", Response: []byte(`{"a":5}`)}
	for _, e := range Learn(set, ctx, Memory{Now: facts.Now}, done).Evidence {
		if c.n(2) == 0 {
			facts.Evidence[e.Key] = e.Value
		}
	}
	four, _ := exact.ParseDecimal("4")
	for _, w := range Required(set, ctx, ev).Windows {
		if c.n(2) == 0 {
			facts.Spent[w.Name] = four
		}
	}
	return facts
}

// objections are all findings of an explanation, by what they say.
func objections(e Explanation, of func(Finding) bool) []string {
	var out []string
	for _, f := range append(slices.Clone(e.Verdict.Findings), e.Later...) {
		if of(f) {
			out = append(out, fmt.Sprintf("%s %s %s %s", f.Layer, f.ID, f.Decision, f.Category))
		}
	}
	slices.Sort(out)
	return out
}

func everyFinding(Finding) bool { return true }

// checkOrder: what stands first never matters, inside a file and between files.
func checkOrder(t testing.TB, b bench, c *choices) {
	w := c.world()
	ev, ctx := c.event(), c.context()
	set := b.load(w)
	facts := c.remembered(set, ctx, ev)
	before := Explain(set, ctx, facts, ev)
	other := w
	for place, s := range w {
		if s != nil {
			other[place] = &sheet{s.deny, c.shuffled(s.tables), 0}
			if place != local {
				other[place].parts = c.n(4)
			}
		}
	}
	after := Explain(b.load(other), ctx, facts, ev)
	if summary(before) != summary(after) {
		t.Fatalf("%s of %s %s\n%s\nbecame in another order\n%s\n%s\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, other)
	}
}

// summary is all of an explanation that does not depend on places.
func summary(e Explanation) string {
	lead := "no finding"
	if len(e.Verdict.Findings) > 0 {
		f := e.Verdict.Findings[0]
		lead = fmt.Sprintf("%s %s %s %v", f.Layer, f.ID, f.Category, f.Retryable)
	}
	var unlist []string
	for _, s := range e.Unlist {
		unlist = append(unlist, s.Layer+" "+s.ID)
	}
	slices.Sort(unlist)
	return fmt.Sprintf("%s by %s; all %q; unlisted by %q", e.Verdict.Decision, lead, objections(e, everyFinding), unlist)
}

// checkNarrowing: one more layer, or one more restrictive table, never lets more
// through; and what the broader layers say stays what it was.
func checkNarrowing(t testing.TB, b bench, c *choices) {
	w := c.world()
	place := c.n(places)
	more := w
	if more[place] == nil {
		more[place] = c.sheet(place)
	} else {
		more[place] = c.restricted(*w[place], place)
	}
	ev, ctx := c.event(), c.context()
	set, wider := b.load(more), b.load(w)
	facts := c.remembered(set, ctx, ev)
	before, after := Explain(wider, ctx, facts, ev), Explain(set, ctx, facts, ev)
	if after.Verdict.Decision < before.Verdict.Decision && !mayApprove(w, more, place, before, after) {
		t.Fatalf("%s of %s %s: %s\nbecame\n%s\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, more)
	}
	file := filepath.Join(b.dir, layerFiles[place])
	broader := func(f Finding) bool { return layerOrder(b, f.File) < layerOrder(b, file) }
	if was, is := objections(before, broader), objections(after, broader); !slices.Equal(was, is) {
		t.Fatalf("%s of %s %s: broader layers said\n%q, and now\n%q\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, was, is, w, more)
	}
}

// restricted adds one table that may only narrow.
func (c *choices) restricted(s sheet, place int) *sheet {
	id := fmt.Sprintf("%d-new", place)
	table := c.limit(id)
	if c.n(4) > 0 {
		table = c.rule(id, c.pick("deny", "hide", "require_approval"))
	}
	s.tables = append(slices.Clone(s.tables), table)
	return &s
}

// mayApprove: only a new layer of those that may skip a prompt does so, and only
// where nobody objected.
func mayApprove(before, after world, place int, was, is Explanation) bool {
	return before[place] == nil && place <= user && was.Verdict.Decision == Pass && is.Verdict.Decision == Approve &&
		strings.Contains(strings.Join(after[place].tables, ""), string(policy.AutoApprove))
}

func layerOrder(b bench, file string) int {
	return slices.IndexFunc(layerFiles[:], func(f string) bool { return filepath.Join(b.dir, f) == file })
}

const rounds = 250

func repeat(t *testing.T, check func(testing.TB, bench, *choices)) {
	b, random := newBench(t), rand.NewPCG(1, 2)
	for range rounds {
		check(t, b, randomChoices(random))
	}
}

func randomChoices(random rand.Source) *choices {
	c := &choices{}
	for range 400 {
		c.bytes = append(c.bytes, byte(random.Uint64()>>17))
	}
	return c
}

func TestOrderDoesNotMatter(t *testing.T) { repeat(t, checkOrder) }
func TestMoreNeverLoosens(t *testing.T)   { repeat(t, checkNarrowing) }

// FuzzPolicies looks for policies and calls for which either does not hold.
func FuzzPolicies(f *testing.F) { fuzzChoices(f, rand.NewPCG(3, 4), checkOrder, checkNarrowing) }

// fuzzChoices begins with random choices.
func fuzzChoices(f *testing.F, random rand.Source, checks ...func(testing.TB, bench, *choices)) {
	for range 4 {
		f.Add(randomChoices(random).bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		b := newBench(t)
		for _, check := range checks {
			check(t, b, &choices{bytes})
		}
	})
}
