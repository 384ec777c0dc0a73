// Package wildcard matches whole texts against patterns with * and ?.
package wildcard

import (
	"strings"
	"unicode/utf8"
)

// Match matches the whole of s: * is any run of characters, ? any one. It goes
// back to the last star only, so its time is bounded by the product of the
// lengths.
func Match(pattern, s string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			i += width(s[i:])
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			from += width(s[from:])
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
