package expression

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

func rounded(change func(exact.Decimal) exact.Decimal) func(*evaluator, []Value) Value {
	return func(_ *evaluator, args []Value) Value {
		if args[0].kind != Number {
			return unknown
		}
		return NewNumber(change(args[0].number))
	}
}

func absolute(d exact.Decimal) exact.Decimal {
	if d.Sign() < 0 {
		return exact.FromInt(0).Sub(d)
	}
	return d
}

func floor(d exact.Decimal) exact.Decimal { return d.Floor() }

func ceil(d exact.Decimal) exact.Decimal {
	return exact.FromInt(0).Sub(exact.FromInt(0).Sub(d).Floor())
}

// round goes away from zero at the half.
func round(d exact.Decimal) exact.Decimal {
	half, _ := exact.FromInt(1).Quo(exact.FromInt(2))
	if d.Sign() < 0 {
		return ceil(d.Sub(half))
	}
	return d.Add(half).Floor()
}

// decimal reads a number from a text too, as amounts are read: plain digits with an
// optional decimal part.
func decimal(_ *evaluator, args []Value) Value {
	switch v := args[0]; v.kind {
	case Number:
		return v
	case Text:
		sign := exact.FromInt(1)
		text, negative := strings.CutPrefix(v.text, "-")
		if negative {
			sign = exact.FromInt(-1)
		}
		if d, err := exact.ParsePlain(text); err == nil {
			return NewNumber(d.Mul(sign))
		}
	}
	return unknown
}

// least and most take numbers, texts, times or durations, or one list of them.
func least(_ *evaluator, args []Value) Value { return extreme(args, -1) }

func most(_ *evaluator, args []Value) Value { return extreme(args, 1) }

func extreme(args []Value, sign int) Value {
	if len(args) == 1 && args[0].kind == List {
		args = args[0].list
	}
	if len(args) == 0 {
		return Value{}
	}
	best := args[0]
	for _, v := range args {
		n, ok := order(v, best)
		if !ok {
			return unknown
		}
		if n*sign > 0 {
			best = v
		}
	}
	return best
}

func asText(_ *evaluator, args []Value) Value {
	switch v := args[0]; v.kind {
	case Text:
		return v
	case Number:
		return NewText(v.number.String())
	case Bool:
		if v.flag {
			return NewText("true")
		}
		return NewText("false")
	}
	return unknown
}

func onText(change func(string) string) func(*evaluator, []Value) Value {
	return func(_ *evaluator, args []Value) Value {
		if args[0].kind != Text {
			return unknown
		}
		return NewText(change(args[0].text))
	}
}

func upper(e *evaluator, args []Value) Value { return onText(strings.ToUpper)(e, args) }

func lower(e *evaluator, args []Value) Value { return onText(strings.ToLower)(e, args) }

func trim(e *evaluator, args []Value) Value { return onText(strings.TrimSpace)(e, args) }

func split(_ *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text {
		return unknown
	}
	var parts []Value
	for _, part := range strings.SplitN(args[0].text, args[1].text, MaxItems+1) {
		parts = append(parts, NewText(part))
	}
	return NewList(parts)
}

func join(_ *evaluator, args []Value) Value {
	separator := ""
	if len(args) > 1 {
		separator = args[1].text
	}
	if args[0].kind != List {
		return unknown
	}
	var parts []string
	for _, item := range args[0].list {
		if item.kind != Text {
			return unknown
		}
		parts = append(parts, item.text)
	}
	if text := strings.Join(parts, separator); len(text) <= maxTextSize {
		return NewText(text)
	}
	return unknown
}

func prefix(_ *evaluator, args []Value) Value { return textual("startsWith", args[0], args[1]) }

func suffix(_ *evaluator, args []Value) Value { return textual("endsWith", args[0], args[1]) }

func globbed(_ *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text {
		return unknown
	}
	return NewBool(wildcard.Match(args[1].text, args[0].text))
}

// containsWord finds a word that is no part of a longer one.
func containsWord(_ *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text || args[1].text == "" {
		return unknown
	}
	text, word := args[0].text, args[1].text
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return NewBool(false)
		}
		begin, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !isWordRune(before) && !isWordRune(after) {
			return NewBool(true)
		}
		from = begin + 1
	}
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// extract lists what a regular expression finds: its first group, or all of it. The
// expression is (?m): ^ and $ stand at line ends.
func extract(_ *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text {
		return unknown
	}
	pattern, err := compilePattern("(?m)" + args[1].text)
	if err != nil {
		return unknown
	}
	var found []Value
	for _, match := range pattern.FindAllStringSubmatch(args[0].text, MaxItems+1) {
		found = append(found, NewText(match[min(1, len(match)-1)]))
	}
	return NewList(found)
}

// ParseJSON is the value of a JSON text.
func ParseJSON(text []byte) Value { return FromJSON(gjson.ParseBytes(text)) }
