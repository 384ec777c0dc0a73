package gate

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

// TestKeptForm: a policy that is read in its quick form, without the rules that are not
// about the call's tool, judges as the TOML does.
func TestKeptForm(t *testing.T) {
	b, random := newBench(t), rand.NewPCG(21, 22)
	less, stopped, reached := 0, 0, 0
	for range rounds / 4 {
		c := randomChoices(random)
		w := c.reaching(c.world())
		whole := b.load(w)
		ev, ctx := c.event(), c.context()
		if whole.Empty() {
			continue
		}
		if c.n(4) == 0 {
			ev = shellCall("Bash", "stripe "+c.pick("refund", "x")+"; echo > /repo/a/y")
		}
		kept := b.loadKept(ev.Tool)
		facts := c.remembered(whole, ctx, ev)
		want, got := Decide(whole, ctx, facts, ev), Decide(kept, ctx, facts, ev)
		calls, others := Reach(whole, ctx, ev), Reach(kept, ctx, ev)
		same := reflect.DeepEqual(want, got) && reflect.DeepEqual(calls.Calls, others.Calls) && reflect.DeepEqual(calls.Unknown, others.Unknown)
		for _, call := range calls.Calls {
			reached++
			same = same && reflect.DeepEqual(Decide(whole, ctx, facts, call), Decide(kept, ctx, facts, call))
		}
		if !same {
			t.Fatalf("%s %s: %s, from the form %s\n%+v\n%+v\n%s", ev.Tool, ev.Args, want.Decision, got.Decision, want, got, w)
		}
		for i, l := range whole.Layers {
			less += len(l.Rules) - len(kept.Layers[i].Rules)
		}
		if want.Decision > Pass {
			stopped++
		}
	}
	if less == 0 || stopped == 0 || reached == 0 {
		t.Errorf("%d rules were left out, %d calls stopped, %d calls reached", less, stopped, reached)
	}
}

// reaching adds a table by which calls reach others.
func (c *choices) reaching(w world) world {
	for place, s := range w {
		if s != nil && c.n(4) == 0 {
			more := *s
			if place != local {
				more.parts = c.n(2)
			}
			more.tables = append(slices.Clone(s.tables), c.pick(
				fmt.Sprintf("[[dispatcher]]\nid = \"d%d\"\ntools = [\"mcp__crm__get\", \"Odd\"]\ntarget = \"a\"\nargs = \"b\"\nprefix = \"mcp__pay__\"\n", place),
				fmt.Sprintf("[[command]]\nid = \"c%d\"\nrun = [\"stripe\", \"refund\"]\ntool = \"mcp__pay__refund\"\n", place)))
			w[place] = &more
		}
	}
	return w
}

// loadKept reads the world twice: first from TOML, then from the forms.
func (b bench) loadKept(tool string) *policy.Set {
	forms := b.forms
	how := policy.Reading{
		Tool: tool,
		Kept: func(layer string, t policy.Text) []byte { return forms[layer+t.Path+string(t.Text)] },
		Keep: func(layer string, t policy.Text, form []byte) {
			forms[layer+t.Path+string(t.Text)] = form
		},
	}
	places := policy.Places{Managed: filepath.Join(b.dir, "managed"), Users: []string{filepath.Join(b.dir, "user")}, Reading: how}
	before, err := policy.Load(filepath.Join(b.dir, "repo", "sub"), places)
	b.must(err)
	kept := len(forms)
	places.Reading.Keep = func(layer string, t policy.Text, _ []byte) { b.Errorf("%s was not kept", t.Path) }
	set, err := policy.Load(filepath.Join(b.dir, "repo", "sub"), places)
	b.must(err)
	if kept == 0 || len(before.Layers) != len(set.Layers) {
		b.Fatal("nothing was kept")
	}
	return set
}

// TestKeptReached: rules that are about the tools which a call reaches are there, in
// whatever file they stand.
func TestKeptReached(t *testing.T) {
	const deny = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__pay__refund\"] }\n"
	for _, c := range []struct {
		table string
		ev    hooks.Event
	}{
		{"[[command]]\nid = \"c\"\nrun = [\"stripe\", \"refund\"]\ntool = \"mcp__pay__refund\"\n", shellCall("Bash", "stripe refund")},
		{"[[dispatcher]]\nid = \"d\"\ntools = [\"mcp__x__run\"]\ntarget = \"t\"\nargs = \"a\"\n", pre("mcp__x__run", `{"t":"mcp__pay__refund","a":{}}`)},
	} {
		first, later := &sheet{tables: []string{c.table}}, &sheet{tables: []string{deny}}
		for name, w := range map[string]world{
			"one file":      {repo: {tables: []string{c.table, deny}}},
			"a folder":      {repo: {tables: []string{c.table, deny}, parts: 1}},
			"broader":       {user: later, repo: first},
			"narrower":      {repo: first, nested: later},
			"another file":  {repo: {tables: []string{deny, c.table}, parts: 1}},
			"administrator": {managed: later, local: first},
		} {
			b := newBench(t)
			b.load(w)
			set := b.loadKept(c.ev.Tool)
			calls := Reach(set, Context{}, c.ev).Calls
			if len(calls) != 1 || Decide(set, Context{}, Facts{}, calls[0]).Decision != Deny {
				t.Errorf("%s, %s: %d calls are reached, and not denied", name, c.ev.Tool, len(calls))
			}
		}
	}
}

// TestKeptBeside: the form of a file is right although another file of its folder changes.
func TestKeptBeside(t *testing.T) {
	const deny = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__pay__refund\"] }\n"
	b := newBench(t)
	b.load(world{repo: {tables: []string{deny, "[shell]\n"}, parts: 1}})
	b.loadKept("Bash")
	b.load(world{repo: {tables: []string{deny, "[[command]]\nid = \"c\"\nrun = [\"stripe\"]\ntool = \"mcp__pay__refund\"\n"}, parts: 1}})
	set := b.loadKept("Bash")
	calls := Reach(set, Context{}, shellCall("Bash", "stripe")).Calls
	if len(calls) != 1 || Decide(set, Context{}, Facts{}, calls[0]).Decision != Deny {
		t.Error("not denied")
	}
}
