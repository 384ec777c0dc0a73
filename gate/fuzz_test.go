package gate

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"gatewright/hooks"
	"gatewright/policy"

	"github.com/tidwall/gjson"
)

// restrictive are tables that may only ever narrow.
var restrictive = []string{
	"[[rule]]\nid = \"r1\"\neffect = \"deny\"\nmatch = { tool = \"*refund\", arg = [{ path = \"a\", gt = 5 }] }\n",
	"[[rule]]\nid = \"r2\"\neffect = \"require_approval\"\nmatch = { tool = [\"*\"], arg = [{ path = \"b.c\", ne = \"x\" }] }\nexcept = { tool = \"Read\" }\n",
	"[[rule]]\nid = \"r3\"\neffect = \"deny\"\nmatch = { operation = \"delete\" }\n",
	"[[limit]]\nid = \"l1\"\ntools = \"refund\"\namount = \"a\"\nmax = \"5\"\n",
	"[[limit]]\nid = \"l2\"\ntools = \"refund\"\namount = \"items[].a\"\nmax = 9\nover = \"ask\"\nper = \"session\"\n",
	"[[limit]]\nid = \"l3\"\ntools = \"*\"\namount = \"a\"\nmax = 9\nper = \"1d\"\nkey = [\"b\"]\ncurrency = \"USD\"\n",
	"[[gate]]\nid = \"g1\"\ntools = \"refund\"\nneeds = \"f\"\n",
	"[[rule]]\nid = \"r4\"\neffect = \"hide\"\nmatch = { tool = \"Bash\" }\nwhen = { client = \"codex\" }\n",
}

const fuzzFacts = "version = 1\n[[fact]]\nid = \"f\"\nfrom = \"mcp__s__verify\"\nwhere = \"past.result.id == args.id\"\n"

func maskedSet(t testing.TB, mask uint8) *policy.Set {
	text := strings.TrimPrefix(fuzzFacts, "version = 1\n")
	for i, table := range restrictive {
		if mask&(1<<i) != 0 {
			text += table
		}
	}
	return mustParse(t, text)
}

// FuzzNarrowing: adding a restrictive table never makes the verdict looser, and
// a call that is not denied has a plain positive amount wherever a limit reads
// one.
func FuzzNarrowing(f *testing.F) {
	f.Add(uint8(0), uint8(255), "mcp__s__refund", `{"a":4,"id":"x"}`, true)
	f.Add(uint8(1), uint8(8), "mcp__s__refund", `{"a":"6"}`, false)
	f.Add(uint8(0x40), uint8(0x0f), "Bash", `{"A":null,"b":{"c":"x"}}`, true)
	f.Fuzz(func(t *testing.T, few, more uint8, tool, args string, canAsk bool) {
		if !json.Valid([]byte(args)) || hooks.Strict([]byte(args)) != nil || !strings.HasPrefix(strings.TrimSpace(args), "{") {
			return
		}
		ev := pre(tool, args)
		ev.CanAsk = canAsk
		facts := Facts{Now: time.Unix(1e9, 0)}
		loose := Decide(maskedSet(t, few), Context{}, facts, ev)
		strict := Decide(maskedSet(t, few|more), Context{}, facts, ev)
		if strict.Decision < loose.Decision {
			t.Errorf("%v became %v with more tables", loose.Decision, strict.Decision)
		}
		if strict.Decision == Deny && len(strict.Reserve) > 0 {
			t.Error("a denied call reserves something")
		}
		for _, r := range strict.Reserve {
			if r.Amount.Sign() <= 0 {
				t.Errorf("reserves %s", r.Amount)
			}
		}
	})
}

// FuzzReach: of any line, and of any envelope, what it reaches is a call with a tool and
// arguments that are JSON, and nothing makes less of the verdict on the call itself.
func FuzzReach(f *testing.F) {
	for _, line := range []string{`stripe refunds create --amount 90000`, `A=1 sudo -u x stripe refunds create -a "$X" -d '{"a":1}'`, `{"tool_slug":"issue_refund","arguments":"{}"}`, `{"calls":[{"call":{"name":"x"}}]}`} {
		f.Add(line)
	}
	set := mustParse(f, stripe+dispatched[:strings.Index(dispatched, "[[limit]]")])
	f.Fuzz(func(t *testing.T, text string) {
		args, _ := json.Marshal(map[string]string{"command": text})
		calls := []hooks.Event{pre("Bash", string(args))}
		if hooks.Strict([]byte(text)) == nil && strings.HasPrefix(text, "{") {
			calls = append(calls, pre("mcp__composio__execute", text), pre("mcp__a__multi_execute", text))
		}
		for _, ev := range calls {
			for _, call := range Reach(set, Context{}, ev).Calls {
				if call.Tool == "" || call.Through == "" || hooks.Strict(call.Args) != nil || !gjson.ParseBytes(call.Args).IsObject() {
					t.Fatalf("%q reaches %+v", text, call)
				}
			}
			if own, all := Decide(set, Context{}, Facts{}, ev), through(set, ev); all.Decision < own.Decision {
				t.Fatalf("%q: %s by itself, %s with what it reaches", text, own.Decision, all.Decision)
			}
		}
	})
}
