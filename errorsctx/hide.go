package errorsctx

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
)

// Hides reports changes of which one keeps something from the model.
func Hides(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.hides() })
}

// folded is a name in one of the spellings that fold to the same.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// hidesName reports a name under which something is hidden.
func (z Normalizer) hidesName(name string) bool {
	for _, c := range z.Changes {
		for _, s := range c.Paths {
			if c.hides() && s.Name() != "" && z.Glob(folded(s.Name()), folded(name)) {
				return true
			}
		}
	}
	return false
}

// Mentions reports a text that is no document and speaks of something that is to be
// hidden.
func (z Normalizer) Mentions(text string) bool { return z.mentions(text, false) }

// mentions reports a text that is no document, or holds one inside a text, and speaks
// of something that is to be hidden: a name before a colon or an equals sign.
func (z Normalizer) mentions(text string, inside bool) bool {
	var names []string
	for _, c := range z.Changes {
		for _, s := range c.Paths {
			if c.hides() && s.Name() != "" {
				names = append(names, strings.NewReplacer(`\*`, `[\w-]*`, `\?`, `.`).Replace(regexp.QuoteMeta(s.Name())))
			}
		}
	}
	if len(names) == 0 {
		return len(z.Changes) > 0 && !inside // elements of lists have no names
	}
	name := `(?i)(?:` + strings.Join(names, "|") + `)`
	if inside {
		return regexp.MustCompile(`\\+["']` + name + `\\+["']\s*:`).MatchString(text)
	}
	return regexp.MustCompile(`(?:^|[^\w])` + name + `\\*["']?\s*[:=]`).MatchString(text)
}

// DigestSize is how many hexadecimal digits stand for a value that is hidden.
const DigestSize = 16

// redactedMark begins what stands for a value that is hidden.
const redactedMark = "redacted"

// redacted stands for a value by its keyed digest: equal values stay equal.
func (n *normalizing) redacted(v gjson.Result) string {
	if v.Type == gjson.Null || v.Type == gjson.String && isRedacted(v.Str) {
		return v.Raw
	}
	mark := redactedMark
	if digest := n.Digest(v.String()); digest != "" {
		mark += ":" + digest
	}
	return quote(mark)
}

// isRedacted recognises what redact has written.
func isRedacted(text string) bool {
	digest, found := strings.CutPrefix(text, redactedMark)
	return found && (digest == "" || digest[0] == ':' && len(digest) == 1+DigestSize && strings.Trim(digest[1:], "0123456789abcdef") == "")
}
