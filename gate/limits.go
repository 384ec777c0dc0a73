package gate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// charge is what one call costs under one limit.
type charge struct {
	amount exact.Decimal
	window Window
}

// checkLimits reads every matching limit's amount, currency and key. What
// cannot be read is denied without looking at any memory; limits on each call
// are compared at once.
func checkLimits(c *call) {
	for _, l := range c.limits() {
		ch, problem := c.charge(l)
		switch {
		case problem != "":
			c.find(l.Source, Finding{Decision: Deny, Category: errorsctx.Validation, Message: problem})
		case l.Per.PerCall() && ch.amount.Cmp(l.Max) > 0:
			c.find(l.Source, over(l))
		}
	}
}

// limits are the limits of the layer that match the tool.
func (c *call) limits() []policy.Limit {
	var out []policy.Limit
	for _, l := range c.layer.Limits {
		if policy.AnyRestricts(l.Tools, c.ev.Tool) {
			out = append(out, l)
		}
	}
	return out
}

func over(l policy.Limit) Finding {
	f := Finding{Decision: Deny, Category: l.Category, Message: l.Reason, Redirect: l.Redirect}
	if f.Message == "" {
		f.Message = fmt.Sprintf("The amount is over the limit of %s.", strings.TrimSpace(l.Max.String()+" "+l.Currency))
	}
	if l.OverAsks {
		f.Decision = Ask
	}
	return f
}

// wantBudget looks for a limit under which the finished call may hold a
// reservation.
func wantBudget(c *call, w *Wants) {
	for _, l := range c.limits() {
		w.Settle = w.Settle || !l.Per.PerCall()
	}
}

// needLimits asks for the windows of the limits that add up.
func needLimits(c *call, n *Needs) {
	for _, l := range c.limits() {
		if l.Per.PerCall() {
			continue
		}
		n.Any = true
		if ch, problem := c.charge(l); problem == "" {
			n.Windows = append(n.Windows, ch.window)
		}
	}
}

// judgeLimits compares what the window has seen, this call included, and asks
// for a reservation unless the call holds one already.
func judgeLimits(c *call) {
	for _, l := range c.limits() {
		ch, problem := c.charge(l)
		if l.Per.PerCall() || problem != "" {
			continue // decided in the first phase
		}
		spent := c.facts.Spent[ch.window.Name]
		if spent.Add(ch.amount).Cmp(l.Max) > 0 {
			c.find(l.Source, over(l))
		}
		if !c.facts.Held[ch.window.Name] {
			c.reserve = append(c.reserve, Reservation{ch.window, l.Source, ch.amount})
		}
	}
}

// charge reads what a call costs. The second result says what cannot be read,
// for the model.
func (c *call) charge(l policy.Limit) (charge, string) {
	amount, problem := c.amount(l)
	if problem == "" {
		problem = c.currencyProblem(l)
	}
	if problem != "" {
		return charge{}, problem
	}
	name, problem := c.windowName(l)
	return charge{amount, Window{name, l.Per.Window > 0, l.Per.Window}}, problem
}

// amount adds up the elements that the limit's path names. Each must be a plain
// positive number: a tool may read 0 or a missing amount as "all of it".
func (c *call) amount(l policy.Limit) (exact.Decimal, string) {
	values, presence := l.Amount.Lookup(c.args)
	if presence != errorsctx.Found {
		return exact.Decimal{}, "The amount (" + l.Amount.String() + ") " + presenceProblem(presence)
	}
	var sum exact.Decimal
	for _, v := range values {
		d, err := exact.Amount(v)
		if err != nil || d.Sign() <= 0 {
			return exact.Decimal{}, "The amount (" + l.Amount.String() + ") must be a positive plain decimal number."
		}
		sum = sum.Add(d)
	}
	if sum.Sign() <= 0 {
		return exact.Decimal{}, "The amount (" + l.Amount.String() + ") has nothing to add up."
	}
	return sum.DividePow10(l.Scale), ""
}

func presenceProblem(p errorsctx.Presence) string {
	switch p {
	case errorsctx.Absent:
		return "is missing."
	case errorsctx.Ambiguous:
		return "is ambiguous: another argument's name differs only in letter case."
	}
	return "is not where the policy expects it."
}

// topCurrency() is read even if the policy does not name it: a call that says
// EUR is not a call in the limit's USD.
func topCurrency() errorsctx.Path {
	path, _ := errorsctx.ParsePath("currency")
	return path
}

func (c *call) currencyProblem(l policy.Limit) string {
	if l.Currency == "" {
		return ""
	}
	if !l.CurrencyArg.Whole() && !agrees(l, l.CurrencyArg, c.args) {
		return "The currency (" + l.CurrencyArg.String() + ") must be " + l.Currency + "."
	}
	if _, presence := topCurrency().Lookup(c.args); presence == errorsctx.Absent {
		return ""
	}
	if !agrees(l, topCurrency(), c.args) {
		return "The currency must be " + l.Currency + "."
	}
	return ""
}

func agrees(l policy.Limit, path errorsctx.Path, args gjson.Result) bool {
	values, presence := path.Lookup(args)
	if presence != errorsctx.Found || len(values) == 0 {
		return false
	}
	for _, v := range values {
		if v.Type != gjson.String || !policy.PrintableASCII(v.Str) || !strings.EqualFold(v.Str, l.Currency) {
			return false
		}
	}
	return true
}

// budgetsOf begins the names of a layer's budgets.
func budgetsOf(layer *policy.Layer) string { return strconv.Quote(layer.Key()) + "/" }

// windowName identifies the budget that a call draws on: the layer, the limit
// and the text of every key argument.
func (c *call) windowName(l policy.Limit) (string, string) {
	name := budgetsOf(c.layer) + l.ID
	for _, path := range l.Key {
		text := exact.KeyText(path.One(c.args))
		if text == "" {
			return "", "The argument " + path.String() + ", by which the limit adds up, must be one text or number."
		}
		name += fmt.Sprintf("/%d:%s", len(text), text)
	}
	return name, ""
}
