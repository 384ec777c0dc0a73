package gate

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"gatewright/policy"
)

// TestKeptForm: a policy that is read in its quick form, without the rules that are not
// about the call's tool, judges as the TOML does.
func TestKeptForm(t *testing.T) {
	b, random := newBench(t), rand.NewPCG(21, 22)
	less, stopped := 0, 0
	for range rounds / 4 {
		c := randomChoices(random)
		w := c.world()
		whole := b.load(w)
		ev, ctx := c.event(), c.context()
		if whole.Empty() {
			continue
		}
		facts := c.remembered(whole, ctx, ev)
		kept := b.loadKept(ev.Tool)
		want, got := Decide(whole, ctx, facts, ev), Decide(kept, ctx, facts, ev)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%s %s: %s, from the form %s\n%+v\n%+v\n%s", ev.Tool, ev.Args, want.Decision, got.Decision, want, got, w)
		}
		for i, l := range whole.Layers {
			less += len(l.Rules) - len(kept.Layers[i].Rules)
		}
		if want.Decision > Pass {
			stopped++
		}
	}
	if less == 0 || stopped == 0 {
		t.Errorf("%d rules were left out, %d calls stopped", less, stopped)
	}
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
