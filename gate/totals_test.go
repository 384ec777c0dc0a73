package gate

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var totalFacts = []string{
	`keep = "count"`,
	`keep = "count"` + "\n" + `where = 'past.args.id == args.id'`,
	`keep = "count"` + "\n" + `where = 'past.args.id == args.id and past.result.ok == true and past.result.n > 1'`,
	`keep = "count"` + "\n" + `where = 'past.args.id == args.id and past.result.n < args.n'`,
	`keep = "sum"` + "\n" + `value = 'past.result.n'`,
	`keep = "sum"` + "\n" + `where = 'past.result.ok == true and past.args.id == args.id'` + "\n" + `value = 'past.result.n / 3'`,
	`keep = "all"` + "\n" + `by = 'past.args.id'` + "\n" + `where = 'past.result.of == args.id'` + "\n" + `value = 'past.result.n'`,
	`keep = "count"` + "\n" + `where = 'past.args.id == args.id and past.result.of == args.of'`,
}

// TestTotalsAreWhatTheRecordsComeTo: what is kept of many calls says what going
// through all of them says, whatever the calls were.
func TestTotalsAreWhatTheRecordsComeTo(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	id := func() string { return pick(`1`, `2`, `1.0`, `2`, `1`, pick(`1`, `"1"`, `[1]`, `null`)) }
	answers := map[string]int{}
	for range 600 {
		fact, value := pick(totalFacts...), "f"
		if strings.Contains(fact, `"all"`) {
			value = "len(f)"
		}
		m := newMemo(t, factNamed("f", `scope = "`+pick("session", "agent")+`"`, `from = ["mcp__s__get", "mcp__s__renew"]`, fact, `invalidated_by = ["spoil", "renew"]`)+requireNamed("r", `use = "f"`, "all = ['"+value+" == args.want']"))
		for range random.IntN(12) {
			ev := finished(pick(toolGet, toolGet, toolGet, toolGet, toolGet, "mcp__s__renew"), fmt.Sprintf(`{"id":%s}`, id()),
				fmt.Sprintf(`{"ok":%s,"n":%s,"of":%s}`, pick(`true`, `true`, `false`, `true`, `1`), pick(`1`, `2`, `0.1`, `3`, `2`, `1`, `"x"`), id()))
			ev.ToolUseID = pick("a", "b", fmt.Sprint(random.Int()))
			m.in(pick("", "", "a")).later(time.Duration(random.IntN(8)) * time.Second).learn(ev)
			if random.IntN(20) == 0 {
				m.did("mcp__s__spoil", `{}`, `{}`)
			}
			for _, want := range []string{"0", "1", "2", "3", "4"} {
				args := fmt.Sprintf(`{"id":%s,"of":%s,"n":2,"want":%s}`, id(), id(), want)
				quick, slow := saidOf(m.judge("mcp__s__do", args, "")), saidOf(m.withoutTotals().judge("mcp__s__do", args, ""))
				if answers[quick]++; quick != slow {
					t.Fatalf("%s: %q, and record by record %q\n%s", args, quick, slow, m.listed())
				}
			}
		}
	}
	if answers[""] < 500 || answers["r deny"] < 500 || answers["r unknown"] < 500 {
		t.Errorf("%v", answers)
	}
}

// withoutTotals is the same memory where every record is compared by itself.
func (m *memo) withoutTotals() *memo {
	other, f := *m, m.set.Layers[0].Facts[0]
	other.evidence = map[string][]byte{}
	for key, kept := range m.evidence {
		if strings.HasPrefix(key, gatheredPrefix(f)) {
			other.evidence[oddPrefix(f)+key] = kept
		}
	}
	return &other
}

func (m *memo) listed() string {
	text := ""
	for _, key := range slices.Sorted(maps.Keys(m.evidence)) {
		text += fmt.Sprintf("%s = %s\n", key, m.evidence[key])
	}
	return text
}

// TestTotalsOfAnotherPolicy: a policy that is changed within a session does not
// believe what the one before added up.
func TestTotalsOfAnotherPolicy(t *testing.T) {
	reader := requireNamed("r", `use = "f"`, `all = ['f == args.want']`)
	m := newMemo(t, factNamed("f", fromGet, `keep = "count"`, `where = 'past.args.id == args.id'`)+reader)
	m.did(toolGet, `{"id":1}`, `{"ok":true,"of":2}`).did(toolGet, `{"id":1}`, `{"ok":false,"of":1}`).want("before", `{"id":1,"want":2}`, "")
	for name, tt := range map[string]struct{ where, args, want string }{
		"one more term":                  {`past.args.id == args.id and past.args.id > 0`, `{"id":1,"want":2}`, ""},
		"what was not kept is not known": {`past.args.id == args.id and past.result.ok == true`, `{"id":1,"want":2}`, "r unknown"},
		"another join":                   {`past.args.id == args.other`, `{"other":1,"want":2}`, ""},
		"no join":                        {`past.args.id < 2`, `{"want":2}`, ""},
	} {
		m.set = mustParse(t, factNamed("f", fromGet, `keep = "count"`, "where = '"+tt.where+"'")+reader)
		m.want(name, tt.args, tt.want)
	}
}

// TestTotalsOfAnotherTable: nor what a table said that says something else now.
func TestTotalsOfAnotherTable(t *testing.T) {
	text := func(word string) string {
		return "[[lookup]]\nid = \"t\"\ntable = { five = \"" + word + "\" }\n" +
			factNamed("f", fromGet, `keep = "count"`, `where = 'lookup("t", past.args.word) == "yes"'`) + requireNamed("r", `use = "f"`, `all = ['f == args.want']`)
	}
	m := newMemo(t, text("yes")).did(toolGet, `{"word":"five"}`, `{}`).want("yes", `{"want":1}`, "")
	m.set = mustParse(t, text("no"))
	m.want("no", `{"want":0}`, "")
}

// TestTotalsThroughOtherPolicies: calls that were kept while the policy said
// something else count once it says again what it said.
func TestTotalsThroughOtherPolicies(t *testing.T) {
	reader := requireNamed("r", `use = "f"`, `all = ['f == args.want']`)
	count := factNamed("f", fromGet, `keep = "count"`, sameArgs) + reader
	for name, between := range map[string]string{
		"for a time":   factNamed("f", fromGet, `keep = "count"`, sameArgs, `ttl = "1h"`),
		"a list":       factNamed("f", fromGet, `keep = "all"`, sameArgs),
		"what now is":  factNamed("f", fromGet, `keep = "count"`, `where = 'past.args.id == args.id and now > time("2001-01-01")'`),
		"an age":       factNamed("f", fromGet, `keep = "count"`, `where = 'past.args.id == args.id and age("2001-01-01") > duration("1h")'`),
		"another join": factNamed("f", fromGet, `keep = "count"`, `where = 'past.args.id == args.other'`),
		"a sum":        factNamed("f", fromGet, `keep = "sum"`, sameArgs, `value = "1"`),
	} {
		m := newMemo(t, count)
		m.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		m.did(toolGet, `{"id":1}`, `1`).did(toolGet, `{"id":1}`, `1`)
		m.set = mustParse(t, between)
		m.did(toolGet, `{"id":1}`, `1`).did(toolGet, `{"id":1}`, `1`).did(toolGet, `{"id":2}`, `1`)
		m.set = mustParse(t, count)
		m.want(name, `{"id":1,"want":4}`, "").did(toolGet, `{"id":1}`, `1`).want(name+", one more", `{"id":1,"want":5}`, "")
	}

	// The newest call only is kept in between; of two it is one.
	m := newMemo(t, count).did(toolGet, `{"id":1}`, `1`)
	m.set = mustParse(t, factNamed("f", fromGet, sameArgs)+gateNamed("g", `unless = "f"`))
	m.want("counted calls are in doubt for the newest", `{"id":2}`, "g gate")
	m.did(toolGet, `{"id":1}`, `1`).did(toolGet, `{"id":1}`, `1`).want("the newest", `{"id":1}`, "g gate")
	m.set = mustParse(t, count)
	m.want("counted after the newest", `{"id":1,"want":2}`, "")
}

const sameArgs = `where = 'past.args.id == args.id'`

// TestLongTextsAreNoOthers: a text that is written like the digest of another one is
// not about the same thing.
func TestLongTextsAreNoOthers(t *testing.T) {
	long := strings.Repeat("k", 2000)
	m := newMemo(t, factNamed("f", fromGet, `keep = "count"`, sameArgs)+requireNamed("r", `use = "f"`, `all = ['f == args.want']`))
	m.did(toolGet, `{"id":"`+long+`"}`, `1`).want("itself", `{"id":"`+long+`","want":1}`, "")
	m.want("its digest", `{"id":"`+shortKey("s" + long)[1:]+`","want":0}`, "")
}

// TestTotalsOfAges: what was true of a call at its end may not be later.
func TestTotalsOfAges(t *testing.T) {
	m := newMemo(t, factNamed("f", fromGet, `keep = "count"`, `where = 'age(past.result.at) < duration("1h")'`)+requireNamed("r", `use = "f"`, `all = ['f == args.want']`))
	m.now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	m.did(toolGet, `{}`, `{"at":"2026-01-01T00:00:00Z"}`).want("fresh", `{"want":1}`, "").later(2*time.Hour).want("old", `{"want":0}`, "")
}

// TestManyJoinsMakeNoLongKey: the ledger refuses a key beyond 32 KiB, and with it all
// that a call has shown.
func TestManyJoinsMakeNoLongKey(t *testing.T) {
	var joins, members []string
	for i := range 100 {
		joins = append(joins, fmt.Sprintf("past.args.a%d == args.a%d", i, i))
		members = append(members, fmt.Sprintf(`"a%d":"%s"`, i, strings.Repeat("k", 1000)))
	}
	args := "{" + strings.Join(members, ",") + "}"
	for _, keep := range []string{"latest", "count"} {
		m := newMemo(t, factNamed("f", fromGet, `keep = "`+keep+`"`, "where = '"+strings.Join(joins, " and ")+"'")+gateNamed("g", `needs = "f"`))
		m.did(toolGet, args, `1`).want(keep, args, "")
		for key := range m.evidence {
			if len(key) > 32<<10 {
				t.Errorf("%s: a key of %d bytes", keep, len(key))
			}
		}
	}
}
