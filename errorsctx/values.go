package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

// convert gives a value's new JSON, or says why it is left as it is.
func (c *Change) convert(name string, v gjson.Result) (raw, why string) {
	switch {
	case c.Time != nil:
		return c.Time.convert(name, v)
	case c.Map != nil:
		return mapped(c.Map, v)
	}
	return number(c.Number, v)
}

// mapped looks up a text, number or truth value. What a map gives is left alone
// when it comes again.
func mapped(table map[string]string, v gjson.Result) (raw, why string) {
	key := v.Raw
	switch {
	case v.Type == gjson.String:
		key = v.Str
	case v.IsObject() || v.IsArray():
		return "", "it is no single value"
	}
	if raw, known := table[key]; known {
		return raw, ""
	}
	for _, result := range table {
		if r := gjson.Parse(result); r.Type == v.Type && r.String() == v.String() {
			return v.Raw, ""
		}
	}
	return "", "the map does not have its value"
}

// NumberForms are the ways in which servers write numbers as texts, each shown by
// an example: plain, with commas or points between thousands, with a decimal comma.
var NumberForms = []string{"1234.56", "1,234.56", "1.234,56", "1234,56"}

// number makes a number of a text, with all its digits.
func number(form string, v gjson.Result) (raw, why string) {
	const none = "it is no number of that form"
	if v.Type == gjson.Number {
		return v.Raw, ""
	}
	if v.Type != gjson.String {
		return "", none
	}
	text, sign := strings.TrimSpace(v.Str), ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		text, sign = rest, "-"
	}
	point, between := ".", ""
	if strings.Contains(form, "1,234.") {
		between = ","
	}
	if strings.Contains(form, ",56") {
		point = ","
	}
	if strings.Contains(form, "1.234") {
		between = "."
	}
	whole, fraction, hasFraction := strings.Cut(text, point)
	whole, ok := joinGroups(whole, between)
	if !ok || hasFraction && !isDigits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return "", none // zeros in front are those of an id
	}
	if hasFraction {
		whole += "." + fraction
	}
	return sign + whole, ""
}

// joinGroups takes the marks between thousands out of a number that has them at
// every place or at none.
func joinGroups(whole, between string) (string, bool) {
	if between == "" || !strings.Contains(whole, between) {
		return whole, isDigits(whole)
	}
	groups := strings.Split(whole, between)
	for i, g := range groups {
		if !isDigits(g) || i > 0 && len(g) != 3 || len(g) > 3 {
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// clip shortens a text to at most n bytes, at a whole character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}
