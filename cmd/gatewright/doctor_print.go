package main

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"

	"gatewright/hooks"
)

// print writes the table, or the object.
func (d *doctor) print(asJSON bool) {
	if asJSON {
		d.say("%s", hooks.EncodeJSON(struct {
			OK     bool      `json:"ok"`
			Checks []finding `json:"checks"`
		}{d.isWell(), d.findings}))
		return
	}
	d.say("%s", inLine(d.dir))
	for _, f := range d.findings {
		d.say("%s %-7s %-10s  %s", f.sign(), cmp.Or(f.Client, "all"), f.Check, inLine(f.Detail))
		if f.Fix != "" {
			d.say("  %-7s %-10s  fix: %s", "", "", inLine(f.Fix))
		}
	}
}

func (f finding) sign() string {
	switch {
	case f.Note:
		return "–"
	case f.OK:
		return "✓"
	}
	return "✗"
}

// inLine keeps what comes from somebody's files on one line, and out of the
// terminal's hands.
func inLine(text string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t':
			b.WriteByte(' ')
		case odd(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shellWord is a text as a shell takes it for one word.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+@:,=", r)
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
