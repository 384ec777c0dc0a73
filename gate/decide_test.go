package gate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

func mustParse(t testing.TB, text string) *policy.Set {
	t.Helper()
	layer, err := policy.Parse("repo", "/repo/.gatewright/policy.toml", []byte("version = 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return &policy.Set{Layers: []*policy.Layer{layer}}
}

func pre(tool, args string) hooks.Event {
	return hooks.Event{Kind: hooks.PreToolUse, Name: "PreToolUse", Client: "claude", Mode: "default", CanAsk: true, Tool: tool, Args: []byte(args)}
}

// TestRules covers the decisions of plain rules: three values, except, when,
// tool properties and defaults.
func TestRules(t *testing.T) {
	const deny = "[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
	const allow = "default = \"deny\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\n"
	tests := map[string]struct {
		policy, tool, args string
		want               Decision
	}{
		"deny by short name":                      {deny + `match = { tool = ["process_refund"] }`, "mcp__x__process_refund", `{}`, Deny},
		"deny ignores case":                       {deny + `match = { tool = ["PROCESS_refund"] }`, "mcp__X__process_REFUND", `{}`, Deny},
		"deny maps characters":                    {deny + `match = { tool = ["mcp__crm-prod__get.x"] }`, "mcp__crm_prod__get_x", `{}`, Deny},
		"deny of another name":                    {deny + `match = { tool = ["process_refund"] }`, "mcp__x__process_refund2", `{}`, Pass},
		"allow needs the full name":               {allow + `match = { tool = ["mcp__x__y"] }`, "mcp__z__y", `{}`, Deny},
		"allow by full name":                      {allow + `match = { tool = ["mcp__x__y"] }`, "mcp__x__y", `{}`, Pass},
		"allow keeps case":                        {allow + `match = { tool = ["mcp__x__y"] }`, "mcp__x__Y", `{}`, Deny},
		"allow of a bare unknown":                 {allow + `match = { tool = ["y"] }`, "y", `{}`, Deny},
		"allow of a built-in":                     {allow + `match = { tool = ["Read"] }`, "Read", `{}`, Pass},
		"allow by bare name, mcp":                 {allow + `match = { tool = ["Read"] }`, "mcp__x__Read", `{}`, Deny},
		"allow unknown does not":                  {allow + `match = { tool = ["*"], arg = [{ path = "a", eq = 1 }] }`, "Read", `{"a":"1"}`, Deny},
		"allow with a deny":                       {allow + "match = { tool = [\"*\"] }\n" + strings.Replace(deny, `"r"`, `"d"`, 1) + `match = { tool = ["Read"] }`, "Read", `{}`, Deny},
		"default deny":                            {"default = \"deny\"\n", "Read", `{}`, Deny},
		"family":                                  {deny + `match = { tool = ["@write"] }`, "apply_patch", `{}`, Deny},
		"family keeps to itself":                  {deny + `match = { tool = ["@write"] }`, "Read", `{}`, Pass},
		"hide denies the call":                    {strings.Replace(deny, "deny", "hide", 1) + `match = { tool = ["Read"] }`, "Read", `{}`, Deny},
		"approval asks":                           {strings.Replace(deny, "deny", "require_approval", 1) + `match = { tool = ["Read"] }`, "Read", `{}`, Ask},
		"unknown asks":                            {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = true }] }`, "Read", `{"a":"true"}`, Ask},
		"null asks":                               {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = true }] }`, "Read", `{"a":null}`, Ask},
		"other case asks":                         {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = true }] }`, "Read", `{"A":true}`, Ask},
		"absent is no match":                      {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = true }] }`, "Read", `{}`, Pass},
		"false wins over unknown":                 {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = 1 }, { path = "b", eq = 1 }] }`, "Read", `{"a":null,"b":2}`, Pass},
		"exact numbers":                           {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = 9007199254740993 }] }`, "Read", `{"a":9007199254740992}`, Pass},
		"equal numbers":                           {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = 0.1 }] }`, "Read", `{"a":1e-1}`, Deny},
		"greater":                                 {deny + `match = { tool = ["*"], arg = [{ path = "a", gt = 2 }] }`, "Read", `{"a":2.0000000000000000001}`, Deny},
		"order of absent asks":                    {deny + `match = { tool = ["*"], arg = [{ path = "a", gt = 2 }] }`, "Read", `{}`, Ask},
		"glob":                                    {deny + `match = { tool = ["*"], arg = [{ path = "a.b", glob = "x?z*" }] }`, "Read", `{"a":{"b":"xyz"}}`, Deny},
		"type":                                    {deny + `match = { tool = ["*"], arg = [{ path = "a", type = "null" }] }`, "Read", `{"a":null}`, Deny},
		"exists false":                            {deny + `match = { tool = ["*"], arg = [{ path = "a", exists = false }] }`, "Read", `{}`, Deny},
		"lost characters ask":                     {deny + `match = { tool = ["*"], arg = [{ path = "a", eq = "x" }] }`, "Read", `{"a":"\ud800"}`, Ask},
		"except by full name":                     {deny + "match = { tool = [\"*__delete_*\"] }\nexcept = { tool = [\"mcp__mail__delete_draft\"] }", "mcp__mail__delete_draft", `{}`, Pass},
		"except by short name":                    {deny + "match = { tool = [\"*__delete_*\"] }\nexcept = { tool = [\"delete_draft\"] }", "mcp__mail__delete_draft", `{}`, Deny},
		"except unknown asks":                     {deny + "match = { tool = [\"Read\"] }\nexcept = { arg = [{ path = \"a\", eq = 1 }] }", "Read", `{"a":null}`, Ask},
		"allow except restricts":                  {allow + "match = { tool = [\"mcp__mail__*\"] }\nexcept = { tool = [\"delete_draft\"] }", "mcp__mail__delete_draft", `{}`, Deny},
		"when matches":                            {deny + "match = { tool = [\"*\"] }\nwhen = { client = \"claude\", permission_mode = [\"plan\", \"def*\"] }", "Read", `{}`, Deny},
		"when does not":                           {deny + "match = { tool = [\"*\"] }\nwhen = { client = \"codex\" }", "Read", `{}`, Pass},
		"when of the environment":                 {deny + "match = { tool = [\"*\"] }\nwhen = { \"env.CHANNEL\" = \"slack*\" }", "Read", `{}`, Deny},
		"when of an absent value":                 {deny + "match = { tool = [\"*\"] }\nwhen = { \"env.OTHER\" = \"*\" }", "Read", `{}`, Pass},
		"tag":                                     {deny + "match = { tag = \"money\" }\n[[tool]]\nname = \"mcp__pay__x\"\ntags = [\"money\"]", "mcp__pay__x", `{}`, Deny},
		"tags are a closed world":                 {deny + "match = { tag = \"money\" }", "mcp__pay__x", `{}`, Pass},
		"operation unknown asks":                  {deny + `match = { operation = "send" }`, "mcp__pay__x", `{}`, Ask},
		"operation of a built-in":                 {deny + `match = { operation = "send" }`, "Read", `{}`, Pass},
		"risk":                                    {deny + `match = { risk_at_least = "high" }`, "Bash", `{}`, Deny},
		"risk unknown does not admit":             {allow + `match = { risk_at_most = "low" }`, "mcp__x__y", `{}`, Deny},
		"in of mixed types asks":                  {deny + `match = { tool = ["*"], arg = [{ path = "a", in = ["x", 1] }] }`, "Read", `{"a":"1"}`, Ask},
		"not_in of mixed types":                   {allow + `match = { tool = ["*"], arg = [{ path = "a", not_in = ["x", 1] }] }`, "Read", `{"a":"1"}`, Deny},
		"not_in of one type":                      {allow + `match = { tool = ["*"], arg = [{ path = "a", not_in = ["x", "y"] }] }`, "Read", `{"a":"1"}`, Pass},
		"exists of null asks":                     {deny + `match = { tool = ["*"], arg = [{ path = "a", exists = true }] }`, "Read", `{"a":null}`, Ask},
		"all of an inner list that is empty":      {allow + `match = { tool = ["*"], arg = [{ path = "items[].to[]", all = { eq = "ok" } }] }`, "Read", `{"items":[{"to":["ok"]},{"to":[]}]}`, Deny},
		"all of an inner list that is absent":     {allow + `match = { tool = ["*"], arg = [{ path = "items[].to[]", all = { eq = "ok" } }] }`, "Read", `{"items":[{"to":["ok"]},{}]}`, Deny},
		"all of lists":                            {allow + `match = { tool = ["*"], arg = [{ path = "items[].to[]", all = { eq = "ok" } }] }`, "Read", `{"items":[{"to":["ok"]},{"to":["ok","ok"]}]}`, Pass},
		"any of an absent list":                   {deny + `match = { tool = ["*"], arg = [{ path = "to[]", any = { ne = "x" } }] }`, "Read", `{}`, Pass},
		"a server's tool that could be another's": {allow + `match = { server = "crm" }`, "mcp__crm__evil__a", `{}`, Deny},
		"a server's tool":                         {allow + `match = { server = "crm" }`, "mcp__crm__get", `{}`, Pass},
		"odd tool name":                           {"", "mcp__x__процесс", `{}`, Deny},
	}
	ctx := Context{Env: func(name string) string { return map[string]string{"CHANNEL": "slack-1"}[name] }}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Screen(mustParse(t, tt.policy), ctx, pre(tt.tool, tt.args)); got.Decision != tt.want {
				t.Errorf("got %v, want %v: %+v", got.Decision, tt.want, got.Findings)
			}
		})
	}
}

// TestLeadingFinding: of several findings the model reads the strictest, then
// the one that no retry can mend, then the smallest id.
func TestLeadingFinding(t *testing.T) {
	limit := func(id, extra string) string {
		return fmt.Sprintf("[[limit]]\nid = %q\ntools = [\"x\"]\namount = \"a\"\nmax = \"1\"\n%s\n", id, extra)
	}
	set := mustParse(t, limit("z", "")+limit("b", "")+limit("a", `over = "ask"`))
	v := Screen(set, Context{}, pre("x", `{"a":2}`))
	if v.Decision != Deny || v.Findings[0].ID != "b" || len(v.Findings) != 3 {
		t.Errorf("got %+v", v)
	}
	if v.Findings[0].File == "" || v.Findings[0].Line != 8 {
		t.Errorf("no place: %+v", v.Findings[0])
	}
	gate := "[[fact]]\nid = \"f\"\nfrom = \"mcp__a__b\"\n[[gate]]\nid = \"0\"\ntools = \"x\"\nneeds = \"f\"\n"
	set = mustParse(t, gate+limit("z", `per = "session"`))
	v = Decide(set, Context{}, Facts{Now: time.Now()}, pre("x", `{"a":2}`))
	if v.Decision != Deny || v.Findings[0].ID != "z" || v.Reserve != nil {
		t.Errorf("the retryable finding leads: %+v", v)
	}
	if v.Findings[1].Required != "mcp__a__b" {
		t.Errorf("the gate does not name the fact's tool: %+v", v.Findings[1])
	}
}

// TestAskWithoutAnyone: a client that cannot ask gets a denial.
func TestAskWithoutAnyone(t *testing.T) {
	set := mustParse(t, "[[rule]]\nid = \"r\"\neffect = \"require_approval\"\nmatch = { tool = \"*\" }\n")
	ev := pre("Read", `{}`)
	if r := Screen(set, Context{}, ev).Reply(); r.Answer != hooks.Ask {
		t.Errorf("got %+v", r)
	}
	ev.CanAsk = false
	if r := Screen(set, Context{}, ev).Reply(); r.Answer != hooks.Deny || !strings.Contains(r.Reason, "mode that can prompt") {
		t.Errorf("got %+v", r)
	}
}

// TestZeroVerdictDenies: an answer that nobody set must not let a call through.
func TestZeroVerdictDenies(t *testing.T) {
	if r := (Verdict{}).Reply(); r.Answer != hooks.Deny || r.Reason == "" {
		t.Errorf("got %+v", r)
	}
}

// TestFactTTL: evidence ends with its ttl, and a record from the future is none.
func TestFactTTL(t *testing.T) {
	set := mustParse(t, "[[fact]]\nid = \"f\"\nfrom = \"mcp__a__b\"\nttl = \"30m\"\n[[gate]]\nid = \"g\"\ntools = \"x\"\nneeds = \"f\"\n")
	now := time.Now()
	done := hooks.Event{Kind: hooks.PostToolUse, Client: "claude", Tool: "mcp__a__b", Response: []byte(`"ok"`)}
	kept := Learn(set, Context{}, Memory{Now: now}, done).Evidence
	if len(kept) != 1 {
		t.Fatalf("kept %v", kept)
	}
	for age, want := range map[time.Duration]Decision{0: Pass, 29 * time.Minute: Pass, 30 * time.Minute: Deny, -31 * time.Minute: Deny} {
		facts := Facts{Now: now.Add(age), Evidence: map[string][]byte{kept[0].Key: kept[0].Value}}
		if got := Decide(set, Context{}, facts, pre("x", `{}`)).Decision; got != want {
			t.Errorf("after %v: %v, want %v", age, got, want)
		}
	}
}

// TestOversizedEvidence: a result too large to keep closes what an older one
// opened.
func TestOversizedEvidence(t *testing.T) {
	set := mustParse(t, "[[fact]]\nid = \"f\"\nfrom = \"mcp__a__b\"\nwhere = 'past.result.ok == true and past.result.note == \"n\" and past.result.id == args.id'\n[[gate]]\nid = \"g\"\ntools = \"x\"\nneeds = \"f\"\n")
	now, kept := time.Now(), map[string][]byte{}
	learn := func(ok, note string) {
		done := hooks.Event{Kind: hooks.PostToolUse, Tool: "mcp__a__b", Response: []byte(`{"ok":` + ok + `,"id":1,"note":"` + note + `"}`)}
		for _, e := range Learn(set, Context{}, Memory{Now: now}, done).Evidence {
			kept[e.Key] = e.Value
		}
	}
	decide := func() Decision {
		return Decide(set, Context{}, Facts{Now: now, Evidence: kept}, pre("x", `{"id":1}`)).Decision
	}
	learn("true", "n")
	if decide() != Pass {
		t.Fatal("not proved")
	}
	learn("false", strings.Repeat("x", 300<<10))
	if decide() != Deny {
		t.Error("still proved")
	}
}

// TestRefused: only a definite refusal by a server gives a reservation back.
func TestRefused(t *testing.T) {
	set := mustParse(t, "[[limit]]\nid = \"l\"\ntools = [\"x\", \"Bash\"]\namount = \"a\"\nmax = \"9\"\nper = \"session\"\n")
	hold := Hold{ID: "h", Window: "w", Digest: "d"}
	tests := []struct {
		tool, text string
		stopped    bool
		released   bool
	}{
		{"mcp__s__x", `{"status":422}`, false, true},
		{"mcp__s__x", `{"errorCategory":"BUSINESS","isError":true}`, false, true},
		{"mcp__s__x", `MCP error -32601: no such tool`, false, true},
		{"mcp__s__x", `MCP error -32602: Structured content does not match the tool's output schema`, false, false},
		{"mcp__s__x", `{"status":404,"statusCode":504}`, false, false},
		{"mcp__s__x", `{"status":404,"Status":500}`, false, false},
		{"mcp__s__x", `{"status":"timeout","statusCode":404}`, false, false},
		{"mcp__s__x", `{"code":404}`, false, false},
		{"mcp__s__x", `{"status":404,"isRetryable":true}`, false, false},
		{"mcp__s__x", `{"status":422}`, true, false},
		{"mcp__s__x", `{"error":{"code":"INVALID_ARGUMENT","message":"bad date"}}`, false, true},
		{"mcp__s__x", `{"error":{"type":"TypeError","message":"Cannot read properties of undefined"}}`, false, false},
		{"mcp__s__x", `{"error":{"type":"SQLError"}}`, false, false},
		{"mcp__s__x", `{"error":{"type":"ValidationError"}}`, false, false},
		{"mcp__s__x", `{"code":"ENOENT","syscall":"open","path":"/var/receipts/1.pdf"}`, false, false},
		{"mcp__s__x", `{"data":{"refundCreate":{"refund":{"id":"r1"}}},"errors":[{"extensions":{"code":"ACCESS_DENIED"}}]}`, false, false},
		{"mcp__s__x", `{"results":[{"status":"refunded"}],"errors":[{"code":"NOT_FOUND"}]}`, false, false},
		{"mcp__s__x", `{"refund_id":"r_1","status":"refunded","error":{"code":"NOT_FOUND"}}`, false, false},
		{"mcp__s__x", `{"errors":[{"code":"FORBIDDEN"},{"code":"TIMEOUT"}]}`, false, false},
		{"mcp__s__x", `{"statusCode":400,"message":"upstream timed out after 30s"}`, false, false},
		{"mcp__s__x", `{"error":{"code":"INVALID_ARGUMENT","retryable":true}}`, false, false},
		{"mcp__s__x", `{"error":{"code":"INVALID_ARGUMENT","cause":{"code":"ETIMEDOUT"}}}`, false, false},
		{"mcp__s__x", `{"type":"invalid_request_error","code":"charge_already_refunded"}`, false, false},
		{"mcp__s__x", `{"type":"invalid_request_error","code":"lock_timeout"}`, false, false},
		{"mcp__s__x", `{"status":403,"message":"You have exceeded a secondary rate limit"}`, false, false},
		{"mcp__s__x", `{"status":503}`, false, false},
		{"mcp__s__x", `{"status":409}`, false, false},
		{"mcp__s__x", `{"errorCategory":"TRANSIENT"}`, false, false},
		{"mcp__s__x", `{"status":503,"status":422}`, false, false},
		{"mcp__s__x", `MCP error -32000: Connection closed`, false, false},
		{"mcp__s__x", `Connection closed`, false, false},
		{"mcp__s__x", `status 422 bad request`, false, false},
		{"mcp__s__x", strings.Repeat("[", 100_000), false, false},
		{"Bash", `{"status":422}`, false, false},
	}
	for _, tt := range tests {
		ev := hooks.Event{Kind: hooks.PostToolUseFailure, Tool: tt.tool, ToolUseID: "t", Error: tt.text, Stopped: tt.stopped}
		l := Learn(set, Context{}, Memory{Digest: "d", Open: []Hold{hold}}, ev)
		if released := len(l.Release) == 1; released != tt.released || len(l.Release)+len(l.Settle) != 1 {
			t.Errorf("%s %.60s: %+v", tt.tool, tt.text, l)
		}
	}
}

// TestCanonical: the same arguments have the same bytes, others do not.
func TestCanonical(t *testing.T) {
	same := []string{`{"a":1,"b":[true,null,"x"]}`, ` { "b" : [ true , null , "\u0078" ] , "a" : 1.0 } `, `{"a":10e-1,"b":[true,null,"x"]}`}
	for _, text := range same[1:] {
		if string(Canonical([]byte(text))) != string(Canonical([]byte(same[0]))) {
			t.Errorf("%s differs: %s", text, Canonical([]byte(text)))
		}
	}
	for _, text := range []string{`{"a":2,"b":[true,null,"x"]}`, `{"a":"1","b":[true,null,"x"]}`, `{"a":1,"b":[true,null]}`, `{"a":1,"b":[true,null,"x"],"c":null}`, `{}`, ``} {
		if string(Canonical([]byte(text))) == string(Canonical([]byte(same[0]))) {
			t.Errorf("%s is the same", text)
		}
	}
}
