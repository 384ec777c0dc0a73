package expression

import (
	"testing"
	"time"

	"gatewright/policy/exact"
)

func valueOf(t *testing.T, source, args string) Value {
	t.Helper()
	p, err := Compile(source, []string{"args"}, false)
	if err != nil {
		t.Fatal(source, err)
	}
	return p.Eval(Env{Names: map[string]Value{"args": ParseJSON([]byte(args))}, Now: time.Unix(1e9, 0)})
}

// TestNoOverflow: what is too large or too long is unknown, and evaluating it ends.
func TestNoOverflow(t *testing.T) {
	done := make(chan Value, 1)
	go func() {
		done <- valueOf(t, `len(args.a..args.b)`, `{"a":-9223372036854775808,"b":9223372036854775807}`)
	}()
	select {
	case v := <-done:
		if v.Kind() != Unknown {
			t.Errorf("a range of everything is %v", v.Kind())
		}
	case <-time.After(time.Second):
		t.Fatal("a range does not end")
	}
	for _, source := range []string{`duration("65535d") + duration("65535d") > duration("0s")`, `duration("0s") - duration("65535d") - duration("65535d") < duration("0s")`} {
		if valueOf(t, source, `{}`).Truth() == exact.False {
			t.Errorf("%s is false", source)
		}
	}
}

// TestSameSetKeepsMembersApart: no character in one member makes up for another.
func TestSameSetKeepsMembersApart(t *testing.T) {
	const args = `{"a":[{"x":"1\u0000s2","y":"3"}],"b":[{"x":"1","y":"2\u0000s3"}]}`
	if valueOf(t, `same_set(args.a, args.b, "x", "y")`, args).Truth() != exact.False {
		t.Error("two different items are the same")
	}
}
