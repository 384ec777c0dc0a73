package gate

import (
	"strings"
	"testing"

	"gatewright/hooks"
)

// TestRequireForms: if, all, any, else and missing, with each of the three values.
func TestRequireForms(t *testing.T) {
	fact := factNamed("f", fromGet, sameID)
	tests := []struct{ name, table, args, want string }{
		{"all true", `all = ['args.a == 1', 'args.b == 1']`, `{"a":1,"b":1}`, ""},
		{"all false", `all = ['args.a == 1', 'args.b == 1']`, `{"a":1,"b":2}`, "r deny"},
		{"all unknown", `all = ['args.a == 1', 'args.b == 1']`, `{"a":1}`, "r unknown"},
		{"all false and unknown", `all = ['args.a == 1', 'args.b == 1']`, `{"b":2}`, "r deny"},
		{"any true", `any = ['args.a == 1', 'args.b == 1']`, `{"a":2,"b":1}`, ""},
		{"any false", `any = ['args.a == 1', 'args.b == 1']`, `{"a":2,"b":2}`, "r deny"},
		{"any unknown", `any = ['args.a == 1', 'args.b == 1']`, `{"a":2}`, "r unknown"},
		{"any true and unknown", `any = ['args.a == 1', 'args.b == 1']`, `{"b":1}`, ""},
		{"any unknown and true", `any = ['args.a == 1', 'args.b == 1']`, `{"a":1}`, ""},
		{"all and any", "all = ['args.a == 1']\nany = ['args.b == 1']", `{"a":1,"b":2}`, "r deny"},
		{"all unknown, any false", "all = ['args.a == 1']\nany = ['args.b == 1']", `{"b":2}`, "r deny"},
		{"all unknown, any true", "all = ['args.a == 1']\nany = ['args.b == 1']", `{"b":1}`, "r unknown"},
		{"if false", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"c":2,"a":2}`, ""},
		{"if true", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"c":1,"a":2}`, "r deny"},
		{"if unknown, met", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"a":1}`, ""},
		{"if unknown, not met", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"a":2}`, "r unknown"},
		{"if unknown, unknown", "if = 'args.c == 1'\nall = ['args.a == 1']", `{}`, "r unknown"},
		{"if true, unknown", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"c":1}`, "r unknown"},
		{"if false, unknown", "if = 'args.c == 1'\nall = ['args.a == 1']", `{"c":2}`, ""},
		{"else ask", "all = ['args.a == 1']\nelse = \"ask\"", `{"a":2}`, "r ask"},
		{"else ask, unknown", "all = ['args.a == 1']\nelse = \"ask\"", `{}`, "r unknown"},
		{"else deny", "all = ['args.a == 1']\nelse = \"deny\"", `{"a":2}`, "r deny"},
		{"missing", `use = "f"`, `{"id":9}`, "r gate"},
		{"missing gate", "use = \"f\"\nmissing = \"gate\"", `{"id":9}`, "r gate"},
		{"missing skip", "use = \"f\"\nmissing = \"skip\"\nall = ['f.a == 1']", `{"id":9}`, ""},
		{"missing ask", "use = \"f\"\nmissing = \"ask\"\nall = ['f.a == 1']", `{"id":9}`, "r ask"},
		{"missing and if false", "use = \"f\"\nif = 'args.c == 1'\nall = ['f.a == 1']", `{"id":9,"c":2}`, ""},
		{"missing else ask", "use = \"f\"\nall = ['f.a == 1']\nelse = \"ask\"", `{"id":9}`, "r gate"},
		{"there", "use = \"f\"\nmissing = \"skip\"\nall = ['f.a == 1']", `{"id":1}`, ""},
		{"there and false", "use = \"f\"\nmissing = \"skip\"\nall = ['f.a == 2']", `{"id":1}`, "r deny"},
		{"there without the member", "use = \"f\"\nmissing = \"skip\"\nall = ['f.z == 2']", `{"id":1}`, "r unknown"},
		{"no arguments", `all = ['args.a == 1']`, ``, "r unknown"},
		{"arguments are a list", `all = ['args.a == 1']`, `[1]`, "r unknown"},
		{"the value of a text", `all = ['args.a']`, `{"a":"true"}`, "r unknown"},
	}
	for _, tt := range tests {
		newMemo(t, fact+requireNamed("r", tt.table)).did(toolGet, `{}`, `{"id":1,"a":1}`).want(tt.name, tt.args, tt.want)
	}
}

// TestUndecidedAsks: what cannot be decided is a question, and a denial where nobody
// can be asked.
func TestUndecidedAsks(t *testing.T) {
	set, ev := mustParse(t, requireNamed("r", `all = ['args.a == 1']`, `reason = "Only one."`, `redirect = "mcp__s__person"`)), pre(toolDo, `{}`)
	v := Screen(set, Context{}, ev)
	if r := v.Reply(); r.Answer != hooks.Ask || !strings.Contains(r.Reason, "Only one.") || v.Findings[0].Detail == "" {
		t.Errorf("%+v", v)
	}
	ev.CanAsk = false
	if r := Screen(set, Context{}, ev).Reply(); r.Answer != hooks.Deny || !strings.Contains(r.Reason, `"redirectTool":"mcp__s__person"`) {
		t.Errorf("%+v", r)
	}
}

// TestRequirePhases: what reads arguments alone needs no memory; facts and the person
// need it.
func TestRequirePhases(t *testing.T) {
	for table, memory := range map[string]bool{
		`all = ['args.a == 1']`:                       false,
		`all = ['args.user == "user"']`:               false,
		`all = ['args.user_id == 1']`:                 false,
		`all = ['args.user.text == "x"']`:             false,
		`all = ['user.text contains args.a']`:         true,
		`all = ['now > time(args.a)']`:                false,
		"use = \"f\"\nmissing = \"ask\"":              true,
		"if = 'user.text == args.a'\nall = ['false']": true,
	} {
		set := mustParse(t, factNamed("f", fromGet)+requireNamed("r", table))
		ev := pre(toolDo, `{"a":2,"user":"x"}`)
		if got := !Required(set, Context{}, ev).Empty(); got != memory {
			t.Errorf("%s: needs memory %v", table, got)
		}
		if early := len(Screen(set, Context{}, ev).Findings) > 0; early == memory {
			t.Errorf("%s: judged without memory %v", table, early)
		}
	}
}

// TestUser: what the person has said, and whether they have since the last write.
func TestUser(t *testing.T) {
	m := newMemo(t, "[[tool]]\nname = \"mcp__s__write\"\noperation = \"update\"\n[[tool]]\nname = \"mcp__s__get\"\noperation = \"read\"\n"+
		requireNamed("named", `if = 'args.to != ""'`, `all = ['user.text contains args.to']`)+requireNamed("asked", `all = ['user.turns_since_write >= 1']`, `else = "ask"`))
	m.want("nothing is known", `{"to":"Ann"}`, "asked unknown, named unknown")
	m.said("pay Ann").want("said", `{"to":"Ann"}`, "").want("another", `{"to":"Bob"}`, "named deny")
	m.did(toolGet, `{}`, `1`).did("mcp__s__other", `{}`, `1`).want("a read changes nothing", `{"to":"Ann"}`, "")
	m.failed("mcp__s__write", `{}`).want("nor a write that fails", `{"to":"Ann"}`, "")
	m.did("mcp__s__write", `{}`, `1`).want("a write", `{"to":"Ann"}`, "asked ask")
	m.did("mcp__s__write", `{}`, `1`).said("pay Bob").want("said again", `{"to":"Bob"}`, "").want("and before", `{"to":"Ann"}`, "")
	m.said(strings.Repeat("x", maxUserText)).want("too much stays bounded", `{"to":"Ann"}`, "named deny")
	if len(m.user.Text) > maxUserText {
		t.Errorf("%d bytes are kept", len(m.user.Text))
	}
}

// TestUserIsNotKeptUnasked: where no expression speaks of the person, nothing is kept.
func TestUserIsNotKeptUnasked(t *testing.T) {
	m := newMemo(t, requireNamed("r", `all = ['args.user.text == 1']`)).said("a secret")
	if m.user != (User{}) || len(m.evidence) > 0 {
		t.Errorf("kept %+v %v", m.user, m.evidence)
	}
}
