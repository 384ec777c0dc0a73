package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatewright/gate/claim"
	"gatewright/hooks"
	"gatewright/policy"
)

// claimsPolicy has a tool that sends, one that is high risk, one without a claim, and
// one intent that is always open.
const claimsPolicy = `
[claims]
intent_classes = ["read", "update", "send", "delete"]
resource_types = ["refund", "mail"]
tags = ["sends"]
max_list = 3
SPELLING

[[tool]]
name = "mcp__mail__send_mail"
claim = true
operation = "send"
risk = "medium"
resource_type = "mail"
resources = ["thread.id"]
items = "to[]"
destination = ["to[]"]

[[tool]]
name = "mcp__billing__issue_refund"
tags = ["sends"]
operation = "update"
risk = "high"
resource_type = "refund"

[[tool]]
name = "mcp__crm__get_customer"
operation = "read"
risk = "low"

[[tool]]
name = "mcp__odd__unknown_risk"
claim = true
operation = "update"

[[tool]]
name = "mcp__odd__unknown_operation"
claim = true
risk = "low"

[[tool]]
name = "mcp__odd__sends_somewhere"
claim = true
operation = "send"
risk = "low"

[[tool]]
name = "mcp__odd__counts"
claim = true
operation = "delete"
risk = "low"
items = "count"
resource_type = "mail"
resources = ["thread.id"]

[[tool]]
name = "mcp__odd__off_route"
claim = true
operation = "send"
risk = "low"

[[intent]]
id = "desk"
intent_classes = ["send", "update", "delete"]
operations = ["send", "update", "delete"]
tools = ["mcp__mail__send_mail", "mcp__billing__issue_refund", "mcp__odd__unknown_*", "mcp__odd__sends_somewhere", "mcp__odd__counts"]
resource_types = ["mail", "refund"]
resources = ["T-*", "R-*"]
max_items = 3
destinations = ["*support.example", "a@other.example"]

[[intent]]
id = "maintenance"
intent_classes = ["delete"]
operations = ["delete"]
tools = ["mcp__odd__off_route"]
grant = true

[[untrusted]]
id = "web"
tools = ["@web"]
`

// bench of claims: one policy in one spelling, and how a claim is written in it.
type claimBench struct {
	set   *policy.Set
	camel bool
}

func newClaimBench(t testing.TB, camel bool) claimBench {
	spelling := `spelling = "snake_case"`
	if camel {
		spelling = `spelling = "camelCase"`
	}
	return claimBench{mustParse(t, strings.Replace(claimsPolicy, "SPELLING", spelling, 1)), camel}
}

type members = map[string]any

// rightClaim fits rightArgs.
func rightClaim() members {
	return members{
		"schema_version": "ebte-0.1", "intent_class": "send", "selected_tool": "mcp__mail__send_mail",
		"expected_effect": members{"operation": "send", "resource_type": "mail", "resource_ids": []any{"T-1"}, "max_items": 2, "destination": "support.example"},
		"risk_tier":       "low", "uncertainty": "low", "untrusted_context": []any{}, "evidence_refs": []any{},
	}
}

func rightArgs() members {
	return members{"to": []any{"a@support.example", "b@Support.example"}, "thread": members{"id": "T-1"}, "text": "hello"}
}

// spell writes a value in the bench's spelling.
func (b claimBench) spell(v any) any {
	switch v := v.(type) {
	case members:
		out := members{}
		for name, m := range v {
			if b.camel {
				parts := strings.Split(name, "_")
				for i := 1; i < len(parts); i++ {
					parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
				}
				name = strings.Join(parts, "")
			}
			out[name] = b.spell(m)
		}
		return out
	case []any:
		out := []any{}
		for _, m := range v {
			out = append(out, b.spell(m))
		}
		return out
	}
	return v
}

// event is a call with a claim; nil is none.
func (b claimBench) event(tool string, args members, said any) hooks.Event {
	if said != nil {
		args["claim"] = b.spell(said)
	}
	text, _ := json.Marshal(args)
	return TakeClaim(b.set, pre(tool, string(text)))
}

// seenWeb is a memory in which the session has read the web.
var seenWeb = map[string][]byte{`untrusted:"repo:/repo/.gatewright/policy.toml"/"web"`: []byte(`{"digest":"d2","count":2}`)}

func keyed(text string) string { return "k" + digestOf(text)[:12] }

func (b claimBench) decide(ev hooks.Event, evidence map[string][]byte) Verdict {
	return Decide(b.set, Context{Keyed: keyed}, Facts{Now: time.Unix(1e9, 0), Evidence: evidence}, ev)
}

// conformance is a case of the suite: what is changed of a call that fits, and what
// becomes of it.
type conformance struct {
	name   string
	tool   string // "" = the one that sends mail
	claim  func(members)
	args   func(members)
	web    bool // the session has read the web
	want   Decision
	reason claim.Reason
}

func set(path string, value any) func(members) {
	return func(m members) {
		steps := strings.Split(path, ".")
		for _, s := range steps[:len(steps)-1] {
			m = m[s].(members)
		}
		if last := steps[len(steps)-1]; value == nil {
			delete(m, last)
		} else {
			m[last] = value
		}
	}
}

// null is a value of JSON, where nil takes a member away.
var null = json.RawMessage("null")

func all(changes ...func(members)) func(members) {
	return func(m members) {
		for _, change := range changes {
			change(m)
		}
	}
}

// otherTool makes the claim one for another tool, with nothing that it does not have.
func otherTool(tool, operation, class string) func(members) {
	return all(set("selected_tool", tool), set("intent_class", class), set("expected_effect.operation", operation), set("expected_effect.resource_type", null),
		set("expected_effect.resource_ids", []any{}), set("expected_effect.destination", null))
}
