package expression

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestFaults are found before a call comes, with their place.
func TestFaults(t *testing.T) {
	for source, want := range map[string]string{
		`args.x ==`:                             `1:9: unexpected`,
		`arg.x == 1`:                            `1:1: there is no "arg"`,
		"args.x == 1 and\n  foo(1)":             `2:3: there is no function "foo"`,
		`len(args.a, 1) == 1`:                   `1:1: len takes 1 argument`,
		`age() < now`:                           `1:1: age takes 1 argument`,
		`args.x == nil`:                         `1:11: nothing is equal to nil`,
		`args.a + 1 == "x"`:                     `this compares a number with a text`,
		`1 + 1 == "x"`:                          `this compares a number with a text`,
		`"x"`:                                   `1:1: a condition is true or false, and this is a text`,
		`1`:                                     `a condition is true or false`,
		`len(args.x)`:                           `a condition is true or false`,
		`args.x and 1`:                          `1:12: this is a number where true or false belongs`,
		`not 1 == 2`:                            `where true or false belongs`,
		`# == 1`:                                `unexpected`,
		`any(args.x, 1)`:                        `any needs a condition`,
		`any(args.x, #acc == 1)`:                `#acc is not known`,
		`args.x matches args.y`:                 `must be written out`,
		`args.x matches "("`:                    `missing closing )`,
		`args.x ^ 2 == 1`:                       `the operator ^ is not known`,
		`reduce(args.x, #acc + #) == 1`:         `there is no function "reduce"`,
		`{"a": 1}.a == 1`:                       `not known here`,
		`let args = 1; args == 1`:               `means something already`,
		strings.Repeat("1 + ", 1200) + `1 == 1`: `has at most 4096 bytes`,
		strings.Repeat("1+", 1200) + `1==1`:     `too large`,
		`now() == now`:                          `there is no function "now"`,
		`.5 == 0.5`:                             `1:1: this number cannot be read`,
		`1. == 1`:                               `this number cannot be read`,
		`1e70 > 1`:                              `this number cannot be read`,
		`duration("1h") * 2 > now`:              `this calculates a duration * a number`,
		`2 + "x" == "2x"`:                       `this calculates a number + a text`,
		`now + now == now`:                      `this calculates a time + a time`,
		`now - 5 == now`:                        `this calculates a time - a number`,
		`now - now == now`:                      `this compares a duration with a time`,
		`len(5) == 1`:                           `1:5: this is a number where a text or a list or an object belongs`,
		`lower(5) == "5"`:                       `this is a number where a text belongs`,
		`age(5) > duration("1h")`:               `this is a number where a text or a time belongs`,
		`duration("24hours") > age(now)`:        `"24hours" is not a duration such as`,
		`date("2024-13-01") < now`:              `"2024-13-01" is not a time such as`,
		`time("noon") < now`:                    `"noon" is not a time`,
		`age("yesterday") < age(now)`:           `"yesterday" is not a time`,
		`all("x", # == 1)`:                      `this is a text where a list belongs`,
		`sum("x") == 1`:                         `this is a text where a list belongs`,
		`sum(args.x, .y == 1) == 1`:             `sum adds up numbers`,
		`glob(5, "a")`:                          `this is a number where a text belongs`,
		`split(args.x, 5) == []`:                `this is a number where a text belongs`,
		`min("a", 1) == 1`:                      `this compares a text with a number`,
		`true < false`:                          `true or false has no order`,
		`now.x == 1`:                            `this is a time where a list or an object belongs`,
		`tool > 5`:                              `this compares a text with a number`,
		`lookup(args.x, "y") == 1`:              `the name of a lookup must be written out`,
		`let d = now; d + d == d`:               `this calculates a time + a time`,
	} {
		_, err := Compile(source, names, true)
		var fault *Error
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", source, err)
			}
			continue
		}
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", source, err, want)
		}
	}
}

// TestLookups: the tables and the person that an expression reads are known before
// it is evaluated.
func TestLookups(t *testing.T) {
	for source, want := range map[string]string{
		`lookup("a", 1) == lookup("b", lookup("a", 2))`: "[a b] false",
		`user.text contains "x"`:                        "[] true",
		`args.user.text == "user"`:                      "[] false",
		`any(args.list, {let me = user; me.text == #})`: "[] true",
	} {
		p, err := Compile(source, append([]string{"user"}, names...), true)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if got := fmt.Sprint(p.Lookups(), p.ReadsUser()); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
		if _, reads := p.Reads()["me"]; reads {
			t.Errorf("%s reads what it declares", source)
		}
	}
}
