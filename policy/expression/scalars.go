package expression

import (
	"strings"
	"unicode"
	"unicode/utf8"

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
func least(e *evaluator, args []Value) Value { return e.extreme(args, -1) }

func most(e *evaluator, args []Value) Value { return e.extreme(args, 1) }

func (e *evaluator) extreme(args []Value, sign int) Value {
	if len(args) == 1 && args[0].kind == List {
		args = args[0].list
	}
	if len(args) == 0 {
		return Value{}
	}
	best := args[0]
	for _, v := range args {
		n, ok := e.order(v, best)
		if !ok {
			return unknown
		}
		if n*sign > 0 {
			best = v
		}
	}
	return best
}

// asText writes a number in full; one such as 10/3 has no such text.
func asText(_ *evaluator, args []Value) Value {
	switch v := args[0]; v.kind {
	case Text:
		return v
	case Number:
		if text, finite := v.number.Finite(); finite {
			return NewText(text)
		}
	case Bool:
		if v.flag {
			return NewText("true")
		}
		return NewText("false")
	}
	return unknown
}

func onText(change func(string) string) func(*evaluator, []Value) Value {
	return func(e *evaluator, args []Value) Value {
		if args[0].kind != Text || !e.makes(len(args[0].text)) {
			return unknown
		}
		return NewText(change(args[0].text))
	}
}

func upper(e *evaluator, args []Value) Value { return onText(strings.ToUpper)(e, args) }

func lower(e *evaluator, args []Value) Value { return onText(strings.ToLower)(e, args) }

func trim(e *evaluator, args []Value) Value { return onText(strings.TrimSpace)(e, args) }

func split(e *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text {
		return unknown
	}
	var parts []Value
	for part := range strings.SplitSeq(args[0].text, args[1].text) {
		if len(parts) >= MaxItems || !e.spend(1+len(part)/bytesRead) {
			return unknown
		}
		parts = append(parts, NewText(part))
	}
	return NewList(parts)
}

func join(e *evaluator, args []Value) Value {
	separator := NewText("")
	if len(args) > 1 {
		separator = args[1]
	}
	if args[0].kind != List || separator.kind != Text {
		return unknown
	}
	var parts []string
	size := 0
	for _, item := range args[0].list {
		size += len(item.text) + len(separator.text)
		if item.kind != Text || size > maxTextSize {
			return unknown
		}
		parts = append(parts, item.text)
	}
	if !e.makes(size) {
		return unknown
	}
	return NewText(strings.Join(parts, separator.text))
}

func prefix(e *evaluator, args []Value) Value { return e.textual("startsWith", args[0], args[1]) }

func suffix(e *evaluator, args []Value) Value { return e.textual("endsWith", args[0], args[1]) }

func globbed(e *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text || !e.compares(args[0], args[1]) {
		return unknown
	}
	return NewBool(wildcard.Match(args[1].text, args[0].text))
}

// containsWord finds a word that is no part of a longer one.
func containsWord(e *evaluator, args []Value) Value {
	if args[0].kind != Text || args[1].kind != Text || args[1].text == "" || !e.compares(args[0], args[1]) {
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

// isWordRune takes marks and joiners for part of a word too: an accent may be a
// character of its own.
func isWordRune(r rune) bool {
	switch r {
	case '_', '\u00AD', '\u2060':
		return true
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Join_Control)
}

// compares pays for what may try one text at each place of another.
func (e *evaluator) compares(text, part Value) bool {
	return e.spend(1 + len(part.text)*len(text.text)/bytesWritten)
}
