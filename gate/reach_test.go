package gate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

const dispatched = `
[[dispatcher]]
id = "one"
tools = ["mcp__composio__execute"]
target = "tool_slug"
args = "arguments"
names = { PAY_BACK = "mcp__billing__issue_refund" }
[[dispatcher]]
id = "many"
tools = ["multi_execute"]
each = "calls"
target = "call.name"
args = "call.args"
prefix = "mcp__billing__"
[[limit]]
id = "cap"
tools = ["mcp__billing__issue_refund"]
amount = "amount_usd"
max = "500"
[[rule]]
id = "no-deletes"
effect = "deny"
match = { tool = ["delete_*"], arg = [{ path = "permanent", eq = true }] }
`

// through judges a call and what it reaches, without a memory.
func through(set *policy.Set, ev hooks.Event) Verdict {
	r := Reach(set, Context{}, ev)
	verdicts := []Verdict{Decide(set, Context{}, Facts{}, ev)}
	for _, call := range r.Calls {
		verdicts = append(verdicts, Decide(set, Context{}, Facts{}, call))
	}
	return Together(verdicts, r.Unknown, Context{}, ev)
}

// TestDispatcher is B13, and what belongs to it.
func TestDispatcher(t *testing.T) {
	set := mustParse(t, dispatched)
	nest := func(n int, inner string) string {
		for range n {
			inner = `{"tool_slug":"mcp__composio__execute","arguments":` + inner + `}`
		}
		return inner
	}
	const refund900 = `{"tool_slug":"issue_refund","arguments":{"amount_usd":900}}`
	for _, tt := range []struct{ tool, args, want string }{
		{"mcp__composio__execute", refund900, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"ISSUE_REFUND","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"mcp__billing__issue_refund","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"PAY_BACK","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","arguments":{"amount_usd":20}}`, ""},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","arguments":"{\"amount_usd\":900}"}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","arguments":"{\"amount_usd\":20}"}`, ""},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","amount_usd":20,"arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","amount_usd":900,"arguments":{"amount_usd":20}}`, ""},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund"}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund","arguments":null}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"delete_user","arguments":{"permanent":true}}`, "no-deletes deny"},
		{"mcp__composio__execute", `{"tool_slug":"get_user","arguments":{"id":1}}`, ""},
		{"mcp__composio__execute", `{"arguments":{"amount_usd":20}}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":7,"arguments":{}}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":"","arguments":{}}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":["issue_refund"],"arguments":{}}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":"get_user","Tool_Slug":"issue_refund","arguments":{}}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":"get_user","arguments":[1]}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":"get_user","arguments":"{\"a\":1,\"a\":2}"}`, "one unknown"},
		{"mcp__composio__execute", `{"tool_slug":"get_user","arguments":"not json"}`, "one unknown"},
		{"mcp__Composio__Execute", refund900, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"issue_refund ","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"billing.issue_refund","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"mcp__other__issue_refund","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":"pay_back ","arguments":{"amount_usd":900}}`, "cap deny"},
		{"mcp__composio__execute", `{"tool_slug":" ","arguments":{}}`, "one unknown"},
		{"mcp__a__multi_execute", `{"calls":[{"call":{"name":"mcp__billing__issue_refund","args":{"amount_usd":900}}}]}`, "cap deny"},
		{"mcp__a__multi_execute", `{"calls":[{"call":{"name":"crm__delete_user","args":{"permanent":true}}}]}`, "no-deletes deny"},
		{"mcp__composio__execute", nest(1, refund900), "cap deny"},
		{"mcp__composio__execute", nest(3, refund900), "cap deny"},
		{"mcp__composio__execute", nest(4, refund900), "one unknown"},
		{"mcp__composio__execute", nest(100, refund900), "one unknown"},
		{"mcp__a__multi_execute", `{"calls":[{"call":{"name":"get_user"}},{"call":{"name":"issue_refund","args":{"amount_usd":900}}}]}`, "cap deny"},
		{"mcp__a__multi_execute", `{"calls":[{"call":{"name":"issue_refund","args":{"amount_usd":20}}},{"call":{"name":"get_user"}}]}`, ""},
		{"mcp__a__multi_execute", `{"calls":[{"call":{"name":"issue_refund","args":{"amount_usd":20}}},{"call":7}]}`, "many unknown"},
		{"mcp__a__multi_execute", `{"calls":{}}`, "many unknown"},
		{"mcp__a__multi_execute", `{}`, "many unknown"},
		{"mcp__a__multi_execute", `{"calls":[]}`, ""},
		{"mcp__a__multi_execute", `{"calls":[` + strings.TrimSuffix(strings.Repeat(`{"call":{"name":"x"}},`, 101), ",") + `]}`, "many unknown"},
		{"mcp__billing__issue_refund", `{"amount_usd":900}`, "cap deny"},
	} {
		if got := saidOf(through(set, pre(tt.tool, tt.args))); got != tt.want {
			t.Errorf("%s %.120s: %q, want %q", tt.tool, tt.args, got, tt.want)
		}
	}
}

// TestReachedIsJudgedAsItself: through a dispatcher a call is never judged less
// strictly than by itself.
func TestReachedIsJudgedAsItself(t *testing.T) {
	b, random := newBench(t), rand.NewPCG(13, 14)
	stricter := 0
	for range rounds / 4 {
		c := randomChoices(random)
		set := b.load(c.world())
		ev, ctx := c.event(), c.context()
		if set.Empty() || ev.Tool == "a__b" { // of which nobody can tell what it is; reached, it is a server's
			continue
		}
		envelope := pre("mcp__composio__execute", fmt.Sprintf(`{"t":%q,"a":%s}`, ev.Tool, orEmpty(string(ev.Args))))
		envelope.Client, envelope.Mode, envelope.CanAsk, envelope.AgentType = ev.Client, ev.Mode, ev.CanAsk, ev.AgentType
		last := *set.Layers[len(set.Layers)-1]
		d, err := policy.Parse("repo", last.File, []byte("version = 1\n[[dispatcher]]\nid = \"d\"\ntools = [\"execute\"]\ntarget = \"t\"\nargs = \"a\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		last.Dispatchers = d.Dispatchers
		with := &policy.Set{Layers: append(append([]*policy.Layer{}, set.Layers[:len(set.Layers)-1]...), &last)}
		direct := ev
		direct.Server, direct.ServerSource = "", "" // a dispatcher does not tell them
		alone := Decide(set, ctx, Facts{}, direct)
		verdicts := []Verdict{Decide(with, ctx, Facts{}, envelope)}
		for _, call := range Reach(with, ctx, envelope).Calls {
			verdicts = append(verdicts, Decide(with, ctx, Facts{}, call))
		}
		all := Together(verdicts, nil, ctx, envelope)
		if all.Decision < alone.Decision {
			t.Fatalf("%s %s: %s by itself, %s through a dispatcher", ev.Tool, ev.Args, alone.Decision, all.Decision)
		}
		if all.Decision > Pass {
			stricter++
		}
	}
	if stricter == 0 {
		t.Error("nothing was ever stopped")
	}
}

func orEmpty(args string) string {
	if args == "" {
		return "{}"
	}
	return args
}

// TestReachedEnds: one call's result is the reached call's, and that of several calls is
// the result of none.
func TestReachedEnds(t *testing.T) {
	set := mustParse(t, dispatched)
	one := finished("mcp__composio__execute", `{"tool_slug":"issue_refund","arguments":{"amount_usd":20}}`, `"paid"`)
	one.ToolUseID = "t"
	calls := Reach(set, Context{}, one).Calls
	if len(calls) != 1 || calls[0].Tool != policy.AnyServer+"issue_refund" || string(calls[0].Response) != `"paid"` || calls[0].ToolUseID != "t#1" || string(calls[0].Args) != `{"amount_usd":20}` {
		t.Errorf("%+v", calls)
	}
	failed := hooks.Event{Kind: hooks.PostToolUseFailure, Tool: "mcp__a__multi_execute", Args: []byte(`{"calls":[{"call":{"name":"issue_refund"}},{"call":{"name":"issue_refund"}}]}`), Error: `{"status":422}`, ToolUseID: "t"}
	calls = Reach(set, Context{}, failed).Calls
	if len(calls) != 2 || calls[0].Kind != hooks.PostToolUse || calls[0].Error != "" || calls[0].ToolUseID == calls[1].ToolUseID {
		t.Errorf("%+v", calls)
	}
}

// TestNamedByTheModel: what a model calls a tool restricts it like any server's tool of
// that name, and grants nothing.
func TestNamedByTheModel(t *testing.T) {
	const dispatcher = "[[dispatcher]]\nid = \"d\"\ntools = [\"execute\"]\ntarget = \"t\"\nargs = \"a\"\n"
	call := func(target string) hooks.Event { return pre("mcp__x__execute", `{"t":"`+target+`","a":{}}`) }
	for rule, target := range map[string]string{
		`match = { tool = ["*__delete_*"] }`: "delete_customer", `match = { tool = ["mcp__billing__*"] }`: "process_refund", `match = { tool = ["mcp__billing__process_refund"] }`: "PROCESS_refund",
		`match = { tool = ["process_refund"] }`: "mcp__a__process_refund",
	} {
		set := mustParse(t, dispatcher+"[[rule]]\nid = \"r\"\neffect = \"deny\"\n"+rule+"\n")
		if got := saidOf(through(set, call(target))); got != "r deny" {
			t.Errorf("%s of %s: %q", rule, target, got)
		}
	}
	admits := func(tools string) string {
		return "default = \"deny\"\n" + dispatcher + "[[rule]]\nid = \"r\"\neffect = \"allow\"\nmatch = { tool = [\"mcp__x__execute\", " + tools + "] }\n"
	}
	for tools, want := range map[string]Decision{`"mcp__crm__*"`: Deny, `"mcp__crm__get"`: Deny, `"*__get"`: Pass, `"mcp__*"`: Pass} {
		for _, target := range []string{"get", "mcp__crm__get"} {
			if v := through(mustParse(t, admits(tools)), call(target)); v.Decision != want {
				t.Errorf("%s of %s: %s", tools, target, v.Decision)
			}
		}
	}
	m := newMemo(t, dispatcher+factNamed("f", fromGet)+gateNamed("g", `needs = "f"`))
	for _, target := range []string{"get", "mcp__s__get"} {
		for _, ev := range Reach(m.set, Context{}, finished("mcp__x__execute", `{"t":"`+target+`","a":{}}`, `{"ok":true}`)).Calls {
			m.learn(ev)
		}
		m.want("proved by "+target, `{}`, "g gate")
	}
}

// TestReachIsBounded: however many calls a call makes, and however often tables find them.
func TestReachIsBounded(t *testing.T) {
	text := ""
	for i := range 10 {
		text += fmt.Sprintf("[[dispatcher]]\nid = \"d%d\"\ntools = [\"execute\"]\neach = \"c\"\ntarget = \"t\"\nargs = \"a\"\n", i)
	}
	set := mustParse(t, text)
	envelope := `{"c":[{"t":"x","a":{}},{"t":"y","a":{}}]}`
	if r := Reach(set, Context{}, pre("mcp__x__execute", envelope)); len(r.Calls) != 2 || len(r.Unknown) > 0 {
		t.Errorf("found by ten tables: %+v", r)
	}
	for range 3 {
		envelope = `{"c":[` + strings.TrimSuffix(strings.Repeat(`{"t":"execute","a":`+envelope+`},`, 6), ",") + `]}`
	}
	if r := Reach(set, Context{}, pre("mcp__x__execute", envelope)); len(r.Calls) > maxReached || len(r.Unknown) == 0 {
		t.Errorf("%d calls, %d unknown", len(r.Calls), len(r.Unknown))
	}
}

// TestHiddenThroughDispatcher: what is hidden in results of a tool is hidden in those of
// the call that reaches it.
func TestHiddenThroughDispatcher(t *testing.T) {
	set := mustParse(t, dispatched+"[[normalize]]\nid = \"h\"\ntools = [\"mcp__crm__get_customer\"]\npaths = [\"ssn\"]\nredact = true\n")
	ev := finished("mcp__composio__execute", `{"tool_slug":"get_customer","arguments":{}}`, `[{"type":"text","text":"{\"data\":{\"ssn\":\"078-05-1120\"}}"}]`)
	p := Present(set, Context{}, Help{Digest: noDigest}, ev)
	if !Hides(set, ev) || p.Reply.Result == nil || strings.Contains(string(p.Reply.Result), "078") {
		t.Errorf("%+v", p)
	}
}
