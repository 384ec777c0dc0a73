package gate

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"gatewright/policy"
)

const claimTables = `
[[tool]]
name = ["mcp__crm__get", "mcp__pay__refund", "mcp__a__b__c"]
claim = true
operation = "update"
risk = "low"
[claims]
intent_classes = ["send"]
resource_types = ["mail"]
[[intent]]
id = "claims-all"
intent_classes = ["send"]
operations = ["update"]
tools = ["mcp__*"]
[[untrusted]]
id = "claims-web"
tools = ["@web"]
`

// TestClaimsAmongAllKinds: whatever the other tables are, a claim makes less of none of
// them.
func TestClaimsAmongAllKinds(t *testing.T) {
	b, random, said := newBench(t), rand.NewPCG(17, 18), map[Decision]int{}
	for i := range rounds {
		c := randomChoices(random)
		c.bytes = append(c.bytes, randomChoices(random).bytes...)
		w := c.world()
		if i%2 == 0 {
			w = c.enrich(w)
		}
		set := b.load(w)
		if set.Empty() {
			continue
		}
		ev, ctx := c.event(), c.context()
		ctx.Keyed = keyed
		if ev.Tool = c.pick(proving...); ev.Args == nil {
			ev.Args = []byte("{}")
		}
		facts := c.session(set, ctx, ev)
		with, without := withClaims(t, set, true), withClaims(t, set, false)
		alone := Decide(without, ctx, facts, ev)

		right := rightClaim()
		otherTool(ev.Tool, "update", "send")(right)
		kind := c.n(3)
		switch kind {
		case 1:
			right["uncertainty"] = "high"
		case 2:
			right["selected_tool"] = "mcp__x__y"
		}
		text, _ := json.Marshal(right)
		call := ev
		call.Args = []byte(strings.TrimSuffix(string(ev.Args), "}") + map[bool]string{true: "", false: ","}[strings.TrimSpace(string(ev.Args)) == "{}"] + `"claim":` + string(text) + "}")
		v := Decide(with, ctx, facts, TakeClaim(with, call))
		said[v.Decision]++
		if v.Decision < alone.Decision || kind == 2 && v.Decision != Deny || kind == 1 && v.Decision < Ask {
			t.Fatalf("%s %s: %s without claims, %s with one of kind %d\n%+v", ev.Tool, call.Args, alone.Decision, v.Decision, kind, v.Findings)
		}
	}
	if said[Pass] == 0 || said[Ask] == 0 || said[Deny] == 0 {
		t.Errorf("%v", said)
	}
}

// withClaims adds the tools to the broadest layer, and what is said of claims.
func withClaims(t *testing.T, set *policy.Set, claims bool) *policy.Set {
	t.Helper()
	parsed, err := policy.Parse(set.Layers[0].Name, set.Layers[0].File, []byte("version = 1\n"+claimTables))
	if err != nil {
		t.Fatal(err)
	}
	broad := *set.Layers[0]
	broad.Tools = append(append([]policy.Tool{}, broad.Tools...), parsed.Tools...)
	if claims {
		broad.Claims, broad.Intents, broad.Untrusted = parsed.Claims, parsed.Intents, parsed.Untrusted
	}
	return &policy.Set{Layers: append([]*policy.Layer{&broad}, set.Layers[1:]...)}
}
