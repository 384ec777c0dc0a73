package expression

import (
	"fmt"
	"testing"
)

func compiled(t *testing.T, source string) *Program {
	t.Helper()
	p, err := Compile(source, []string{"past", "args", "res"}, false)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	return p
}

// TestJoins: what ties a past call to this one is an equality that must hold, with
// something that is no constant and does not depend on the past call.
func TestJoins(t *testing.T) {
	for source, want := range map[string]int{
		`past.result.id == args.id`:                                         1,
		`past?.result?.id == args?.id`:                                      1,
		`past.result?.id == args.id`:                                        1,
		`args.id == past.result.id`:                                         1,
		`past.result.id == args.id and past.args.user == res.user`:          2,
		`past.result.ok == true`:                                            0,
		`past.result.id == "x"`:                                             0,
		`past.result.id == past.args.id`:                                    0,
		`past.result.id == args.id or past.result.ok == true`:               0,
		`not (past.result.id == args.id)`:                                   0,
		`past.result.id != args.id`:                                         0,
		`lower(past.result.id) == args.id`:                                  0,
		`past.result[args.x] == args.id`:                                    0,
		`past.result == args.id`:                                            1,
		`past.result.id == args.id + past.args.x`:                           0,
		`past.result.id == (args.id ?? "x")`:                                1,
		`any([1], past.result.id == args.id)`:                               0,
		`past.result.id == args.id and (past.result.a == args.b or true)`:   1,
		`(past.result.id == args.id and past.result.a == res.a) and 1 == 1`: 2,
	} {
		if got := compiled(t, source).Joins("past"); len(got) != want {
			t.Errorf("%s has %d joins, want %d", source, len(got), want)
		}
	}
}

func TestPaths(t *testing.T) {
	for source, want := range map[string]string{
		`past.result.a.b == 1`:  `[[result a]]`,
		`past.result == 1`:      `[[result ]]`,
		`past == 1`:             `[[ ]]`,
		`past.result[0].x == 1`: `[[result ]]`,
		`past.result?.a?.b == 1 and past.args.c == 2`: `[[result a] [args c]]`,
		`any(past.result.list, .x == past.args.y)`:    `[[result list] [args y]]`,
		`len(past.result) == 1`:                       `[[result ]]`,
		`past["result"]["a b"] == 1`:                  `[[result a b]]`,
		`past.result[args.k] == past.args.z`:          `[[result ] [args z]]`,
		`lookup("t", past.result.k) == 1`:             `[[result k]]`,
		`past[args.which].x == 1`:                     `[[ ]]`,
	} {
		paths := compiled(t, source).Paths("past")
		if got := fmt.Sprint(paths); got != want {
			t.Errorf("%s reads %s, want %s", source, got, want)
		}
	}
}
