package expression

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// largeEnv has lists of 10,000 items, an object of as many members, and long texts.
func largeEnv() Env {
	many := func(item string) string {
		var items []string
		for i := range 10_000 {
			items = append(items, strings.ReplaceAll(item, "%", fmt.Sprint(i)))
		}
		return strings.Join(items, ",")
	}
	doc := `{"list": [` + many(`1`) + `], "words": [` + many(`"abc def"`) + `], "items": [` + many(`{"id": "abc", "n": %}`) + `],
		"numbers": [` + many(`%.123456789012345678901234567890123`) + `], "object": {` + many(`"k%": 1`) + `},
		"deep": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,
		"long": "` + strings.Repeat("a", 1<<20) + `", "text": "` + strings.Repeat("a", 40_000) + `"}`
	return Env{Names: map[string]Value{"args": FromJSON(gjson.Parse(doc)), "now": testEnv().Names["now"]}, Now: testEnv().Now}
}

// doubled declares lists of lists of lists, which a few letters make very large.
func doubled(first string, times int) string {
	text := "let a0 = " + first + ";"
	for i := range times {
		text += fmt.Sprintf("let a%d = [a%d, a%d];", i+1, i, i)
	}
	return text
}

// TestBounds: an expression ends within its steps, and what a step does is small.
// Those that need more are unknown.
func TestBounds(t *testing.T) {
	const known, tooMuch = true, false
	env := largeEnv()
	for source, want := range map[string]bool{
		`all(0..len(args.list)-1, args.list[#] == 1)`:                                   known,
		`len(map(args.list, args.list)) == 10000`:                                       known,
		`all(args.words, # matches "^[a-z]+ (def|ghi|jkl)$")`:                           known,
		`all(args.items, .id == "abc" and .n >= 0)`:                                     known,
		`all(args.list, args.object.k9999 == 1)`:                                        known,
		`same_set(args.items, args.items, "id", "n")`:                                   known,
		`sum(args.numbers) > 0 and max(args.numbers) > 0`:                               known,
		`all(args.items, age("2024-01-01") > duration("1h"))`:                           known,
		`args.long contains "b"`:                                                        known,
		`3..-9223372036854775807 == []`:                                                 known,
		`-9223372036854775807..9223372036854775807 == []`:                               tooMuch,
		`all(args.list, # in args.list)`:                                                tooMuch,
		`len(join(map(1..200, args.text))) > 0`:                                         tooMuch,
		`upper(args.long) == "A"`:                                                       tooMuch,
		`all(args.list, upper(args.text) != "x")`:                                       tooMuch,
		`all(args.list, args.text != args.text + "b")`:                                  tooMuch,
		`all(args.list, args.text contains args.text + "b")`:                            tooMuch,
		`all(args.list, len(args.long) > 5)`:                                            tooMuch,
		`glob(args.long, "*` + strings.Repeat("a", 200) + `b")`:                         tooMuch,
		`contains_word(args.long, "` + strings.Repeat("a", 2000) + `")`:                 tooMuch,
		`args.long matches "(a?){90}b"`:                                                 tooMuch,
		`len(extract(args.text, "a[^b]*b|a")) > 1`:                                      tooMuch,
		`all(args.list, len(extract(args.text, "(b)")) == 0)`:                           tooMuch,
		`all(args.list, len(split(args.text, "a")) > 5)`:                                tooMuch,
		`all(1..300, same_set(args.list, args.list))`:                                   tooMuch,
		`all(1..300, len(uniq(args.list)) == 1)`:                                        tooMuch,
		`len(concat(` + strings.Repeat("args.list, ", 20) + `[1])) > 1`:                 tooMuch,
		`all(args.list, len(keys(args.object)) > 0)`:                                    tooMuch,
		`all(args.list, args.object == args.object)`:                                    tooMuch,
		`all(args.list, args.items == args.items)`:                                      tooMuch,
		`args.deep == args.deep`:                                                        tooMuch,
		`len(map(1..10000, 1..10000)) > 0`:                                              tooMuch,
		`let f = map(1..2000, 1/#); sum(f) > 0`:                                         tooMuch,
		`all(args.numbers, string(# * # * # * # * #) != "")`:                            tooMuch,
		doubled("[1, 1]", 25) + `a25 == a25`:                                            tooMuch,
		doubled("[[], []]", 23) + `flatten(a23) == []`:                                  tooMuch,
		`all(args.list, any(args.list, any(args.list, # == 2)))`:                        tooMuch,
		`all(args.list, ` + strings.Repeat("args.list[#index] == 1 and ", 90) + `true)`: tooMuch,
	} {
		p, err := Compile(source, names, true)
		if err != nil {
			t.Errorf("%.60s: %v", source, err)
			continue
		}
		var v Value
		var steps int
		allocated := testing.AllocsPerRun(1, func() { v, steps = p.eval(env) })
		if (v.Kind() != Unknown) != want {
			t.Errorf("%.60s is %v after %d steps", source, v.Kind(), steps)
		}
		if allocated > 4*maxSteps {
			t.Errorf("%.60s allocates %v times", source, allocated)
		}
	}
}

// TestPatternBounds: a pattern that is slow, or large, is a fault.
func TestPatternBounds(t *testing.T) {
	for source, want := range map[string]string{
		`(a?){500}b`:             "repeats at most 100 times",
		`((a{5}){5}){5}`:         "repeats at most 100 times",
		strings.Repeat("a", 300): "has at most 256 bytes",
		`(\pL\pN\pL\pN\pL\pN){100}a|` + strings.Repeat(`\w{100}`, 30): "too large",
		`a{100}`: "",
	} {
		if _, err := compilePattern(source, true); fmt.Sprint(err) != "<nil>" && want == "" || want != "" && !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}

// TestExtract finds what package regexp finds.
func TestExtract(t *testing.T) {
	texts := []string{"", "a", "aab ab\nb a", "é ü\né", "a,b,,c\n", "\n\n", "日本 a日", "x\\y)"}
	for _, source := range []string{`a`, `a*`, `^`, `$`, `\b`, `(b)?a`, `^(.)`, `(?i)A|B`, `[^,]*`, `\Aa`, `a\z`, `é`, `.??`, `()|a`, `a|b*?`, `\Q\`, `(a)|(b)`, `\B`, `(?s:.)$`} {
		p, err := compilePattern(source, true)
		if err != nil {
			t.Fatal(err)
		}
		program := &Program{patterns: map[patternKey]*pattern{{source, true}: p}}
		for _, text := range texts {
			var want, got []string
			for _, match := range regexp.MustCompile("(?m)"+source).FindAllStringSubmatch(text, -1) {
				want = append(want, match[min(1, len(match)-1)])
			}
			for _, item := range extract(&evaluator{program: program}, []Value{NewText(text), NewText(source)}).list {
				got = append(got, item.text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s in %q: %q, want %q", source, text, got, want)
			}
		}
	}
}
