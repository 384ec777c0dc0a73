package policy

import (
	"errors"
	"strings"
	"testing"
)

// TestClaimTables: what is wrong with tables about claims, each with its place.
func TestClaimTables(t *testing.T) {
	const (
		claims = "version = 1\n[claims]\nintent_classes = [\"send\"]\nresource_types = [\"mail\"]\n"
		intent = claims + "[[intent]]\nid = \"i\"\nintent_classes = [\"send\"]\noperations = [\"send\"]\ntools = [\"mcp__a__b\"]\n"
	)
	for text, want := range map[string]string{
		"version = 1\n[claims]\n":                                           "2: [[claims]] has no intent_classes",
		claims + "schema_version = \"ebte-9\"":                              "5: schema_version cannot be",
		claims + "spelling = \"kebab\"":                                     "5: spelling cannot be",
		claims + "unregistered = \"deny\"":                                  "5: unregistered cannot be",
		claims + "require_evidence = [\"rumour\"]":                          "5: require_evidence cannot be",
		claims + "max_list = 0":                                             "5: max_list must be",
		strings.Replace(claims, "\"send\"", "\"to send\"", 1):               "is no identifier",
		"version = 1\n[[tool]]\nname = \"mcp__a__b\"\nclaim = true\n":       "2: claim = true without [claims]",
		"version = 1\n[[untrusted]]\nid = \"w\"\ntools = [\"@web\"]\n":      "2: this is about claims, and there is no [claims]",
		claims + "[[tool]]\nname = \"Bash\"\nclaim = true\n":                "7: Bash is a client's own tool",
		claims + "[[tool]]\nname = \"@write\"\nclaim = true\n":              "7: @write is a client's own tool",
		claims + "[[untrusted]]\nid = \"w\"\n":                              "5: [[untrusted]] names no input",
		claims + "[[untrusted]]\nid = \"the web\"\ntools = [\"@web\"]\n":    "6: this id is what claims cite",
		claims + "[[untrusted]]\nid = \"w\"\nfiles = \"inside\"\n":          "7: files cannot be",
		strings.Replace(intent, "[\"send\"]\ntools", "[\"pay\"]\ntools", 1): "8: operations cannot be",
		intent + "from_env = true\nwhen = { \"env.X\" = \"1\" }\n":          "10: the environment opens an intent only where",
		intent + "when = { \"env.X\" = \"1\" }\n":                           "10: the environment may only narrow",
		intent + "when = {}\n":                                              "10: an empty when",
		"version = 1\n[[claims]]\nintent_classes = \"a\"\nresource_types = \"b\"\n[[claims]]\nid = \"c\"\nintent_classes = \"a\"\nresource_types = \"b\"\n": "5: there is more than one [claims]",
	} {
		_, err := Parse(Repo, "/p.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
	if _, err := Parse(User, "/p.toml", []byte(intent+"from_env = true\nwhen = { \"env.X\" = \"1\" }\n")); err != nil {
		t.Errorf("the user may open an intent by the environment: %v", err)
	}
}

// TestClaimsOfLayers: only one layer says how claims are written; a narrower one can ask
// for more of them, and makes no tool known.
func TestClaimsOfLayers(t *testing.T) {
	const claims = "version = 1\n[claims]\nintent_classes = [\"send\"]\nresource_types = [\"mail\"]\n"
	broad, err := Parse(Managed, "/m.toml", []byte(claims))
	if err != nil {
		t.Fatal(err)
	}
	var problems Problems
	if _, err := parse(Repo, broad, []Text{{"/r.toml", []byte(claims)}}, Reading{}); !errors.As(err, &problems) || !strings.Contains(err.Error(), "2: a broader policy has [claims] already") {
		t.Errorf("another form of claims: %v", err)
	}
	narrow, err := parse(Repo, broad, []Text{{"/r.toml", []byte("version = 1\n[[tool]]\nname = \"mcp__a__b\"\nclaim = true\n")}}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	set, caller := &Set{Layers: []*Layer{broad, narrow}}, Caller{Tool: "mcp__a__b"}
	if form, owner := set.Claims(); form == nil || owner != broad {
		t.Error("the form is not the broad layer's")
	}
	if !set.NeedsClaim(caller) || broad.Registers(caller) || !narrow.Registers(caller) {
		t.Error("a narrower layer asks for a claim, and makes no tool known to a broader one")
	}
}
