package gate

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

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
	forms, fresh := map[string][]byte{}, 0
	how := policy.Reading{
		Tool: tool,
		Kept: func(layer string, t policy.Text) []byte { return forms[layer+t.Path+string(t.Text)] },
		Keep: func(layer string, t policy.Text, form []byte) {
			fresh++
			forms[layer+t.Path+string(t.Text)] = form
		},
	}
	places := policy.Places{Managed: filepath.Join(b.dir, "managed"), Users: []string{filepath.Join(b.dir, "user")}, Reading: how}
	var set *policy.Set
	for range 2 {
		var err error
		set, err = policy.Load(filepath.Join(b.dir, "repo", "sub"), places)
		b.must(err)
	}
	if fresh != len(forms) {
		b.Fatalf("%d files were decoded %d times", len(forms), fresh)
	}
	return set
}
