package gate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	fromGet  = `from = "mcp__s__get"`
	sameID   = `where = 'past.result.id == args.id'`
	toolGet  = "mcp__s__get"
	toolDo   = "mcp__s__do"
	toolEdit = "mcp__s__edit"
)

// TestKeepLatest: the newest result about the same thing, and no older one.
func TestKeepLatest(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, sameID)+requireNamed("r", `use = "f"`, `all = ['f.ok == true']`))
	m.want("nothing seen", `{"id":1}`, "r gate")
	m.did(toolGet, `{}`, `{"id":1,"ok":true}`).did(toolGet, `{}`, `{"id":2,"ok":false}`)
	m.want("seen", `{"id":1}`, "").want("another", `{"id":2}`, "r deny").want("a third", `{"id":3}`, "r gate")
	m.want("the same number", `{"id":1.0}`, "").want("a text", `{"id":"1"}`, "r gate").want("none", `{}`, "r gate").want("a list", `{"id":[1]}`, "r gate")
	m.did(toolGet, `{}`, `{"id":1,"ok":false}`).want("taken back", `{"id":1}`, "r deny")
	m.did(toolGet, `{}`, `{"id":1}`).want("no longer said", `{"id":1}`, "r unknown")
	m.failed(toolGet, `{}`).want("a failing look-up changes nothing", `{"id":2}`, "r deny")
}

// TestKeepOthers: how many, how much, and which.
func TestKeepOthers(t *testing.T) {
	m := newMemo(t, factNamed("n", fromGet, `keep = "count"`, `where = 'past.args.id == args.id'`)+
		factNamed("total", fromGet, `keep = "sum"`, `value = 'decimal(past.args.a)'`)+
		factNamed("list", fromGet, `keep = "all"`, `by = 'past.args.id'`, `value = 'past.args.a'`)+
		factNamed("each", fromGet, `keep = "all"`, `value = 'past.args.a'`)+
		requireNamed("r-n", `use = "n"`, `all = ['n == args.n']`)+requireNamed("r-sum", `use = "total"`, `all = ['total == decimal(args.sum)']`)+
		requireNamed("r-list", `use = "list"`, `all = ['list == args.list']`)+requireNamed("r-each", `use = "each"`, `all = ['len(each) == args.each']`))
	m.want("nothing is zero and empty", `{"id":1,"n":0,"sum":0,"list":[],"each":0}`, "")
	m.did(toolGet, `{"id":1,"a":"0.1"}`, `1`).did(toolGet, `{"id":1,"a":0.2}`, `1`).did(toolGet, `{"id":2,"a":3}`, `1`).failed(toolGet, `{"id":1,"a":5}`)
	m.want("exact", `{"id":1,"n":2,"sum":"3.3","list":[0.2,3],"each":3}`, "")
	m.want("for another", `{"id":2,"n":2,"sum":3.3,"list":[0.2,3],"each":3}`, "r-n deny")
	m.did(toolGet, `{"id":3,"a":"x"}`, `1`)
	m.want("a sum with what is no number", `{"id":3,"n":1,"sum":3.3,"list":[0.2,3,"x"],"each":4}`, "r-sum unknown")
}

// TestSameCallToldTwice: a result that is told again counts once.
func TestSameCallToldTwice(t *testing.T) {
	m := newMemo(t, factNamed("n", fromGet, `keep = "count"`)+requireNamed("r", `use = "n"`, `all = ['n == args.n']`))
	ev := finished(toolGet, `{}`, `1`)
	ev.ToolUseID = "same"
	m.learn(ev).later(time.Second).learn(ev).want("twice", `{"n":1}`, "")
	ev.Args = []byte(`{"a":1}`)
	m.learn(ev).want("other arguments", `{"n":2}`, "")
	ev.ToolUseID = ""
	m.learn(ev).later(time.Second).learn(ev).want("without an id", `{"n":4}`, "")
}

// TestChainOfFacts: a fact that is joined to a fact that is joined to the call.
func TestChainOfFacts(t *testing.T) {
	tables := []string{
		factNamed("order", `from = "mcp__s__order"`, `where = 'past.result.id == args.order'`),
		factNamed("owner", `from = "mcp__s__user"`, `where = 'past.args.id == order.user'`),
		factNamed("bank", `from = "mcp__s__bank"`, `where = 'past.result.id == owner.bank and past.result.open == true'`, `value = 'past.result.limit'`),
		requireNamed("r", `use = ["bank"]`, `all = ['args.amount <= bank']`),
		gateNamed("g", `needs = ["order"]`),
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
		text := ""
		for _, i := range order {
			text += tables[i]
		}
		m := newMemo(t, text)
		m.did("mcp__s__order", `{}`, `{"id":"O","user":"U"}`).did("mcp__s__bank", `{}`, `{"id":"B","open":true,"limit":10}`)
		m.want("a link is missing", `{"order":"O","amount":1}`, "r gate")
		m.did("mcp__s__user", `{"id":"U"}`, `{"bank":"B"}`)
		m.want("whole", `{"order":"O","amount":10}`, "").want("too much", `{"order":"O","amount":11}`, "r deny")
		m.want("another order", `{"order":"P","amount":1}`, "g gate, r gate")
		m.did("mcp__s__user", `{"id":"U"}`, `{"bank":"C"}`).want("another bank", `{"order":"O","amount":1}`, "r gate")
		m.did("mcp__s__bank", `{}`, `{"id":"C","open":false,"limit":99}`).want("closed", `{"order":"O","amount":1}`, "r gate")
	}
}

// TestFactsThatNeedThemselves are a fault of the policy: check finds it, and what asks
// for them is denied.
func TestFactsThatNeedThemselves(t *testing.T) {
	set := mustParse(t, factNamed("a", fromGet, `where = 'past.result.id == b.id'`)+factNamed("b", fromGet, `where = 'past.result.id == a.id'`)+
		requireNamed("r", `use = "a"`, `missing = "skip"`, `all = ['a.id == 1']`))
	if problems := set.Layers[0].Expressions(); len(problems) != 2 || !strings.Contains(problems.Error(), `the fact "a" needs itself`) {
		t.Errorf("check says %v", problems)
	}
	v := Decide(set, Context{}, Facts{Now: time.Unix(1e9, 0)}, pre(toolDo, `{}`))
	if v.Decision != Deny || v.Findings[0].ID != rulePolicy || !strings.Contains(v.Findings[0].Message, "policy.toml:2") {
		t.Errorf("%+v", v)
	}
}

// TestTTL: evidence ends with its time, in every way of keeping it.
func TestTTL(t *testing.T) {
	for keep, value := range map[string]string{"latest": `f == 1`, "count": `f == 1`, "sum": `f == 1`, "all": `f == [1]`} {
		m := newMemo(t, factNamed("f", fromGet, `keep = "`+keep+`"`, `value = 'past.result'`, `ttl = "1h"`, `optional = true`)+
			requireNamed("r", `use = "f"`, `missing = "skip"`, `all = ['args.fresh == ((`+value+`) ?? false)']`))
		m.did(toolGet, `{}`, `1`)
		m.later(time.Hour-1).want(keep+" just before", `{"fresh":true}`, "")
		gone := `{"fresh":false}`
		if keep == "latest" {
			m.later(1).want("latest is absent", gone, "r unknown")
			continue
		}
		m.later(1).want(keep+" at the end", gone, "")
		m.later(-3*time.Hour).want(keep+" from the future", gone, "")
	}
}

// TestInvalidatedBy: what was seen before a call of these is stale.
func TestInvalidatedBy(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, sameID, `invalidated_by = ["edit"]`)+factNamed("n", fromGet, `keep = "count"`, `invalidated_by = ["edit"]`)+
		gateNamed("g", `needs = "f"`)+gateNamed("g-n", `needs = "n"`))
	see := func() { m.did(toolGet, `{}`, `{"id":1}`) }
	see()
	m.want("seen", `{"id":1}`, "").did("mcp__other__look", `{}`, `1`).want("another call", `{"id":1}`, "")
	m.did(toolEdit, `{}`, `1`).want("edited", `{"id":1}`, "g gate, g-n gate")
	see()
	m.want("seen again", `{"id":1}`, "").did("mcp__other__EDIT", `{}`, `1`).want("any server's", `{"id":1}`, "g gate, g-n gate")
	see()
	stopped := finished(toolEdit, `{}`, `1`)
	stopped.Stopped = true
	m.learn(stopped).want("it was stopped", `{"id":1}`, "g gate, g-n gate")
}

// TestFactFeedsAndSpoils: a call that does both leaves its own result.
func TestFactFeedsAndSpoils(t *testing.T) {
	m := newMemo(t, factNamed("f", `from = ["mcp__s__get", "mcp__s__edit"]`, sameID, `invalidated_by = ["edit"]`)+gateNamed("g", `needs = "f"`))
	m.did(toolGet, `{}`, `{"id":1}`).did(toolEdit, `{}`, `{"id":2}`)
	m.want("before", `{"id":1}`, "g gate").want("its own", `{"id":2}`, "")
}

// TestOptional: an optional fact that is not there closes no requirement.
func TestOptional(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, sameID, `value = 'past.result.cabin'`, `optional = true`)+
		requireNamed("r", `use = "f"`, `all = ['(f ?? "none") == args.cabin']`)+requireNamed("plain", `use = "f"`, `if = 'args.plain == true'`, `all = ['f == "x"']`))
	m.want("absent", `{"id":1,"cabin":"none","plain":false}`, "").want("absent is equal to nothing", `{"id":1,"cabin":"none","plain":true}`, "plain unknown")
	m.did(toolGet, `{}`, `{"id":1,"cabin":"x"}`).want("there", `{"id":1,"cabin":"x","plain":true}`, "")
	m.did(toolGet, `{}`, `{"id":1}`).want("there without the value", `{"id":1,"cabin":"none","plain":false}`, "")
	// In a gate an optional fact must be there like any other.
	m = newMemo(t, factNamed("f", fromGet, `optional = true`)+gateNamed("g", `needs = "f"`))
	m.want("gate", `{}`, "g gate").did(toolGet, `{}`, `1`).want("gate open", `{}`, "")
}

// TestRecordsKeepWhatIsRead: nothing but the members that some expression reads is
// written down.
func TestRecordsKeepWhatIsRead(t *testing.T) {
	const args, result = `{"id":1,"secret":"S-1","x":{"y":"S-2"}}`, `{"id":1,"secret":"S-3","ok":true,"deep":{"a":1,"b":"kept"}}`
	tests := map[string]struct{ policy, keeps, lacks string }{
		"where":           {factNamed("f", fromGet, sameID), `{"id":1}`, "S-"},
		"where and use":   {factNamed("f", fromGet, sameID) + requireNamed("r", `use = "f"`, `all = ['f.ok == true']`), `"ok":true`, "S-"},
		"value":           {factNamed("f", fromGet, `value = 'past.result.deep.a'`), `"b":"kept"`, "S-"},
		"count":           {factNamed("f", fromGet, `keep = "count"`, `where = 'past.args.id == args.id'`), `"args":{"id":1}`, "S-"},
		"optional member": {factNamed("f", fromGet, sameID) + requireNamed("r", `use = "f"`, `all = ['(f?.ok ?? false) == true']`), `"ok":true`, "S-"},
		"by":              {factNamed("f", fromGet, `keep = "all"`, `by = 'past.args.id'`, `value = 'past.result.ok'`), `"args":{"id":1}`, "S-"},
		"whole result":    {factNamed("f", fromGet) + requireNamed("r", `use = "f"`, `all = ['len(f) == 4']`), `S-3`, "S-1"},
		"other fact":      {factNamed("f", fromGet, sameID) + factNamed("g", `from = "mcp__s__x"`, `where = 'past.args.a == f.ok'`), `"ok":true`, "S-"},
		"nothing is read": {factNamed("f", fromGet) + gateNamed("g", `needs = "f"`), `"args":{},"result":{}`, "S-"},
	}
	for name, tt := range tests {
		m := newMemo(t, tt.policy).did(toolGet, args, result)
		maps.DeleteFunc(m.evidence, func(_ string, kept []byte) bool { return !strings.Contains(string(kept), `"at":`) })
		for key, kept := range m.evidence {
			if text := string(kept); !strings.Contains(text, tt.keeps) || strings.Contains(text, tt.lacks) {
				t.Errorf("%s: %s keeps %s", name, key, text)
			}
		}
		if len(m.evidence) != 1 {
			t.Errorf("%s: %d records", name, len(m.evidence))
		}
	}
}

// TestUnprovenResults: what is no sound result is no evidence, and says so.
func TestUnprovenResults(t *testing.T) {
	const gateOnF = "[[gate]]\nid = \"g\"\ntools = \"do\"\nneeds = \"f\"\n"
	for name, response := range map[string]string{
		"twice the same key": `"{\"id\":1,\"id\":1}"`,
		"an error":           `{"isError":true,"id":1}`,
		"folded siblings":    `{"id":1,"ID":1}`,
		"another id":         `{"id":2}`,
		"no id":              `{}`,
		"nothing":            `null`,
		"a list":             `[{"id":1}]`,
	} {
		newMemo(t, factNamed("f", fromGet, sameID)+gateOnF).did(toolGet, `{}`, response).want(name, `{"id":1}`, "g gate")
	}
	large := `{"id":1,"note":"` + strings.Repeat("x", maxKept) + `"}`
	m := newMemo(t, factNamed("f", fromGet, sameID)+gateOnF+requireNamed("r", `use = "f"`, `missing = "skip"`, `all = ['f.note == "x"']`))
	m.did(toolGet, `{}`, `{"id":1,"note":"x"}`).want("small", `{"id":1}`, "")
	m.did(toolGet, `{}`, large).want("too large", `{"id":1}`, "g gate, r unknown")
	if !slices.ContainsFunc(m.notes, func(n string) bool { return strings.Contains(n, "too large") }) {
		t.Errorf("nothing is said of it: %q", m.notes)
	}
}
