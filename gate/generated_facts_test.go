package gate

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"gatewright/hooks"
	"gatewright/policy"
)

// Conditions over a call, and over F, a fact of the sheet; L is its lookup.
var (
	callConditions = []string{`args.a == 5`, `args.a >= lookup("L", "five")`, `lookup("L", args.b.c) == "y"`, `count(args.items, .p == 1) <= 1`, `all(args.items, .p < 6)`,
		`tool startsWith "mcp"`, `user.turns_since_write >= 1`, `user.text contains args.b.c`, `age(time("2001-09-09T01:00:00Z")) <= duration("1h")`, `(args?.a ?? 0) == 0`, `not (args.a in [5, 6])`}
	factConditions = []string{`F == 1`, `F.a == args.a`, `(F?.a ?? 5) == 5`, `len(F) >= 1`, `F >= args.a`, `any(F, # == args.a)`, `args.a in F`}
	proving        = []string{"mcp__crm__get", "mcp__pay__refund", "mcp__a__b__c"}
	responses      = []string{`{"a":5}`, `{"a":6,"b":"x"}`, `{"A":5,"a":5}`, `"text"`, `5`, `null`, `{"isError":true}`, `[5]`, `{"success":false,"error":"text"}`}
)

// enrich adds lookups, facts and what reads them to every sheet of a world.
func (c *choices) enrich(w world) world {
	for place, s := range w {
		if s == nil {
			continue
		}
		more := *s
		more.tables = append([]string{fmt.Sprintf("[[lookup]]\nid = \"l%d\"\ntable = { five = 5, x = \"y\" }\n", place)}, s.tables...)
		for i := range facts(place) {
			more.tables = append(more.tables, c.fact(place, i))
		}
		for i := range 1 + c.n(3) {
			more.tables = append(more.tables, c.reader(place, fmt.Sprintf("r%d_%d", place, i)))
		}
		w[place] = &more
	}
	return w
}

// facts is how many facts a sheet gets.
func facts(int) int { return 3 }

func factID(place, i int) string { return fmt.Sprintf("f%d_%d", place, i) }

// fact may read the facts before it: those that need themselves are no matter here.
func (c *choices) fact(place, i int) string {
	text := "[[fact]]\nid = \"" + factID(place, i) + "\"\nfrom = " + c.list(proving...) + "\n"
	wheres := []string{"", "past.result.a == args.a", "past.args.a == args.a and past.result.a == 5", "past.args.a == 5"}
	if i > 0 {
		wheres = append(wheres, "past.args.a == "+factID(place, i-1), "past.result.a == "+factID(place, i-1)+".a")
	}
	if where := c.pick(wheres...); where != "" {
		text += "where = '" + where + "'\n"
	}
	switch c.n(4) {
	case 0:
		text += "keep = \"count\"\n"
	case 1:
		text += "keep = \"sum\"\nvalue = 'past.args.a'\n"
	case 2:
		text += "keep = \"all\"\nvalue = 'past.result.a'\n" + c.pick("", "by = 'past.args.a'\n")
	default:
		text += c.pick("", "value = 'past.result.a'\n") + c.pick("", "optional = true\n") + c.pick("", "max_uses = 1\n", "max_uses = 2\n")
	}
	return text + c.pick("", "ttl = \"1h\"\n") + c.pick("", "invalidated_by = \"refund\"\n")
}

// reader is a gate or a requirement that may read the sheet's facts.
func (c *choices) reader(place int, id string) string {
	fact := factID(place, c.n(facts(place)))
	condition := func() string {
		text := c.pick(append(callConditions, strings.Split(strings.ReplaceAll(strings.Join(factConditions, "\n"), "F", fact), "\n")...)...)
		return strings.ReplaceAll(text, "\"L\"", fmt.Sprintf("%q", fmt.Sprint("l", place)))
	}
	head := "id = \"" + id + "\"\ntools = " + c.list(patterns...) + "\n"
	switch c.n(8) {
	case 0:
		return "[[retry]]\n" + head + c.pick("", "max = 1\n", "after = \"1h\"\n") + c.pick("", "until = \"get\"\n")
	case 1:
		return c.failure(head)
	}
	if c.n(3) == 0 {
		key := c.pick("needs", "any_of", "unless")
		text := "[[gate]]\n" + head + key + " = \"" + fact + "\"\n"
		if key != "unless" && c.n(2) == 0 {
			text += "where = '" + condition() + "'\n"
		}
		return text
	}
	text := "[[require]]\n" + head + "use = \"" + fact + "\"\n" + c.pick("", "missing = \"skip\"\n", "missing = \"ask\"\n") + c.pick("", "else = \"ask\"\n")
	if c.n(2) == 0 {
		text += "if = '" + condition() + "'\n"
	}
	return text + c.pick("all", "any") + " = ['" + condition() + "', '" + condition() + "']\n"
}

// failure says what some ends mean.
func (c *choices) failure(head string) string {
	return "[[error]]\n" + head + c.pick("where = 'past.result.a == 5'\n", "text = 'text'\n", "status = 503\n") +
		c.pick("empty = true\n", "success = true\n", "category = \"TRANSIENT\"\n", "category = \"BUSINESS\"\n")
}

// session is a memory that some calls and prompts have left.
func (c *choices) session(set *policy.Set, ctx Context, ev hooks.Event) Facts {
	facts := c.remembered(set, ctx, ev)
	c.ends().leave(&facts, set, ctx)
	for _, e := range Decide(set, ctx, facts, pre("mcp__pay__refund", `{"a":5}`)).Uses {
		facts.Evidence[e.Key] = e.Value
	}
	return facts
}

// past is what has happened in a session, and how long ago.
type past []struct {
	ev  hooks.Event
	ago time.Duration
}

func (c *choices) ends() past {
	list := make(past, 2+c.n(4))
	for i := range list {
		done := finished(c.pick(proving...), c.pick(argTexts...), c.pick(responses...))
		done.ToolUseID = fmt.Sprint("t", i)
		switch c.n(4) {
		case 0:
			done = hooks.Event{Kind: hooks.UserPrompt, Prompt: c.pick("x", "y")}
		case 1:
			done.Kind, done.Error = hooks.PostToolUseFailure, c.pick("text", `{"status":503}`, `{"status":422}`)
		}
		list[i].ev, list[i].ago = done, time.Duration(c.n(3))*40*time.Minute
	}
	return list
}

// leave is what is learnt of it.
func (p past) leave(facts *Facts, set *policy.Set, ctx Context) {
	for _, e := range p {
		l := Learn(set, ctx, Memory{Now: facts.Now.Add(-e.ago), User: facts.User}, e.ev)
		for _, prefix := range l.Stale {
			maps.DeleteFunc(facts.Evidence, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
		}
		for _, e := range l.Evidence {
			facts.Evidence[e.Key] = e.Value
		}
		if l.User != nil {
			facts.User = *l.User
		}
	}
}
