package e2e

import (
	"slices"
	"strings"
	"testing"
)

// approvals are ways in which a client can come to run a call, and what becomes of it.
var approvals = map[string]struct {
	play
	asked int // how often a person is asked
	sent  int // how many letters reach the server
}{
	"allowed":           {play{}, 0, 1},
	"allowed, a person": {play{Person: "decline"}, 0, 1},
	"prompt, nobody":    {play{Approval: "prompt"}, 0, 0},
	"auto, nobody":      {play{Approval: "auto"}, 0, 0},
	"prompt, declined":  {play{Approval: "prompt", Person: "decline"}, 1, 0},
	"auto, declined":    {play{Approval: "auto", Person: "decline"}, 1, 0},
	"prompt, approved":  {play{Approval: "prompt", Person: "approve"}, 1, 1},
	"auto, approved":    {play{Approval: "auto", Person: "approve"}, 1, 1},
}

// unapproved is what the clients say of a call that nobody has approved.
var unapproved = map[string]string{
	"claude":         "but you haven't granted it yet",
	"claude decline": "The person declined.",
	"codex":          "MCP tool call requires approval, but approval policy is never",
	"codex decline":  "user rejected MCP tool call",
}

// TestApproval: taking the claim out waives no approval that the client wants. Who is
// asked sees the call as it will run.
func TestApproval(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		for name, a := range approvals {
			t.Run(name, func(t *testing.T) { newClaims(t, c).checkApproval(a.play, a.asked, a.sent) })
			if c.name == "codex" {
				a.CodeMode = true
				t.Run(name+", in code", func(t *testing.T) { newClaims(t, c).checkApproval(a.play, a.asked, a.sent) })
			}
		}
	})
}

func (w *world) checkApproval(p play, asked, sent int) {
	w.Helper()
	p.Main = []Call{send(desk)}
	o := w.run(p)
	want := "taken"
	if sent == 0 {
		want = unapproved[strings.TrimSpace(w.client.name+" "+p.Person)]
	}
	if told := o.Told("main", 0); !says(told, want) {
		w.Errorf("the model was told %q", told)
	}
	w.checkLetters(sent)
	w.checkAsked(o, asked)
}

// What the model is told of a call that needs a review.
const (
	willAsk   = "needs review (rule claims, repo policy)"
	cannotAsk = `"message":"needs review`
)

// TestReview: a person is asked about what needs a review, once, in plain words, and
// after an approval it runs without its claim. Where no hook can ask, which is
// everywhere in Codex, it is refused.
func TestReview(t *testing.T) {
	reviews := map[string]struct {
		play
		told        string // on Claude Code
		asked, sent int
	}{
		"nobody":         {play{}, willAsk, 0, 0},
		"bypass":         {play{Bypass: true}, cannotAsk, 0, 0},
		"declined":       {play{Person: "decline"}, "The person declined.", 1, 0},
		"approved":       {play{Person: "approve"}, "taken", 1, 1},
		"approved twice": {play{Person: "approve", Approval: "prompt"}, "taken", 1, 1},
	}
	eachClient(t, func(t *testing.T, c client) {
		for name, r := range reviews {
			t.Run(name, func(t *testing.T) {
				w := newClaims(t, c)
				if c.name == "codex" {
					r.told, r.asked, r.sent = cannotAsk, 0, 0
				}
				r.Main = []Call{send(desk, with("uncertainty", "high"))}
				o := w.run(r.play)
				if told := o.Told("main", 0); !says(told, r.told) || revealing.MatchString(told) {
					t.Errorf("the model was told %q", told)
				}
				w.checkLetters(r.sent)
				w.checkAsked(o, r.asked)
			})
		}
	})
}

// checkAsked checks how often a person was asked: about the letter, without a claim.
func (w *world) checkAsked(o outcome, want int) {
	w.Helper()
	asked := slices.Concat(o.asked, w.received("approve"), w.received("decline"))
	if len(asked) != want {
		w.Errorf("a person was asked %d times, want %d", len(asked), want)
	}
	for _, question := range asked {
		if !says(question, desk) || says(question, "schema_version") {
			w.Errorf("a person was asked %q", question)
		}
	}
}
