package gate

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
		"Bash", "Read", "Agent", "apply_patch", "Odd", "bash", "mcp__", "mcp__pay", "a__b"}
	patterns = []string{"*", "mcp__pay__refund", "refund", "mcp__pay__*", "*__delete_*", "@shell", "@read", "@write", "mcp__a__*", "mcp__a__b__*",
		"Re?d", "Bash", "mcp__*", "REFUND", "Odd*"}
	servers  = []string{"pay", "crm", "a", "a__b", "plugin_x", "*", "p?y"}
	argTexts = []string{`{}`, `{"a":5}`, `{"a":"5"}`, `{"a":null}`, `{"A":5}`, `{"a":5,"A":6}`, `{"a":5.0,"b":{"c":"x"}}`, `{"a":6,"b":{"c":true}}`,
		`{"items":[]}`, `{"items":[{"p":1},{"p":6}]}`, `{"items":[{"p":"x"},{}]}`, `{"items":"x"}`, `{"items":[{"p":[6]},{"P":6,"p":6}]}`, `{"a":6,"currency":"EUR"}`, `{"b":[{"c":[1]},{"c":[]}]}`}
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

// bench is a folder in which worlds are written and read again.
type bench struct {
	testing.TB
	dir     string
	written *world // what is there now
}

func newBench(t testing.TB) bench {
	b := bench{t, t.TempDir(), &world{}}
	for _, dir := range []string{"repo/.git", "repo/sub"} {
		b.must(os.MkdirAll(filepath.Join(b.dir, dir), 0o700))
	}
	return b
}

func (b bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// load gives the set of a world. Everything that is generated is a good policy.
func (b bench) load(w world) *policy.Set {
	b.Helper()
	for place, file := range layerFiles {
		if b.written[place] != w[place] {
			b.write(filepath.Join(b.dir, file), w[place], place != local)
		}
	}
	*b.written = w
	set, err := policy.Load(filepath.Join(b.dir, "repo", "sub"), policy.Places{Managed: filepath.Join(b.dir, "managed"), Users: []string{filepath.Join(b.dir, "user")}})
	if err != nil && !errors.Is(err, policy.ErrNone) {
		b.Fatalf("%v\n%s", err, w)
	}
	if set == nil {
		set = &policy.Set{}
	}
	return set
}

// write makes a policy file, and the folder of further ones where there can be
// one.
func (b bench) write(file string, s *sheet, parts bool) {
	more := filepath.Join(filepath.Dir(file), "policy.d")
	if parts {
		b.must(os.RemoveAll(more))
	}
	if s == nil {
		b.must(os.RemoveAll(file))
		return
	}
	texts := slices.Repeat([]string{"version = 1\n"}, 1+s.parts)
	if s.deny {
		texts[0] += "default = \"deny\"\n"
	}
	for i, table := range s.tables {
		texts[i%len(texts)] += table
	}
	b.must(os.MkdirAll(filepath.Dir(file), 0o700))
	b.must(os.WriteFile(file, []byte(texts[0]), 0o600))
	for i, text := range texts[1:] {
		b.must(os.MkdirAll(more, 0o700))
		b.must(os.WriteFile(filepath.Join(more, fmt.Sprintf("%d.toml", i)), []byte(text), 0o600))
	}
}

func (w world) String() string {
	var out strings.Builder
	for place, s := range w {
		if s != nil {
			fmt.Fprintf(&out, "# %s, default deny: %v, further files: %d\n%s", layerFiles[place], s.deny, s.parts, strings.Join(s.tables, ""))
		}
	}
	return out.String()
}

// remembered is a memory in which half of the budgets are spent and half of the
// facts are proved.
func (c *choices) remembered(set *policy.Set, ctx Context, ev hooks.Event) Facts {
	facts := Facts{Now: time.Unix(1e9, 0), Evidence: map[string][]byte{}, Spent: map[string]policy.Decimal{}}
	done := hooks.Event{Kind: hooks.PostToolUse, Client: "claude", Tool: "mcp__crm__get", Response: []byte(`{"a":5}`)}
	for _, e := range Learn(set, ctx, Memory{Now: facts.Now}, done).Evidence {
		if c.n(2) == 0 {
			facts.Evidence[e.Key] = e.Value
		}
	}
	four, _ := policy.ParseDecimal("4")
	for _, w := range Required(set, ctx, ev).Windows {
		if c.n(2) == 0 {
			facts.Spent[w.Name] = four
		}
	}
	return facts
}

// objections are all findings of an explanation, by what they say.
func objections(e Explanation, of func(Finding) bool) []string {
	var out []string
	for _, f := range append(slices.Clone(e.Verdict.Findings), e.Later...) {
		if of(f) {
			out = append(out, fmt.Sprintf("%s %s %s %s", f.Layer, f.ID, f.Decision, f.Category))
		}
	}
	slices.Sort(out)
	return out
}

func everyFinding(Finding) bool { return true }

// checkOrder: what stands first never matters, inside a file and between files.
func checkOrder(t testing.TB, b bench, c *choices) {
	w := c.world()
	ev, ctx := c.event(), c.context()
	set := b.load(w)
	facts := c.remembered(set, ctx, ev)
	before := Explain(set, ctx, facts, ev)
	other := w
	for place, s := range w {
		if s != nil {
			other[place] = &sheet{s.deny, c.shuffled(s.tables), 0}
			if place != local {
				other[place].parts = c.n(4)
			}
		}
	}
	after := Explain(b.load(other), ctx, facts, ev)
	if summary(before) != summary(after) {
		t.Fatalf("%s of %s %s\n%s\nbecame in another order\n%s\n%s\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, other)
	}
}

// summary is all of an explanation that does not depend on places.
func summary(e Explanation) string {
	lead := "no finding"
	if len(e.Verdict.Findings) > 0 {
		f := e.Verdict.Findings[0]
		lead = fmt.Sprintf("%s %s %s %v", f.Layer, f.ID, f.Category, f.Retryable)
	}
	var unlist []string
	for _, s := range e.Unlist {
		unlist = append(unlist, s.Layer+" "+s.ID)
	}
	slices.Sort(unlist)
	return fmt.Sprintf("%s by %s; all %q; unlisted by %q", e.Verdict.Decision, lead, objections(e, everyFinding), unlist)
}

// checkNarrowing: one more layer, or one more restrictive table, never lets more
// through; and what the broader layers say stays what it was.
func checkNarrowing(t testing.TB, b bench, c *choices) {
	w := c.world()
	place := c.n(places)
	more := w
	if more[place] == nil {
		more[place] = c.sheet(place)
	} else {
		more[place] = c.restricted(*w[place], place)
	}
	ev, ctx := c.event(), c.context()
	set, wider := b.load(more), b.load(w)
	facts := c.remembered(set, ctx, ev)
	before, after := Explain(wider, ctx, facts, ev), Explain(set, ctx, facts, ev)
	if after.Verdict.Decision < before.Verdict.Decision && !mayApprove(w, more, place, before, after) {
		t.Fatalf("%s of %s %s: %s\nbecame\n%s\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, summary(before), summary(after), w, more)
	}
	file := filepath.Join(b.dir, layerFiles[place])
	broader := func(f Finding) bool { return layerOrder(b, f.File) < layerOrder(b, file) }
	if was, is := objections(before, broader), objections(after, broader); !slices.Equal(was, is) {
		t.Fatalf("%s of %s %s: broader layers said\n%q, and now\n%q\n%s\nwith more:\n%s", ev.Client, ev.Tool, ev.Args, was, is, w, more)
	}
}

// restricted adds one table that may only narrow.
func (c *choices) restricted(s sheet, place int) *sheet {
	id := fmt.Sprintf("%d-new", place)
	table := c.limit(id)
	if c.n(4) > 0 {
		table = c.rule(id, c.pick("deny", "hide", "require_approval"))
	}
	s.tables = append(slices.Clone(s.tables), table)
	return &s
}

// mayApprove: only a new layer of those that may skip a prompt does so, and only
// where nobody objected.
func mayApprove(before, after world, place int, was, is Explanation) bool {
	return before[place] == nil && place <= user && was.Verdict.Decision == Pass && is.Verdict.Decision == Approve &&
		strings.Contains(strings.Join(after[place].tables, ""), string(policy.AutoApprove))
}

func layerOrder(b bench, file string) int {
	return slices.IndexFunc(layerFiles[:], func(f string) bool { return filepath.Join(b.dir, f) == file })
}

const rounds = 250

func repeat(t *testing.T, check func(testing.TB, bench, *choices)) {
	b, random := newBench(t), rand.NewPCG(1, 2)
	for range rounds {
		check(t, b, randomChoices(random))
	}
}

func randomChoices(random rand.Source) *choices {
	c := &choices{}
	for range 400 {
		c.bytes = append(c.bytes, byte(random.Uint64()>>17))
	}
	return c
}

func TestOrderDoesNotMatter(t *testing.T) { repeat(t, checkOrder) }
func TestMoreNeverLoosens(t *testing.T)   { repeat(t, checkNarrowing) }

// FuzzPolicies looks for policies and calls for which either does not hold.
func FuzzPolicies(f *testing.F) {
	random := rand.NewPCG(3, 4)
	for range 4 {
		f.Add(randomChoices(random).bytes)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		b := newBench(t)
		checkOrder(t, b, &choices{bytes})
		checkNarrowing(t, b, &choices{bytes})
	})
}
