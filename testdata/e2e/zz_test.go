package e2e

import (
	"testing"
	"strings"
)

func TestZZ(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newWorld(t, c)
		w.prepare()
		o := w.run(play{Script: Script{Main: []Call{lookup("structured"), lookup("text")}}})
		t.Log("WITHOUT", o.Told("main", 0), o.Told("main", 1))
		w = newInstalled(t, c)
		w.write(w.policy(), rulesPolicy)
		at := func(name, all string) {
			n := strings.Count(all, "first: until it has succeeded")
			i := strings.LastIndex(all, "first: until it has succeeded")
			if i < 0 { t.Log(name, "NONE", len(all)); return }
			t.Log(name, n, "times of", len(all), all[max(0, i-300):min(len(all), i+300)])
		}
		o = w.run(play{Script: Script{Main: []Call{c.shell(), getRules, c.shell()}}, Bypass: true})
		at("RUN1", o.Read("main", 0))
		o = w.run(play{Script: Script{Main: []Call{c.shell()}}, Resume: true, Bypass: true})
		at("RUN2", o.Read("main", 0))
		if c.name == "claude" {
			o = w.run(play{Prompt: "/compact", Resume: true})
		} else {
			o = w.run(play{Resume: true, Long: true})
		}
		for _, r := range o.requests { at("COMPACT", r) }
		o = w.run(play{Script: Script{Main: []Call{c.shell()}}, Resume: true, Bypass: true})
		at("RUN3", o.Read("main", 0))
		if c.name == "codex" { t.Log(o.Read("main", 0)[strings.Index(o.Read("main", 0), `"input":`):]) }
	})
}
