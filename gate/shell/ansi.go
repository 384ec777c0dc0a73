package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func singleQuoted(q *syntax.SglQuoted) string {
	if q.Dollar {
		text, _, _ := strings.Cut(ansi(q.Value, Unknown), Unknown) // NUL ends it
		return text
	}
	return q.Value
}

// ansi reads the escapes of $'…', with what stands for NUL.
func ansi(text, nul string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'x':
			i += number(&b, text[i+1:], 16, 2, nul)
		case 'u':
			i += number(&b, text[i+1:], 16, 4, nul)
		case 'U':
			i += number(&b, text[i+1:], 16, 8, nul)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i += number(&b, text[i:], 8, 3, nul) - 1
		default:
			b.WriteString(control(c))
		}
	}
	return b.String()
}

// number writes the character of the longest number at the beginning of text and
// says how long that is.
func number(b *strings.Builder, text string, base, most int, nul string) int {
	for n := min(most, len(text)); n > 0; n-- {
		v, err := strconv.ParseUint(text[:n], base, 32)
		if err != nil {
			continue
		}
		switch {
		case v&0xff == 0 && most < 4 || v == 0:
			b.WriteString(nul)
		case most < 4:
			b.WriteByte(byte(v))
		default:
			b.WriteRune(rune(v))
		}
		return n
	}
	return 0
}

func control(c byte) string {
	if i := strings.IndexByte("abfnrtvE", c); i >= 0 {
		return "\a\b\f\n\r\t\v\x1b"[i : i+1]
	}
	return string(rune(c))
}
