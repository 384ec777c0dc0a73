package gate

import (
	"fmt"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

// TestFreshProofOpensAgain: a new result carries calls of its own.
func TestFreshProofOpensAgain(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, sameID, `max_uses = 1`)+gateNamed("g", `needs = "f"`))
	m.did(toolGet, `{}`, `{"id":1}`).want("first", `{"id":1}`, "").want("used up", `{"id":1}`, "g gate")
	m.did(toolGet, `{}`, `{"id":1}`).want("fresh", `{"id":1}`, "").want("used up again", `{"id":1}`, "g gate")
	again := finished(toolGet, `{}`, `{"id":1}`)
	again.ToolUseID = "again"
	m.learn(again).want("a third", `{"id":1}`, "").later(1).learn(again).want("the third is told again", `{"id":1}`, "g gate")
}

// TestUseThroughAFact: a proof that another fact reads is used up, too, and the
// memory is opened to write that down.
func TestUseThroughAFact(t *testing.T) {
	once := factNamed("once", fromGet, `max_uses = 1`)
	for name, tables := range map[string]string{
		"where of a fact": factNamed("g2", `from = "mcp__s__x"`, `where = 'past.result.id == once.id'`) + gateNamed("g", `needs = "g2"`),
		"unless":          factNamed("g2", `from = "mcp__s__y"`) + gateNamed("g", "needs = \"once\"\nunless = \"g2\"") + gateNamed("h", `unless = "g2"`),
		"only unless":     gateNamed("g", `unless = "once"`),
	} {
		m := newMemo(t, once+tables).did(toolGet, `{}`, `{"id":1}`).did("mcp__s__x", `{}`, `{"id":1}`)
		uses := m.judge(toolDo, `{}`, "t").Uses
		if needs := Required(m.set, Context{}, pre(toolDo, `{}`)); len(uses) > 0 && !needs.Uses {
			t.Errorf("%s: %d uses, but the memory is opened to be read", name, len(uses))
		}
	}
}

// TestUndecidedUnless: a gate that a fact closes is no gate if that fact cannot be
// decided.
func TestUndecidedUnless(t *testing.T) {
	m := newMemo(t, factNamed("frozen", fromGet, `where = 'past.result.id == args.id and past.result.frozen == true'`)+gateNamed("g", `unless = "frozen"`))
	m.did(toolGet, `{}`, `{"id":"C","frozen":true}`).want("frozen", `{"id":"C"}`, "g gate").want("another", `{"id":"D"}`, "")
	for _, args := range []string{`{}`, `{"id":null}`, `{"id":["C"]}`, `{"id":"C","ID":"D"}`} {
		if v := m.judge(toolDo, args, "t"); v.Decision == Pass {
			t.Errorf("%s passes", args)
		}
	}
}

// TestUndecidedCount: a record that can neither be counted nor left out makes the
// count unknown.
func TestUndecidedCount(t *testing.T) {
	m := newMemo(t, factNamed("n", fromGet, `keep = "count"`, `where = 'past.args.id == args.id'`)+requireNamed("r", `use = "n"`, `all = ['n == 0']`))
	m.did(toolGet, `{"id":"C"}`, `1`).want("counted", `{"id":"C"}`, "r deny").want("another", `{"id":"D"}`, "")
	m.want("a list", `{"id":["C"]}`, "r unknown").want("none", `{}`, "r unknown").want("two", `{"id":"C","Id":"D"}`, "r unknown")
}

// TestTooLargeIsCounted: a record that is too large is still a call.
func TestTooLargeIsCounted(t *testing.T) {
	m := newMemo(t, factNamed("n", fromGet, `keep = "count"`, `where = 'past.args.note != "x"'`)+requireNamed("r", `use = "n"`, `all = ['n == 0']`))
	m.did(toolGet, `{"note":"`+strings.Repeat("y", maxKept)+`"}`, `1`)
	if v := m.judge(toolDo, `{}`, "t"); v.Decision == Pass {
		t.Error("the call was not counted")
	}
}

// TestStaleAfterAnOddEnd: a call that went well makes what was seen stale, whatever
// its result is good for; and so does one that may have gone well.
func TestStaleAfterAnOddEnd(t *testing.T) {
	text := factNamed("f", fromGet, `invalidated_by = "edit"`) + gateNamed("g", `needs = "f"`)
	for name, response := range map[string]string{
		"twice the same key": `"{\"id\":1,\"id\":1}"`, "in the background": `{"backgroundTaskId":"1"}`, "interrupted": `{"interrupted":true}`, "nothing": `null`,
	} {
		newMemo(t, text).did(toolGet, `{}`, `1`).did(toolEdit, `{}`, response).want(name, `{}`, "g gate")
	}
	for _, text2 := range []string{"Connection closed", "timeout", "503"} {
		m := newMemo(t, text).did(toolGet, `{}`, `1`)
		m.learn(hooks.Event{Kind: hooks.PostToolUseFailure, Client: "claude", Tool: toolEdit, ToolUseID: "e", Error: text2}).want("failed: "+text2, `{}`, "g gate")
	}
}

// TestRingOfFacts: facts that read each other say the same in every order, or are
// refused.
func TestRingOfFacts(t *testing.T) {
	a := factNamed("a", fromGet, `where = 'past.result.id == 1 or b.id == 2'`)
	b := factNamed("b", fromGet, `where = 'a.id == 1'`)
	first, second := requireNamed("r-a", `use = "a"`), requireNamed("r-b", `use = "b"`)
	var said []string
	for _, text := range []string{a + b + first + second, a + b + second + first} {
		layer, err := policy.Parse("repo", "/p", []byte("version = 1\n"+text))
		if err != nil || len(layer.Expressions()) > 0 {
			return // refused
		}
		m := newMemo(t, text).did(toolGet, `{}`, `{"id":1}`)
		said = append(said, saidOf(m.judge(toolDo, `{}`, "t")))
	}
	if said[0] != said[1] {
		t.Errorf("one order says %q and the other %q", said[0], said[1])
	}
}

// TestFactNamedLikeAName: a fact cannot have a name that means something already.
func TestFactNamedLikeAName(t *testing.T) {
	for _, id := range []string{"user", "args", "tool", "now", "client", "past"} {
		text := factNamed(id, fromGet) + requireNamed("r", fmt.Sprintf("use = %q\nall = ['%s.ok == true']", id, id))
		layer, err := policy.Parse("repo", "/p", []byte("version = 1\n"+text))
		if err == nil && len(layer.Expressions()) == 0 {
			t.Errorf("a fact can be called %s, and its requirement reads something else", id)
		}
	}
}
