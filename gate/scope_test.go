package gate

import (
	"testing"
	"time"
)

// TestScopeAgent: what one context has shown opens nothing in another one: a
// sub-agent has not read what the session read.
func TestScopeAgent(t *testing.T) {
	gate := gateNamed("g", `needs = "f"`)
	m := newMemo(t, factNamed("f", fromGet, `scope = "agent"`)+gate)
	m.did(toolGet, `{}`, `1`).want("own", `{}`, "").in("a1").want("a sub-agent", `{}`, "g gate")
	m.did(toolGet, `{}`, `1`).want("that did it", `{}`, "").in("a2").want("another", `{}`, "g gate")
	m.in("").want("the session still", `{}`, "")

	m = newMemo(t, factNamed("f", fromGet, `scope = "agent"`)+gate).in("a1").did(toolGet, `{}`, `1`)
	m.in("").want("the session has not", `{}`, "g gate")

	m = newMemo(t, factNamed("f", fromGet)+gate).in("a1").did(toolGet, `{}`, `1`)
	m.in("").want("without a scope it is the session's", `{}`, "").in("a2").want("and every agent's", `{}`, "")

	m = newMemo(t, factNamed("f", fromGet, `scope = "agent"`, `invalidated_by = "spoil"`)+gate)
	m.did(toolGet, `{}`, `1`).in("a1").did(toolGet, `{}`, `1`).did("mcp__s__spoil", `{}`, `1`).want("stale", `{}`, "g gate")
	m.in("").want("stale for all", `{}`, "g gate")
}

// TestScopeAgentJoined: a record of another context neither opens nor hides.
func TestScopeAgentJoined(t *testing.T) {
	fact := factNamed("f", fromGet, sameID, `scope = "agent"`)
	m := newMemo(t, fact+requireNamed("r", `use = "f"`, `all = ['f.ok == true']`))
	m.did(toolGet, `{}`, `{"id":1,"ok":true}`).in("a1").did(toolGet, `{}`, `{"id":1,"ok":false}`)
	m.want("the sub-agent's", `{"id":1}`, "r deny").in("").want("the session's", `{"id":1}`, "")
	m.in("a2").want("none", `{"id":1}`, "r gate").want("no id", `{}`, "r gate")

	m = newMemo(t, fact+gateNamed("g", `unless = "f"`)).in("a1").did(toolGet, `{}`, `{"id":"2"}`)
	m.want("in doubt", `{"id":2}`, "g gate").want("no id", `{}`, "g gate")
	m.in("a2").want("in doubt for somebody else", `{"id":2}`, "").want("no id", `{}`, "")

	m = newMemo(t, factNamed("f", fromGet, `keep = "count"`, `scope = "agent"`)+requireNamed("r", `use = "f"`, `all = ['f == args.want']`))
	m.did(toolGet, `{}`, `1`).did(toolGet, `{}`, `1`).in("a1").did(toolGet, `{}`, `1`)
	m.want("one", `{"want":1}`, "").in("").want("two", `{"want":2}`, "").in("a2").want("none", `{"want":0}`, "")
}

// TestPromptMakesNothingStale: what a person says is no call, and "*" means calls.
func TestPromptMakesNothingStale(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, `invalidated_by = "*"`)+gateNamed("g", `needs = "f"`)+requireNamed("r", `all = ['user.text != "x"']`))
	m.did(toolGet, `{}`, `1`).said("go on").want("after a prompt", `{}`, "").did("mcp__s__any", `{}`, `1`).want("after a call", `{}`, "g gate")
}

// TestCompactedSince: what is still in the memory from before the conversation was
// shortened proves nothing, and is not counted.
func TestCompactedSince(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, `reset_on = ["compact"]`)+factNamed("n", fromGet, `keep = "count"`, `reset_on = ["compact"]`)+factNamed("all", fromGet, `keep = "count"`)+
		gateNamed("g", `needs = "f"`)+requireNamed("r", `use = ["n", "all"]`, `all = ['n == args.n', 'all == args.all']`))
	m.did(toolGet, `{}`, `1`).later(time.Second).did(toolGet, `{}`, `1`).want("before", `{"n":2,"all":2}`, "")
	m.compacted = m.now
	m.want("after", `{"n":0,"all":2}`, "g gate").later(time.Second).did(toolGet, `{}`, `1`).want("anew", `{"n":1,"all":3}`, "")
	m.compacted = time.Time{}
	m.want("as if nothing had been", `{"n":3,"all":3}`, "")
}
