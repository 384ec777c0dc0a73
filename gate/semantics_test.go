package gate

import (
	"fmt"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

// semantic is one rule of behaviour of the tool rules that this language was
// compared with, and what ours does in the same place.
type semantic struct {
	name, theirs string
	ours         sample
	differs      bool
	why          string // filled exactly if ours differs from theirs
}

// sample is a policy, a call and what comes of it.
type sample struct {
	managed, repo string // the text of each layer; an empty one is not there
	tool, args    string // Read and {} if empty
	change        func(*hooks.Event)
	want          string // "deny unlisted", or "error: " and a part of the message
	says          string // a part of the explanation
}

// rule writes a [[rule]] whose id is its effect.
func rule(effect string, lines ...string) string { return ruleNamed(effect, effect, lines...) }

func ruleNamed(id, effect string, lines ...string) string {
	return fmt.Sprintf("[[rule]]\nid = %q\neffect = %q\n%s\n", id, effect, strings.Join(lines, "\n"))
}

const (
	read      = `match = { tool = "Read" }`
	anything  = `match = { tool = "*" }`
	allowlist = "default = \"deny\"\n"
	payments  = "[[tool]]\nname = \"mcp__pay__refund\"\ntags = [\"money\"]\noperation = \"send\"\nrisk = \"medium\"\nexposure = \"deferred\"\n"
	refund    = "mcp__pay__refund"
)

// arg matches every tool and one argument.
func arg(test string) string { return `match = { tool = "*", arg = [{ ` + test + ` }] }` }

// TestSemantics goes through everything that the compared language says.
func TestSemantics(t *testing.T) {
	seen := map[string]bool{}
	for _, group := range [][]semantic{ruleSemantics, effectSemantics, surfaceSemantics, matchSemantics, argSemantics,
		globSemantics, surroundingSemantics, layerSemantics, answerSemantics} {
		for _, s := range group {
			if s.name == "" || s.theirs == "" || seen[s.name] {
				t.Errorf("%q has no name of its own or does not say what theirs does", s.name)
			}
			seen[s.name] = true
			t.Run(s.name, s.check)
		}
	}
}

func (s semantic) check(t *testing.T) {
	if s.differs != (s.why != "") {
		t.Errorf("differs is %v and why is %q", s.differs, s.why)
	}
	set, err := s.ours.set()
	if message, ok := strings.CutPrefix(s.ours.want, "error: "); ok || err != nil {
		if !ok || err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("got the error %v, want %q", err, s.ours.want)
		}
		return
	}
	got, said := s.ours.judge(set)
	if got != s.ours.want || !strings.Contains(said, s.ours.says) {
		t.Errorf("got %q, want %q with %q:\n%s", got, s.ours.want, s.ours.says, said)
	}
}

func (s sample) set() (*policy.Set, error) {
	set := &policy.Set{}
	for _, layer := range []struct{ name, text string }{{policy.Managed, s.managed}, {policy.Repo, s.repo}} {
		if layer.text == "" {
			continue
		}
		l, err := policy.Parse(layer.name, "/"+layer.name, []byte("version = 1\n"+layer.text))
		if err != nil {
			return nil, err
		}
		set.Layers = append(set.Layers, l)
	}
	return set, nil
}

func (s sample) event() hooks.Event {
	ev := pre("Read", "{}")
	if s.tool != "" {
		ev.Tool = s.tool
	}
	switch s.args {
	case "":
	case "none":
		ev.Args = nil
	default:
		ev.Args = []byte(s.args)
	}
	if s.change != nil {
		s.change(&ev)
	}
	return ev
}

// judge gives the decision with the tool's visibility, and all that is said of
// it. Nothing here needs memory, so every way of judging must agree.
func (s sample) judge(set *policy.Set) (got, said string) {
	ev, ctx, listed := s.event(), Context{Env: func(string) string { return "" }}, "listed"
	for _, l := range set.Layers {
		if len(Unlisted(l, ev)) > 0 {
			listed = "unlisted"
		}
	}
	e, decided := Explain(set, ctx, Facts{}, ev), Decide(set, ctx, Facts{}, ev)
	got = Screen(set, ctx, ev).Decision.String()
	if decided.Decision.String() != got || e.Verdict.Decision.String() != got || (len(e.Unlist) > 0) != (listed == "unlisted") {
		got += ", and otherwise elsewhere"
	}
	said = "visible " + e.Visible() + "; callable " + e.Callable() + "; approval " + e.Approval()
	for _, f := range e.Verdict.Findings {
		said += fmt.Sprintf("; by %s of %s at %s:%d", f.ID, f.Layer, f.File, f.Line)
	}
	return got + " " + listed, said + "\n" + e.Verdict.Reply().Reason
}
