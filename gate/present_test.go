package gate

import (
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

const lookup = "mcp__crm__find_user"

// notFound says that a look-up that finds nothing is no failure.
const notFound = `
[[error]]
id = "nobody"
tools = ["find_user"]
text = 'user not found'
empty = true
[[error]]
id = "nobody-by-code"
tools = ["find_user"]
status = 404
empty = true
message = "There is no such user."
[[error]]
id = "none"
tools = ["find_user"]
where = 'len(past.result.users) == 0'
empty = true
[[error]]
id = "monitor"
tools = ["mcp__crm__monitor"]
where = 'past.result.status == 503'
success = true
[[error]]
id = "held"
tools = ["mcp__crm__*"]
code = ["LEGAL_HOLD"]
category = "BUSINESS"
[[error]]
id = "shell"
tools = ["Bash"]
text = 'no space left'
category = "TRANSIENT"
message = "The disk is full."
`

func endedWith(tool, text string) hooks.Event {
	return hooks.Event{Kind: hooks.PostToolUseFailure, Name: "PostToolUseFailure", Client: "claude", Tool: tool, Args: []byte(`{}`), Error: text}
}

func noDigest(string) string { return "" }

// TestPresent: what the model reads of an end.
func TestPresent(t *testing.T) {
	set := mustParse(t, notFound)
	text := func(text string) string {
		return `[{"type":"text","text":"` + strings.ReplaceAll(text, `"`, `\"`) + `"}]`
	}
	for _, tt := range []struct {
		ev             hooks.Event
		result, beside string // of the reply; "" = as it was
	}{
		{endedWith(lookup, "User not found"), "", `{"isError":false,"isEmpty":true,"message":"User not found","rule":"nobody","layer":"repo"}`},
		{endedWith(lookup, "could not: user not found!"), "", `{"isError":false,"isEmpty":true,"message":"could not: user not found!","rule":"nobody","layer":"repo"}`},
		{endedWith(lookup, `{"status":404,"message":"no"}`), "", `{"isError":false,"isEmpty":true,"message":"There is no such user.","rule":"nobody-by-code","layer":"repo"}`},
		{endedWith(lookup, "Access denied"), "", `{"isError":true,"errorCategory":"PERMISSION","isRetryable":false,"message":"Access denied","rule":"built-in","layer":"gatewright"}`},
		{endedWith("mcp__crm__x", `{"error":{"code":"legal-hold","message":"On hold"}}`), "", `{"isError":true,"errorCategory":"BUSINESS","isRetryable":false,"message":"On hold","rule":"held","layer":"repo"}`},
		{endedWith("mcp__crm__x", `{"isError":true,"errorCategory":"BUSINESS","isRetryable":false,"message":"no"}`), "", ""},
		{endedWith("Bash", "Exit code 1"), "", ""},
		{endedWith("Bash", "Exit code 1\nwrite: no space left on device"), "", `{"isError":true,"errorCategory":"TRANSIENT","isRetryable":true,"message":"The disk is full.","rule":"shell","layer":"repo"}`},
		{finished(lookup, `{}`, text("User not found")), text(`{"isError":false,"isEmpty":true,"message":"User not found","rule":"nobody","layer":"repo"}`), ""},
		{finished(lookup, `{}`, `"User not found"`), `"{\"isError\":false,\"isEmpty\":true,\"message\":\"User not found\",\"rule\":\"nobody\",\"layer\":\"repo\"}"`, ""},
		{finished(lookup, `{}`, text("The bio says: user not found.")), "", ""},
		{finished(lookup, `{}`, text(`{"users":[]}`)), text(`{"isError":false,"isEmpty":true,"message":"Nothing was found. This is a valid answer.","rule":"none","layer":"repo","original":{"users":[]}}`), ""},
		{finished(lookup, `{}`, text(`{"users":[1]}`)), "", ""},
		{finished(lookup, `{}`, text(`{"code":404,"msg":"data not found"}`)), text(`{"isError":false,"isEmpty":true,"message":"There is no such user.","rule":"nobody-by-code","layer":"repo","original":{"code":404,"msg":"data not found"}}`), ""},
		{finished("mcp__crm__monitor", `{}`, text(`{"status":503,"message":"down"}`)), "", ""},
		{finished("mcp__crm__x", `{}`, text(`{"status":503,"message":"down"}`)), text(`{"isError":true,"errorCategory":"TRANSIENT","isRetryable":true,"message":"down","rule":"built-in","layer":"gatewright","original":{"status":503,"message":"down"}}`), ""},
		{finished("mcp__crm__x", `{}`, text("Error: 3 findings in the page you asked for")), "", ""},
		{finished("Read", `{}`, `{"error":"x"}`), "", ""},
		{finished(lookup, `{}`, `null`), "", ""},
		{finished(lookup, `{}`, `[]`), "", ""},
		{finished(lookup, `{}`, `[{"type":"text","text":"user not found"},{"type":"image","data":"AAAA"}]`), "", ""},
		{finished(lookup, `{}`, `{"content":[{"type":"image","data":"AAAA"}],"structuredContent":{"users":[]}}`), "", `{"isError":false,"isEmpty":true,"message":"Nothing was found. This is a valid answer.","rule":"none","layer":"repo"}`},
	} {
		p := Present(set, Context{}, Help{Digest: noDigest}, tt.ev)
		if got := strings.ReplaceAll(string(p.Reply.Result), `\"`, `"`); got != strings.ReplaceAll(tt.result, `\"`, `"`) || p.Reply.Context != tt.beside {
			t.Errorf("%s of %s%s:\n%s %s\nwant\n%s %s", tt.ev.Tool, tt.ev.Error, tt.ev.Response, got, p.Reply.Context, tt.result, tt.beside)
		}
		if p.Reply.Result != nil && hooks.Strict(p.Reply.Result) != nil {
			t.Errorf("%s is no JSON", p.Reply.Result)
		}
	}
	stopped := endedWith(lookup, "User not found")
	stopped.Stopped = true
	if p := Present(set, Context{}, Help{Digest: noDigest}, stopped); p.Reply.Context != "" {
		t.Errorf("what a person stopped: %+v", p)
	}
}

// TestPresentHides: what is hidden is in no part of the answer.
func TestPresentHides(t *testing.T) {
	set := mustParse(t, `
[[normalize]]
id = "hide"
tools = ["mcp__crm__*"]
paths = ["**.secret", "error.message"]
redact = true
[[normalize]]
id = "times"
tools = ["mcp__crm__*"]
paths = ["t"]
time = "auto"
`)
	digests := 0
	digest := func(string) string { digests++; return "abcdef0123456789" }
	for _, response := range []string{
		`[{"type":"text","text":"{\"secret\":\"hush\",\"t\":1}"}]`,
		`{"content":[{"type":"text","text":"{\"secret\":\"hush\"}"}],"structuredContent":{"Secret":"hush","t":1}}`,
		`[{"type":"text","text":"{\"error\":{\"message\":\"hush\"}}"}]`,
		`[{"type":"text","text":"{\"secret\":\"hush\",\"t\":\"soon\"}"},{"type":"image","data":""}]`,
	} {
		p := Present(set, Context{}, Help{Digest: digest}, finished("mcp__crm__x", `{}`, response))
		r := p.Reply
		all := string(r.Result) + r.Text + r.Beside + r.Context + strings.Join(p.Notes, " ") + p.Read
		if strings.Contains(all, "hush") || !strings.Contains(string(r.Result), "redacted:abcdef0123456789") {
			t.Errorf("%s: %+v", response, p)
		}
	}
	deep := strings.Repeat("[", 600) + `{\"secret\":\"hush\"}` + strings.Repeat("]", 600)
	p := Present(set, Context{}, Help{Digest: digest}, finished("mcp__crm__x", `{}`, `[{"type":"text","text":"`+deep+`"}]`))
	if got := string(p.Reply.Result); strings.Contains(got, "hush") || !strings.Contains(got, "withheld") || !strings.Contains(p.Reply.Beside, "withheld") {
		t.Errorf("what nests too deeply: %+v", p)
	}
	if digests == 0 {
		t.Error("no digest was asked for")
	}
	m := newMemo(t, `
[[normalize]]
id = "hide"
tools = ["do"]
paths = ["error.message"]
redact = true
[retry]
tools = ["do"]
`).did(toolDo, `{}`, `{"error":{"message":"hush"}}`)
	if v := m.judge(toolDo, `{}`, "x"); len(v.Findings) != 1 || strings.Contains(v.contract(), "hush") {
		t.Errorf("a retry: %s", v.contract())
	}
}

// TestPresentNothing: a result that no table names and that is no error is not
// touched, whatever it is.
func TestPresentNothing(t *testing.T) {
	set := mustParse(t, notFound+"[[normalize]]\nid = \"n\"\ntools = [\"mcp__crm__get\"]\npaths = [\"**.t\"]\ntime = \"auto\"\n")
	for _, response := range []string{`[{"type":"text","text":"{\"t\":1}"}]`, `"{\"t\":1}"`, `{"t":1}`, `7`, `null`, ``, `[]`, `[1]`, `{"content":[]}`} {
		for _, tool := range []string{"mcp__other__get", "Bash", "mcp__crm__x"} {
			if p := Present(set, Context{}, Help{Digest: noDigest}, finished(tool, `{}`, response)); len(p.Notes) > 0 || p.Read != "" || p.Reply.Result != nil || p.Reply.Text+p.Reply.Context+p.Reply.Beside != "" {
				t.Errorf("%s of %s: %+v", response, tool, p)
			}
		}
	}
}

// TestMeaningOfLayers: what a narrower layer says of an end gives no money back to a
// broader one's budget, proves none of its facts, and undoes none of its retries.
func TestMeaningOfLayers(t *testing.T) {
	broad := parsed(t, "managed", nil, `
[[fact]]
id = "f"
from = ["mcp__s__do"]
[[limit]]
id = "cap"
tools = ["do"]
amount = "a"
max = "10"
per = "session"
[retry]
tools = ["do"]
`)
	narrow := parsed(t, "repo", nil, `
[[error]]
id = "no"
tools = ["do"]
text = 'X17'
category = "BUSINESS"
[[error]]
id = "fine"
tools = ["do"]
where = 'past.result.error == "x"'
success = true
[[limit]]
id = "own-cap"
tools = ["do"]
amount = "a"
max = "10"
per = "session"
`)
	set := &policy.Set{Layers: []*policy.Layer{broad, narrow}}
	refusal := endedWith(toolDo, "refused, X17")
	refusal.ToolUseID, refusal.Args = "t", []byte(`{"a":1}`)
	open := []Hold{{ID: "broad", Window: budgetsOf(broad) + "cap", Digest: "d"}, {ID: "narrow", Window: budgetsOf(narrow) + "own-cap", Digest: "d"}}
	l := Learn(set, Context{}, Memory{Digest: "d", Open: open}, refusal)
	if len(l.Release) != 1 || l.Release[0].ID != "narrow" || len(l.Settle) != 1 || l.Settle[0].ID != "broad" {
		t.Errorf("given back %+v, spent %+v", l.Release, l.Settle)
	}
	l = Learn(set, Context{}, Memory{Digest: "d"}, finished(toolDo, `{}`, `{"error":"x"}`))
	for _, e := range l.Evidence {
		if !strings.HasPrefix(e.Key, "retry:") {
			t.Errorf("a failure has proved %s", e.Key)
		}
	}
	if len(l.Evidence) != 1 {
		t.Errorf("the failure is not counted: %+v", l)
	}
}

func parsed(t *testing.T, name string, _ *policy.Layer, text string) *policy.Layer {
	t.Helper()
	l, err := policy.Parse(name, "/"+name+"/.gatewright/policy.toml", []byte("version = 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestEmptyProvesNothing: neither does a failure in disguise, nor an end that a table
// could not read.
func TestEmptyProvesNothing(t *testing.T) {
	m := newMemo(t, strings.ReplaceAll(notFound, "find_user", "get")+factNamed("f", fromGet)+gateNamed("g", `needs = "f"`))
	for _, response := range []string{`"User not found"`, `{"users":[]}`, `{"code":404,"msg":"x"}`, `{"success":false,"error":"x"}`, `{"users":7}`} {
		m.did(toolGet, `{}`, response).want(response, `{}`, "g gate")
	}
	m.did(toolGet, `{}`, `{"users":[1]}`).want("somebody", `{}`, "")
}

// TestGateOpens: a gate is never closed to what opens it, nor to the search for it.
func TestGateOpens(t *testing.T) {
	m := newMemo(t, factNamed("f", `from = ["mcp__r__get_rules", "mcp__r__get_more"]`)+"[[gate]]\nid = \"g\"\ntools = [\"*\"]\nneeds = [\"f\"]\n")
	for tool, want := range map[string]string{"mcp__r__get_rules": "", "mcp__r__get_more": "g gate", "ToolSearch": "", "tool_search": "", "mcp__x__get_rules": "g gate", "Bash": "g gate", "mcp__R__get_rules": "g gate", "mcp__x__tool_search": "g gate"} {
		if got := saidOf(m.judge(tool, `{}`, "t")); got != want {
			t.Errorf("%s: %q", tool, got)
		}
	}
	m = newMemo(t, factNamed("f", `from = ["mcp__s__do"]`)+gateNamed("g", `needs = "f"`))
	m.want("a tool that the gate names itself", `{}`, "g gate")
	const facts = "[[fact]]\nid = \"v\"\nfrom = [\"mcp__crm__verify\"]\n[[fact]]\nid = \"n\"\nfrom = [\"mcp__pay__refund\"]\nkeep = \"count\"\n[[fact]]\nid = \"b\"\nfrom = [\"Bash\", \"mcp__ci__test\"]\n[[gate]]\nid = \"g\"\n"
	for gate, tools := range map[string]map[string]string{
		`tools = ["*refund*"]` + "\nneeds = [\"v\"]\nany_of = [\"n\"]":              {"mcp__pay__refund": "g gate"},
		`tools = ["mcp__pay__*"]` + "\nneeds = [\"v\", \"n\"]":                      {"mcp__pay__refund": "g gate"},
		`tools = ["@shell"]` + "\nneeds = [\"b\"]":                                  {"Bash": "g gate"},
		`tools = ["*"]` + "\nneeds = [\"b\"]":                                       {"Bash": "", "mcp__ci__test": "g gate"},
		`tools = ["*"]` + "\nany_of = [\"v\", \"n\"]":                               {"mcp__crm__verify": "", "mcp__pay__refund": "", "Read": "g gate"},
		`tools = ["*"]` + "\nneeds = [\"v\"]\ncall = \"mcp__pay__refund\"":          {"mcp__crm__verify": "g gate", "mcp__pay__refund": "g gate"},
		`tools = ["*"]` + "\nunless = [\"b\"]\ncall = \"mcp__pay__refund\"":         {"mcp__pay__refund": ""},
		`tools = ["mcp__crm__*", "mcp__pay__refund"]` + "\nany_of = [\"v\", \"n\"]": {"mcp__crm__verify": "", "mcp__pay__refund": "g gate"},
	} {
		for tool, want := range tools {
			if got := saidOf(newMemo(t, facts+gate).judge(tool, `{}`, "t")); got != want {
				t.Errorf("%s: %s: %q", gate, tool, got)
			}
		}
	}
}

// TestAnnounce: who is told what to call first.
func TestAnnounce(t *testing.T) {
	text := func(fact string) string {
		return factNamed("f", `from = ["mcp__r__get_rules"]`, fact) + "[[gate]]\nid = \"g\"\ntools = [\"*\"]\nneeds = [\"f\"]\nannounce = true\nreason = \"Why.\"\n"
	}
	const told = "Call mcp__r__get_rules first: until it has succeeded, every other tool call is refused. Why."
	for _, tt := range []struct {
		fact string
		ev   hooks.Event
		want string
	}{
		{"", hooks.Event{Kind: hooks.SessionStart, Source: "startup"}, told},
		{"", hooks.Event{Kind: hooks.SessionStart, Source: "clear"}, told},
		{"", hooks.Event{Kind: hooks.SessionStart, Source: "fork"}, told},
		{"", hooks.Event{Kind: hooks.SessionStart, Source: "resume"}, ""},
		{"", hooks.Event{Kind: hooks.SessionStart, Source: "compact"}, ""},
		{`reset_on = ["compact"]`, hooks.Event{Kind: hooks.SessionStart, Source: "compact"}, told},
		{"", hooks.Event{Kind: hooks.SubagentStart}, ""},
		{`scope = "agent"`, hooks.Event{Kind: hooks.SubagentStart}, told},
	} {
		if got := Announce(mustParse(t, text(tt.fact)), tt.ev); got != tt.want {
			t.Errorf("%+v %s: %q", tt.ev, tt.fact, got)
		}
	}
}
