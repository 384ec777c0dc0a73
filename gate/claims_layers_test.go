package gate

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gatewright/policy"
)

// narrower are layers below one with claims.
var narrower = map[string]string{
	"knows another operation":  "[[tool]]\nname = \"mcp__mail__send_mail\"\noperation = \"read\"\n",
	"knows the operation":      "[[tool]]\nname = \"mcp__odd__unknown_operation\"\noperation = \"update\"\n",
	"knows the risk":           "[[tool]]\nname = \"mcp__odd__unknown_risk\"\nrisk = \"low\"\n",
	"says low risk":            "[[tool]]\nname = \"mcp__billing__issue_refund\"\nrisk = \"low\"\n",
	"says where it sends":      "[[tool]]\nname = \"mcp__odd__sends_somewhere\"\ndestination = [\"to\"]\n",
	"says other resources":     "[[tool]]\nname = \"mcp__mail__send_mail\"\nresource_type = \"refund\"\nresources = [\"none\"]\nitems = \"none\"\n",
	"has an intent for all":    "[[intent]]\nid = \"all\"\nintent_classes = [\"read\", \"update\", \"send\", \"delete\"]\noperations = [\"read\", \"update\", \"send\", \"delete\"]\ntools = [\"mcp__mail__*\", \"mcp__odd__*\", \"mcp__billing__*\"]\n",
	"has an intent for little": "[[intent]]\nid = \"little\"\nintent_classes = [\"send\"]\noperations = [\"send\"]\ntools = [\"mcp__mail__send_mail\"]\n",
	"has untrusted inputs":     "[[untrusted]]\nid = \"files\"\nfiles = \"outside\"\n",
	"registers a tool":         "[[tool]]\nname = \"mcp__new__tool\"\nrisk = \"low\"\noperation = \"read\"\n",
	"admits all":               "[[rule]]\nid = \"all\"\neffect = \"allow\"\nmatch = { tool = [\"*\"] }\n",
}

// TestNarrowerClaims: nothing that a narrower layer says makes less of a claim's checks.
func TestNarrowerClaims(t *testing.T) {
	b := newClaimBench(t, false)
	for name, text := range narrower {
		file := filepath.Join(t.TempDir(), "policy.toml")
		if err := os.WriteFile(file, []byte("version = 1\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		more := claimBench{&policy.Set{Layers: slices.Clone(b.set.Layers)}, false}
		if _, err := policy.ReadBelow(more.set, file); err != nil {
			t.Fatal(name, err)
		}
		stricter := 0
		for _, tt := range append(compared(), conformance{name: "an unregistered tool", tool: "mcp__new__tool"}) {
			event := func(b claimBench) Decision {
				said, args := rightClaim(), rightArgs()
				for change, m := range map[*func(members)]members{&tt.claim: said, &tt.args: args} {
					if *change != nil {
						(*change)(m)
					}
				}
				return b.decide(b.event(cmp.Or(tt.tool, "mcp__mail__send_mail"), args, said), nil).Decision
			}
			before, after := event(b), event(more)
			if after < before {
				t.Errorf("a layer that %s makes %s of %s: %s", name, after, before, tt.name)
			}
			if after > before {
				stricter++
			}
		}
		if stricter == 0 && (strings.HasPrefix(name, "knows another") || strings.HasPrefix(name, "says other")) {
			t.Errorf("a layer that %s changes nothing", name)
		}
	}
}
