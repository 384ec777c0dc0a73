package gate

import (
	"fmt"
	"strings"
	"testing"
)

// TestGateForms: needs, any_of, unless and where.
func TestGateForms(t *testing.T) {
	facts := factNamed("a", `from = "mcp__s__a"`) + factNamed("b", `from = "mcp__s__b"`) + factNamed("n", `from = "mcp__s__c"`, `keep = "count"`) +
		factNamed("l", `from = "mcp__s__c"`, `keep = "all"`) + factNamed("f", `from = "mcp__s__f"`, sameID)
	tests := []struct {
		name, gate string
		done       string // tools
		open       bool
	}{
		{"needs both", `needs = ["a", "b"]`, "a b", true},
		{"needs both, has one", `needs = ["a", "b"]`, "b", false},
		{"any of", `any_of = ["a", "b"]`, "b", true},
		{"any of none", `any_of = ["a", "b"]`, "c", false},
		{"needs and any of", "needs = \"a\"\nany_of = [\"b\", \"n\"]", "a c", true},
		{"needs and any of, not the one", "needs = \"a\"\nany_of = [\"b\", \"n\"]", "b c", false},
		{"needs and any of, not the other", "needs = \"a\"\nany_of = [\"b\", \"n\"]", "a", false},
		{"unless", `unless = "a"`, "", true},
		{"unless, proved", `unless = "a"`, "a", false},
		{"unless one of two", `unless = ["a", "b"]`, "b", false},
		{"needs unless", "needs = \"a\"\nunless = \"b\"", "a", true},
		{"needs unless, proved", "needs = \"a\"\nunless = \"b\"", "a b", false},
		{"a count of none", `needs = "n"`, "", false},
		{"a count", `needs = "n"`, "c", true},
		{"an empty list", `needs = "l"`, "a", false},
		{"a list", `needs = "l"`, "c", true},
		{"unless a count of none", `unless = "n"`, "a", true},
		{"unless a count", `unless = "n"`, "c", false},
		{"where", "needs = \"f\"\nwhere = 'f.ok == true'", "f", true},
		{"where is false", "needs = \"f\"\nwhere = 'f.ok == false'", "f", false},
		{"where is unknown", "needs = \"f\"\nwhere = 'f.other == 1'", "f", false},
		{"where over the arguments", "needs = \"a\"\nwhere = 'args.id == 1'", "a", true},
		{"where over the arguments, false", "needs = \"a\"\nwhere = 'args.id == 2'", "a", false},
		{"where of any of", "any_of = [\"a\", \"f\"]\nwhere = '(f?.ok ?? false) == true'", "f", true},
		{"where of any of, absent", "any_of = [\"a\", \"f\"]\nwhere = '(f?.ok ?? false) == true'", "a", false},
	}
	for _, tt := range tests {
		m := newMemo(t, facts+gateNamed("g", tt.gate))
		for _, tool := range strings.Fields(tt.done) {
			m.did("mcp__s__"+tool, `{}`, `{"id":1,"ok":true}`)
		}
		want := "g gate"
		if tt.open {
			want = ""
		}
		m.want(tt.name, `{"id":1}`, want)
	}
}

// TestClosedGate is a denial that names what to call; one that only something undone
// would open cannot be tried again.
func TestClosedGate(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet)+gateNamed("g", `needs = "f"`)+requireNamed("r", `use = "f"`))
	for _, f := range m.judge(toolDo, `{}`, "t").Findings {
		if f.Decision != Deny || !f.Retryable || f.Required != toolGet || f.Message == "" {
			t.Errorf("%+v", f)
		}
	}
	m = newMemo(t, factNamed("f", fromGet)+gateNamed("g", `unless = "f"`)).did(toolGet, `{}`, `1`)
	if v := m.judge(toolDo, `{}`, "t"); v.Decision != Deny || v.Findings[0].Retryable {
		t.Errorf("%+v", v)
	}
}

// TestMaxUses: a proof carries so many calls.
func TestMaxUses(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, sameID, `max_uses = 1`)+gateNamed("g", `needs = "f"`)+"[[limit]]\nid = \"l\"\ntools = \"do\"\namount = \"a\"\nmax = \"5\"\n")
	use := func(id, args, want string) {
		t.Helper()
		if got := saidOf(m.judge(toolDo, args, id)); got != want {
			t.Errorf("%s %s: got %q, want %q", id, args, got, want)
		}
	}
	m.did(toolGet, `{}`, `{"id":1}`).did(toolGet, `{}`, `{"id":2}`)
	use("c1", `{"id":1,"a":9}`, "l deny") // a denied call uses nothing
	use("c2", `{"id":1,"a":1}`, "")
	use("c2", `{"id":1,"a":1}`, "") // the same call is announced again
	use("c2", `{"id":1,"a":2}`, "g gate")
	use("c3", `{"id":1,"a":1}`, "g gate")
	use("c3", `{"id":2,"a":1}`, "") // another proof
	m.failed(toolGet, `{"id":1}`)
	use("c4", `{"id":1,"a":1}`, "g gate")

	m = newMemo(t, factNamed("f", fromGet, `max_uses = 3`)+gateNamed("g", `needs = "f"`)).did(toolGet, `{}`, `1`)
	for i, want := range []string{"", "", "", "g gate", "g gate"} {
		use(fmt.Sprint("c", i), `{}`, want)
	}
}

// TestMaxUsesOfCallsWithoutID: each of them is a call of its own.
func TestMaxUsesOfCallsWithoutID(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, `max_uses = 1`)+gateNamed("g", `needs = "f"`)).did(toolGet, `{}`, `1`)
	if got := saidOf(m.judge(toolDo, `{}`, "")); got != "" {
		t.Error(got)
	}
	if got := saidOf(m.later(1).judge(toolDo, `{}`, "")); got != "g gate" {
		t.Error(got)
	}
}

// TestMaxUsesIsWritten: what may use a proof up says so before the memory is opened.
func TestMaxUsesIsWritten(t *testing.T) {
	fact := factNamed("f", fromGet, `max_uses = 1`)
	for name, table := range map[string]string{
		"needs": gateNamed("g", `needs = "f"`), "any_of": gateNamed("g", `any_of = "f"`), "use": requireNamed("r", `use = "f"`),
	} {
		m := newMemo(t, fact+table).did(toolGet, `{}`, `1`)
		needs := Required(m.set, Context{}, pre(toolDo, `{}`))
		if v := m.judge(toolDo, `{}`, "t"); !needs.Any || len(v.Uses) != 1 || !needs.Uses {
			t.Errorf("%s: needs %+v, uses %v", name, needs, v.Uses)
		}
	}
	if needs := Required(mustParse(t, fact+gateNamed("g", `needs = "f"`)), Context{}, pre("mcp__s__other", `{}`)); needs.Any || needs.Uses {
		t.Errorf("another tool needs %+v", needs)
	}
}
