package exact

import (
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// Equal compares two JSON values. Values of different types, null, absent ones,
// objects and arrays cannot be compared: Unknown, so two absent ids are never
// equal.
func Equal(a, b gjson.Result) Truth {
	ka, okA := ScalarKey(a)
	kb, okB := ScalarKey(b)
	if !okA || !okB || ka[0] != kb[0] {
		return Unknown
	}
	return Of(ka == kb)
}

// Order compares two numbers exactly. The second result is false for anything
// else.
func Order(a, b gjson.Result) (int, bool) {
	x, okA := Number(a)
	y, okB := Number(b)
	return x.Cmp(y), okA && okB
}

// Number reads a JSON number; false for anything else.
func Number(v gjson.Result) (Decimal, bool) {
	if v.Type != gjson.Number {
		return Decimal{}, false
	}
	d, err := ParseDecimal(v.Raw)
	return d, err == nil
}

// ScalarKey writes a text, number or bool so that equal values, and only they,
// have equal keys. A text with a replacement character has none: it stands for
// characters that were lost, so two such texts may differ.
func ScalarKey(v gjson.Result) (string, bool) {
	switch v.Type {
	case gjson.String:
		return "s" + v.Str, !strings.ContainsRune(v.Str, '\uFFFD')
	case gjson.Number:
		d, ok := Number(v)
		return "n" + d.String(), ok
	case gjson.True, gjson.False:
		return "b" + v.Raw, true
	}
	return "", false
}

// MaxKey bounds what identifies a thing, in bytes; the ledger's keys are short.
const MaxKey = 1024

// KeyText is a text, number or bool as a limit's key: trimmed, and folded so
// that letter case makes no second budget. Empty for anything else.
func KeyText(v gjson.Result) string {
	key, ok := ScalarKey(v)
	if !ok || len(key) > MaxKey {
		return ""
	}
	text := strings.TrimSpace(key[1:])
	if strings.ContainsFunc(text, invisible) {
		return ""
	}
	return Fold(text)
}

// Fold makes texts equal that differ only in letter case, and no others.
func Fold(text string) string { return strings.Map(foldRune, text) }

// invisible reports what a server may strip from a key, so that two keys for us
// would be one for it.
func invisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf) || unicode.IsSpace(r) && r != ' '
}

// foldRune gives the smallest of the runes that differ only in case.
func foldRune(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}
