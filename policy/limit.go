package policy

import (
	"fmt"
	"strings"

	"gatewright/errorsctx"
)

// readLimit reads a [[limit]].
func readLimit(t *table) Limit {
	t.need("tools", "amount", "max")
	l := Limit{
		Source:      t.source(),
		Tools:       t.patterns("tools", false),
		Amount:      t.argPath("amount"),
		Currency:    t.text("currency"),
		CurrencyArg: t.argPath("currency_arg"),
		Scale:       t.scale(),
		Max:         t.money("max"),
		Per:         t.period(),
		Key:         t.argPaths("key"),
		OverAsks:    t.word("over", "deny", "ask") == "ask",
		Redirect:    t.text("redirect"),
		Reason:      t.text("reason"),
		Category:    t.category(errorsctx.Business),
	}
	if !l.CurrencyArg.Whole() && l.Currency == "" {
		t.problem("currency_arg", "currency_arg without currency has nothing to agree with", `add currency = "USD"`)
	}
	if l.Per.PerCall() && t.has("key") {
		t.problem("key", "key has no meaning for a limit on each call", `add per = "session" or per = "24h"`)
	}
	for _, k := range l.Key {
		t.checkSingle("key", k)
	}
	return l
}

func (t *table) checkSingle(key string, p errorsctx.Path) {
	if p.Plural() {
		t.problem(key, fmt.Sprintf("%s must name one value, and %q goes through an array", key, p), "")
	}
}

// scale reads how many minor units make one unit: a power of ten, so that the
// division stays exact.
func (t *table) scale() int32 {
	v, has := t.value("scale")
	digits, ok := powerOfTen(v)
	if has && !ok {
		t.problem("scale", "scale must be 1, 10, 100 and so on", "scale = 100 when the argument counts cents")
	}
	return digits
}

// powerOfTen is how many zeros a number such as 100 has.
func powerOfTen(v any) (digits int32, ok bool) {
	n, _ := v.(int64)
	zeros := strings.TrimPrefix(fmt.Sprint(n), "1")
	if n < 1 || n > 1_000_000_000 || strings.Trim(zeros, "0") != "" {
		return 0, false
	}
	return int32(len(zeros)), true
}

func (t *table) period() Period {
	switch v, _ := t.value("per"); v {
	case nil, "call":
		return Period{}
	case "session":
		return Period{Session: true}
	}
	return Period{Window: t.duration("per")}
}
