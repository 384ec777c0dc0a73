package policy

import (
	"gatewright/policy/wildcard"
	"regexp"
	"strings"
	"testing"
)

// FuzzGlob: a glob is the regular expression that everybody expects.
func FuzzGlob(f *testing.F) {
	f.Add("*__delete_?*", "mcp__billing__delete_x")
	f.Add("a*b*c", "aXbYc")
	f.Add("?", "é")
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 40 || len(s) > 200 || !isText(pattern) || !isText(s) {
			return
		}
		expr := regexp.QuoteMeta(pattern)
		expr = strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(expr)
		want := regexp.MustCompile(`(?s)\A` + expr + `\z`).MatchString(s)
		if got := wildcard.Match(pattern, s); got != want {
			t.Fatalf("Glob(%q, %q) = %v", pattern, s, got)
		}
	})
}

func isText(s string) bool { return strings.ToValidUTF8(s, "") == s }

// FuzzParse: an error gives no layer, and every problem names the file.
func FuzzParse(f *testing.F) {
	f.Add("version = 1\n[[rule]]\nid = \"r\"\neffect = \"deny\"\nmatch = { tool = [\"*\"], arg = [{ path = \"a\", eq = 1 }] }\n")
	f.Add("version = 1\n[[limit]]\nid = 'l'\ntools = 'x'\namount = 'a'\nmax = '5'\nper = '7d'\nkey = ['k']\nscale = 100\n")
	f.Add("version = 1\n[[fact]]\nid = 'f'\nfrom = 'mcp__a__b'\nwhere = \"past.result == 'x' && past.args.a == args.b\"\n")
	f.Add("a = [[1],\n[2]]\n[[x]]\nb = '''\n[[y]]\n'''")
	f.Fuzz(func(t *testing.T, text string) {
		layer, err := Parse("repo", "p.toml", []byte(text))
		if err == nil {
			if layer == nil {
				t.Fatal("neither a layer nor an error")
			}
			return
		}
		problems, ok := err.(Problems)
		if !ok || layer != nil || len(problems) == 0 {
			t.Fatalf("%v %v", layer, err)
		}
		for _, p := range problems {
			if p.File != "p.toml" || p.Message == "" || p.Line < 0 || p.Line > strings.Count(text, "\n")+1 {
				t.Fatalf("a problem without a place: %+v", p)
			}
		}
	})
}

// TestJoinKeys: keys of a join are equal exactly if the values are.

func TestDescribe(t *testing.T) {
	layer, err := Parse("repo", "p", []byte(`version = 1
[[tool]]
name = "mcp__a__*"
operation = "read"
risk = "low"
tags = ["a"]
[[tool]]
name = "mcp__a__x"
operation = "delete"
risk = "high"
tags = ["b"]
`))
	if err != nil {
		t.Fatal(err)
	}
	if d := describe(layer.Tools, Caller{Tool: "mcp__a__x"}); d.Operation != "" || d.Risk != High || !d.HasTag("a", true) || !d.HasTag("b", true) {
		t.Errorf("entries that disagree: %+v", d)
	}
	if d := describe(layer.Tools, Caller{Tool: "mcp__a__y"}); d.Operation != Read || d.Risk != Low {
		t.Errorf("one entry: %+v", d)
	}
	if d := describe(layer.Tools, Caller{Tool: "MCP__A__y"}); d.Operation != "" || d.Risk != UnknownRisk {
		t.Errorf("another name: %+v", d)
	}
}

// TestLines: findings name the line of their table, whatever stands around it.
func TestLines(t *testing.T) {
	text := "version = 1 # [[rule]]\nx = \"\"\"\n[[rule]]\n\"\"\"\n[[rule]] # one\nid = \"a\"\neffect = \"deny\"\nmatch = { tool = [\n  \"x\", # [[rule]]\n  '''[[rule]]''',\n] }\n\n  [[ rule ]]\nid=\"b\"\neffect=\"deny\"\n[rule.match]\ntool=\"y\"\n"
	var lines []int
	for _, m := range marksOf(strings.Split(text, "\n")) {
		if m.table == "rule" {
			lines = append(lines, m.line)
		}
	}
	if len(lines) != 2 || lines[0] != 5 || lines[1] != 13 {
		t.Errorf("got %v", lines)
	}
}
