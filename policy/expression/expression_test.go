package expression

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"gatewright/policy/exact"
)

var names = []string{"args", "past", "res", "now", "tool"}

func testEnv() Env {
	doc := gjson.Parse(`{
		"args": {"amount": 0.1, "big": 9007199254740993, "text": "250.50", "id": "C-1", "null": null, "list": [1, 2, 3], "empty": [], "Case": 1, "case": 2,
			"flights": [{"n": "A1", "date": "2024-05-20"}, {"n": "B2", "date": "2024-05-14"}], "pay": [{"id": "gift_card_8.1", "amount": 5}, {"amount": 1}],
			"odd": "\ud800", "nul": [{"m": "a\u0000sb", "n": "c"}], "lun": [{"m": "a", "n": "b\u0000sc"}], "words": "Send it to DE89, now", "a.b": {"c d": 7}},
		"past": {"result": {"ok": true}},
		"res": {"cabin": "economy", "created_at": "2024-05-15T03:00:00", "pm": {"gift_card_8.1": {"balance": 10}}, "flights": [{"n": "B2", "date": "2024-05-14"}, {"n": "A1", "date": "2024-05-20"}]},
		"tool": "mcp__a__b"}`)
	env := Env{Names: map[string]Value{}, Now: time.Date(2024, 5, 15, 15, 0, 0, 0, time.UTC)}
	doc.ForEach(func(k, v gjson.Result) bool {
		env.Names[k.Str] = FromJSON(v)
		return true
	})
	env.Names["now"] = NewTime(env.Now)
	env.Tables = map[string]Value{"bags": ParseJSON([]byte(`{"gold":{"economy":3},"by":{"7":1}}`))}
	return env
}

// TestConditions: true, false, and unknown wherever something cannot be decided.
func TestConditions(t *testing.T) {
	for source, want := range map[string]exact.Truth{
		`0.1 + 0.2 == 0.3`:                                                                exact.True,
		`args.amount + 0.2 == 0.3`:                                                        exact.True,
		`args.big == 9007199254740992`:                                                    exact.False,
		`args.big == 9007199254740992.0`:                                                  exact.False,
		`9007199254740993 == 9007199254740993`:                                            exact.True,
		`1 / 3 * 3 == 1`:                                                                  exact.True,
		`-7 % 3 == -1 and 7 % -3 == 1`:                                                    exact.True,
		`1 / (args.amount - 0.1) > 0`:                                                     exact.Unknown,
		`args.missing == past.result.gone`:                                                exact.Unknown,
		`args.missing != "x"`:                                                             exact.Unknown,
		`args.null == args.null`:                                                          exact.Unknown,
		`args.missing.more == 1`:                                                          exact.Unknown,
		`(args.missing ?? "x") == "x"`:                                                    exact.True,
		`(args.null ?? "x") == "x"`:                                                       exact.True,
		`(args.missing?.more ?? "x") == "x"`:                                              exact.True,
		`(args.missing.more ?? "x") == "x"`:                                               exact.Unknown,
		`(args.case ?? 5) == 2`:                                                           exact.Unknown, // a sibling is called Case
		`args.odd == args.odd`:                                                            exact.Unknown,
		`args.text > 5`:                                                                   exact.Unknown,
		`decimal(args.text) > 250.49`:                                                     exact.True,
		`decimal("1e3") > 1`:                                                              exact.Unknown,
		`args.id == "C-1" and tool == "mcp__a__b"`:                                        exact.True,
		`args.missing == 1 or args.id == "C-1"`:                                           exact.True,
		`args.missing == 1 or args.id == "C-2"`:                                           exact.Unknown,
		`args.missing == 1 and args.id == "C-2"`:                                          exact.False,
		`not (args.missing == 1)`:                                                         exact.Unknown,
		`args.id in ["C-1", args.missing]`:                                                exact.True,
		`args.id in ["C-2", args.missing]`:                                                exact.Unknown,
		`args.id not in ["C-2"]`:                                                          exact.True,
		`"gift_card_8.1" in res.pm`:                                                       exact.True,
		`args.pay[0].id in keys(res.pm)`:                                                  exact.True,
		`all(args.pay, .id in keys(res.pm))`:                                              exact.Unknown,
		`any(args.pay, .amount > 4)`:                                                      exact.True,
		`any(args.pay, .id == "x")`:                                                       exact.Unknown,
		`all(args.empty, .x == 1)`:                                                        exact.True,
		`any(args.missing, .x == 1)`:                                                      exact.Unknown,
		`res.pm[args.pay[0].id].balance >= 10`:                                            exact.True,
		`res.pm["gift_card_8"].balance >= 0`:                                              exact.Unknown,
		`args["a.b"]["c d"] == 7`:                                                         exact.True,
		`args.list[-1] == 3 and args.list[0] == 1`:                                        exact.True,
		`args.list[7] == 3`:                                                               exact.Unknown,
		`len(args.list) == 3 and len(args.id) == 3`:                                       exact.True,
		`len(args.missing) == 0`:                                                          exact.Unknown,
		`count(args.flights, glob(.n, "A*")) == 1`:                                        exact.True,
		`sum(args.list) == 6 and sum(args.pay, .amount) == 6`:                             exact.True,
		`max(0, 5 - lookup("bags", "gold", res.cabin) * 2) == 0`:                          exact.True,
		`lookup("bags", "silver", res.cabin) == 1`:                                        exact.Unknown,
		`lookup("bags", "by", 7) == 1`:                                                    exact.True,
		`same_set(args.flights, res.flights, "n", "date")`:                                exact.True,
		`same_set(args.list, [3, 2, 1, 1])`:                                               exact.True,
		`same_set(args.pay, args.pay, "id")`:                                              exact.Unknown,
		`sub_multiset([1, 1], args.list)`:                                                 exact.False,
		`sub_multiset([1, 2], args.list)`:                                                 exact.True,
		`age(res.created_at) <= duration("24h")`:                                          exact.True,
		`age(res.created_at) <= duration("11h59m")`:                                       exact.False,
		`age(args.id) <= duration("24h")`:                                                 exact.Unknown,
		`any(res.flights, date(.date) < date(now))`:                                       exact.True,
		`all(res.flights, date(.date) < date(now))`:                                       exact.False,
		`time("2024-05-15T17:00:00+02:00") == now`:                                        exact.True,
		`now - time("2024-05-14") > duration("1d")`:                                       exact.True,
		`contains_word(args.words, "DE89")`:                                               exact.True,
		`contains_word(args.words, "DE8")`:                                                exact.False,
		`contains_word(args.words, "")`:                                                   exact.Unknown,
		`args.id matches "^C-[0-9]$"`:                                                     exact.True,
		`extract("a: x1\n b: y", "^ ?[ab]: (\\w)") == ["x", "y"]`:                         exact.True,
		`all(0..len(args.list)-1, args.list[#] == # + 1)`:                                 exact.True,
		`any(args.flights, {let f = #; any(res.flights, .n == f.n)})`:                     exact.True,
		`(args.id == "C-1" ? 1 : 2) == 1`:                                                 exact.True,
		`(args.missing == 1 ? 1 : 1) == 1`:                                                exact.Unknown,
		`flatten([[1, [2]], 3]) == [1, 2, 3]`:                                             exact.True,
		`round(2.5) == 3 and round(-2.5) == -3 and ceil(-0.5) == 0 and floor(-0.5) == -1`: exact.True,
		`sum(map(1..9999, # * #)) > 0`:                                                    exact.True,
		`len(1..10001) > 0`:                                                               exact.Unknown,
		`any(1..1000, {let a = #; any(1..1000, {let b = #; any(1..1000, a + b + # < 0)})})`: exact.Unknown,
		`string(10/3) == "3"`:                                                     exact.Unknown,
		`string(10/4) == "2.5" and string(1e3) == "1000"`:                         exact.True,
		`lookup("bags", "by", 22/3) == 1`:                                         exact.Unknown,
		`lookup("bags", "by", 21/3) == 1`:                                         exact.True,
		`args.missing in []`:                                                      exact.Unknown,
		`args.missing not in []`:                                                  exact.Unknown,
		`args.case in []`:                                                         exact.Unknown,
		`args.missing not in res.pm`:                                              exact.Unknown,
		`(args.missing?.a.b ?? "x") == "x"`:                                       exact.True,
		`(args.missing?.a["b"].c ?? "x") == "x"`:                                  exact.Unknown,
		`(args?.missing.b ?? "x") == "x"`:                                         exact.Unknown,
		`+duration("1h") == duration("1h")`:                                       exact.True,
		`duration("-2562047h") < duration("2562047h")`:                            exact.True,
		`duration("65535d") + duration("65535d") > duration("0s")`:                exact.Unknown,
		`-duration("65535d") - duration("65535d") < duration("0s")`:               exact.Unknown,
		`duration("1h") - duration("2h") == -duration("1h")`:                      exact.True,
		`same_set(args.nul, args.lun, "m", "n")`:                                  exact.False,
		`contains_word("cafe\u0301 x", "cafe") or contains_word("a\u200db", "a")`: exact.False,
		`contains_word("(DE89)\n", "DE89")`:                                       exact.True,
		`1_000.5 == 1000.5 and 0x10 == 16`:                                        exact.True,
		`join(args.list, "") == "x"`:                                              exact.Unknown,
	} {
		p, err := Compile(source, names, true)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := p.Holds(testEnv()); got != want {
			t.Errorf("%s is %v, want %v", source, got, want)
		}
	}
}

func TestReads(t *testing.T) {
	p, err := Compile(`any(res.flights, .date < args.x) and res.cabin == "a" and len(past) > 0`, names, true)
	if err != nil {
		t.Fatal(err)
	}
	reads := p.Reads()
	if strings.Join(reads["res"], " ") != "flights cabin" || strings.Join(reads["args"], " ") != "x" || reads["past"] != nil || len(reads) != 3 {
		t.Errorf("%v", reads)
	}
}

// FuzzEval: whatever is accepted has a value, in bounded time, and the same one
// each time.
func FuzzEval(f *testing.F) {
	for _, seed := range []string{`args.list[0] + 1 == 2`, `any(args.flights, .date < now)`, `(args.missing?.x ?? 1) in [1, 2]`, `let a = 1; a / 0 == 1`, `sum(map(args.list, # * # % 7)) > -1`, `join(split(args.words, " "), "") matches "a+"`} {
		f.Add(seed)
	}
	env := testEnv()
	f.Fuzz(func(t *testing.T, source string) {
		if !utf8.ValidString(source) {
			return
		}
		p, err := Compile(source, names, false)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Line < 1 || fault.Column < 1 || fault.Message == "" {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		p.Reads()
		if a, b := p.Eval(env), p.Eval(env); a.kind != b.kind || a.kind != Unknown && a.kind != Absent && new(evaluator).equal(a, b) == exact.False {
			t.Errorf("%q is %v and %v", source, a, b)
		}
	})
}
