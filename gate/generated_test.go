package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/policy"
)

// choices decide what a generated policy or event is made of. A fuzzer changes
// them byte by byte; when they are used up, the first of everything is chosen.
type choices struct{ bytes []byte }

func (c *choices) n(below int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := c.bytes[0]
	c.bytes = c.bytes[1:]
	return int(b) % below
}

func (c *choices) pick(list ...string) string { return list[c.n(len(list))] }

// list is a TOML list of one or two of the words.
func (c *choices) list(words ...string) string {
	out := `"` + c.pick(words...) + `"`
	if c.n(3) == 0 {
		out += `, "` + c.pick(words...) + `"`
	}
	return "[" + out + "]"
}

// shuffled is a permutation of the list.
func (c *choices) shuffled(list []string) []string {
	out := slices.Clone(list)
	for i := len(out) - 1; i > 0; i-- {
		j := c.n(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

var (
	toolNames = []string{"mcp__pay__refund", "mcp__pay__delete_x", "mcp__crm__get", "mcp__a__b__c", "mcp__plugin_x__y", "mcp__Pay__refund",
		"Bash", "Read", "Agent", "apply_patch", "Odd", "bash", "mcp__", "mcp__pay", "a__b", "Write"}
	patterns = []string{"*", "mcp__pay__refund", "refund", "mcp__pay__*", "*__delete_*", "@shell", "@read", "@write", "mcp__a__*", "mcp__a__b__*",
		"Re?d", "Bash", "mcp__*", "REFUND", "Odd*"}
	servers  = []string{"pay", "crm", "a", "a__b", "plugin_x", "*", "p?y"}
	argTexts = []string{`{}`, `{"a":5}`, `{"a":"5"}`, `{"a":null}`, `{"A":5}`, `{"a":5,"A":6}`, `{"a":5.0,"b":{"c":"x"}}`, `{"a":6,"b":{"c":true}}`,
		`{"items":[]}`, `{"items":[{"p":1},{"p":6}]}`, `{"items":[{"p":"x"},{}]}`, `{"items":"x"}`, `{"items":[{"p":[6]},{"P":6,"p":6}]}`, `{"a":6,"currency":"EUR"}`, `{"b":[{"c":[1]},{"c":[]}]}`,
		`{"file_path":"/repo/a/x.pem"}`, `{"file_path":5}`, `{"command":"rm -rf /repo/a x.pem"}`, `{"command":"echo > /repo/b/y; tee $X"}`, `{"command":"*** Add File: a/x\n"}`}
	operators = []string{"eq = 5", `eq = "x"`, "ne = 5", "gt = 5", "le = 5", `in = ["x", "5"]`, "not_in = [5, 6]", `glob = "?"`, "exists = true",
		"exists = false", `type = "number"`, `type = "null"`}
)

// The places of layers, broad to narrow.
const (
	managed = iota
	user
	repo
	nested
	local
	places
)

var layerFiles = [places]string{"managed/policy.toml", "user/policy.toml", "repo/.gatewright/policy.toml", "repo/sub/.gatewright/policy.toml", "repo/.gatewright/local.toml"}

// sheet is the policy of one layer.
type sheet struct {
	deny   bool
	tables []string
	parts  int // files of a policy.d over which the tables are spread
}

// world is all policies that apply; nil where there is none.
type world [places]*sheet

func (c *choices) world() world {
	var w world
	for place := range w {
		if c.n(2) == 0 {
			w[place] = c.sheet(place)
		}
	}
	return w
}

func (c *choices) sheet(place int) *sheet {
	s := &sheet{deny: c.n(3) == 0}
	for i := range 1 + c.n(5) {
		id := fmt.Sprintf("%d-%c%d", place, 'a'+rune(c.n(3)), i)
		switch c.n(8) {
		case 0:
			s.tables = append(s.tables, c.tool())
		case 1:
			s.tables = append(s.tables, c.limit(id))
		case 2:
			s.tables = append(s.tables, "[[fact]]\nid = \"f"+id+"\"\nfrom = \"mcp__crm__get\"\nwhere = 'past.result.a == args.a'\n",
				"[[gate]]\nid = \""+id+"\"\ntools = "+c.list(patterns...)+"\nneeds = \"f"+id+"\"\n")
		default:
			s.tables = append(s.tables, c.rule(id, c.effect(place <= user)))
		}
	}
	return s
}

func (c *choices) effect(mayApprove bool) string {
	effects := []string{"deny", "allow", "hide", "require_approval", "allow", "auto_approve"}
	if !mayApprove {
		effects = effects[:5]
	}
	return c.pick(effects...)
}

func (c *choices) tool() string {
	return "[[tool]]\nname = " + c.list("mcp__pay__refund", "mcp__pay__*", "mcp__*", "Bash", "*", "mcp__a__b__c") + "\n" + c.pick(
		"tags = [\"money\"]", "tags = [\"safe\"]", "operation = \"read\"", "operation = \"delete\"", "risk = \"low\"", "risk = \"high\"", "exposure = \"direct\"", "exposure = \"deferred\"") + "\n"
}

func (c *choices) limit(id string) string {
	return "[[limit]]\nid = \"" + id + "\"\ntools = " + c.list(patterns...) + "\namount = " + c.pick(`"a"`, `"items[].p"`) + "\nmax = \"5\"\n" +
		c.pick("", "over = \"ask\"\n", "currency = \"USD\"\n") + c.pick("", "per = \"session\"\n", "per = \"1d\"\nkey = [\"b.c\"]\n")
}

func (c *choices) rule(id, effect string) string {
	text := "[[rule]]\nid = \"" + id + "\"\neffect = \"" + effect + "\"\nmatch = " + c.match() + "\n"
	if c.n(4) == 0 {
		text += "except = " + c.match() + "\n"
	}
	if c.n(4) == 0 {
		text += "when = { " + c.when(effect) + " }\n"
	}
	text += c.surfaces(effect)
	if c.n(4) == 0 {
		text += "category = \"" + c.pick("BUSINESS", "VALIDATION") + "\"\n"
	}
	return text
}

func (c *choices) when(effect string) string {
	keys := []string{`client = "claude"`, `client = "c*"`, `permission_mode = ["plan", "d*"]`, `agent_type = "*"`, `"env.CHANNEL" = "slack*"`}
	if policy.Effect(effect).Admits() {
		keys = keys[:4]
	}
	return c.pick(keys...)
}

func (c *choices) surfaces(effect string) string {
	if c.n(3) > 0 {
		return ""
	}
	on := []string{`["catalog", "search", "call"]`, `["call"]`, `["call", "search"]`, `["search"]`, `["catalog", "search"]`}
	switch policy.Effect(effect) {
	case policy.RequireApproval, policy.AutoApprove:
		on = on[:3]
	case policy.Hide:
		on = []string{on[0], on[4]}
	}
	return "on = " + c.pick(on...) + "\n"
}

func (c *choices) match() string {
	fields := map[string]string{}
	for range 1 + c.n(2) {
		switch c.n(9) {
		case 0, 1:
			fields["tool"] = c.list(patterns...)
		case 2:
			fields["server"] = c.list(servers...)
		case 3:
			fields["tag"] = c.list("money", "safe")
		case 4:
			fields["family"] = c.list("shell", "read", "agent")
		case 5:
			fields["category"] = c.list("builtin", "mcp", "plugin", "agent")
		case 6:
			fields[c.pick("exposure", "exposure")] = c.list("direct", "deferred")
		case 7:
			fields["operation"] = c.list("read", "delete", "execute")
		case 8:
			fields[c.pick("risk_at_least", "risk_at_most")] = `"medium"`
		}
	}
	if c.n(6) == 5 {
		fields["path"] = c.list("/repo/a/**", "*.pem", "**/y", "/**")
	}
	if c.n(3) == 0 {
		fields["arg"] = "[" + c.condition() + "]"
	}
	return inline(fields)
}

func inline(fields map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		out = append(out, key+" = "+fields[key])
	}
	return "{ " + strings.Join(out, ", ") + " }"
}

func (c *choices) condition() string {
	if c.n(2) == 0 {
		return "{ path = " + c.pick(`"a"`, `"b.c"`) + ", " + c.pick(operators...) + " }"
	}
	return "{ path = " + c.pick(`"items[].p"`, `"items[]"`, `"b[].c[]"`) + ", " + c.pick("any", "all") + " = { " + c.pick(operators...) + " } }"
}

func (c *choices) event() hooks.Event {
	ev := pre(c.pick(toolNames...), c.pick(argTexts...))
	ev.Client = c.pick("claude", "codex")
	ev.Mode = c.pick("default", "plan", "bypassPermissions", "")
	ev.CanAsk = ev.Client == "claude" && c.n(4) > 0
	ev.AgentType = c.pick("", "Explore")
	if strings.HasPrefix(ev.Tool, "mcp__") && ev.Client == "claude" {
		ev.Server = c.pick("", "pay", "a", "a__b", "plugin:x")
		ev.ServerSource = c.pick("", "user", "plugin", "agent")
	}
	return ev
}

func (c *choices) context() Context {
	value := c.pick("slack-1", "", "mail")
	return Context{Project: "/repo", Env: func(string) string { return value }}
}
