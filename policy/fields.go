package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatewright/errorsctx"
	"gatewright/policy/exact"
)

// patterns reads tool patterns. For tables that admit or prove it also notes
// what can never match.
func (t *table) patterns(key string, admits bool) []Pattern {
	var out []Pattern
	for _, text := range t.texts(key) {
		p, err := ParsePattern(text)
		if err != nil {
			t.problem(key, err.Error(), "")
			continue
		}
		if p.impossible() {
			t.problem(key, fmt.Sprintf("%q is no tool's whole name, so this never matches", text),
				"write mcp__SERVER__TOOL, mcp__SERVER__* for all its tools, or where a table restricts TOOL alone")
		}
		t.lintPattern(key, p, admits)
		out = append(out, p)
	}
	return out
}

func (t *table) lintPattern(key string, p Pattern, admits bool) {
	line := t.mark.lineOf(t.path + key)
	if admits && p.Bare() && !IsBuiltin(p.text) {
		t.file.lint = append(t.file.lint, t.file.at(line,
			fmt.Sprintf("%q is no built-in tool, so this matches nothing", p.text),
			"where a table admits or proves, write the full name, such as mcp__SERVER__"+p.text))
	}
	if p.names == nil && strings.Contains(p.text, ".*") {
		t.file.lint = append(t.file.lint, t.file.at(line, fmt.Sprintf("%q asks for a dot, which names do not have", p.text), "* alone stands for any run of characters"))
	}
	if familyTools(p.text) != nil {
		t.file.lint = append(t.file.lint, t.file.at(line, fmt.Sprintf("no tool is called %q", p.text), "@"+p.text+" is the family of tools"))
	}
	if client := onlyClient(p.text); client != "" {
		t.file.warnings = append(t.file.warnings, t.file.at(line,
			fmt.Sprintf("only %s has a tool named %s", client, p.text), familyHint(p.text)))
	}
}

func familyHint(name string) string {
	if b, _ := builtinNamed(name); b.family != "" {
		return "@" + b.family + " means the same in both clients"
	}
	return ""
}

// argPath reads a path into the arguments.
func (t *table) argPath(key string) errorsctx.Path {
	return t.parsePath(key, t.text(key))
}

func (t *table) argPaths(key string) []errorsctx.Path {
	var out []errorsctx.Path
	for _, text := range t.texts(key) {
		out = append(out, t.parsePath(key, text))
	}
	return out
}

func (t *table) parsePath(key, text string) errorsctx.Path {
	if text == "" {
		return errorsctx.Path{}
	}
	p, err := errorsctx.ParsePath(text)
	if err != nil {
		t.problem(key, err.Error(), "")
	}
	for _, root := range []string{"args.", "tool_input."} {
		if strings.HasPrefix(text, root) {
			t.file.warnings = append(t.file.warnings, t.file.at(t.mark.lineOf(t.path+key),
				fmt.Sprintf("%q begins with an argument named %s", text, strings.TrimSuffix(root, ".")),
				"a path begins inside the arguments; leave "+root+" out unless the tool has such an argument"))
		}
	}
	return p
}

// category reads the errorCategory that the model is told.
func (t *table) category(otherwise errorsctx.Category) errorsctx.Category {
	words := make([]string, len(errorsctx.Categories))
	for i, c := range errorsctx.Categories {
		words[i] = string(c)
	}
	if word := t.word("category", words...); word != "" {
		return errorsctx.Category(word)
	}
	return otherwise
}

// duration reads a span such as 30m, 24h or 7d.
func (t *table) duration(key string) time.Duration {
	text := t.text(key)
	if text == "" {
		return 0
	}
	d, err := ParseDuration(text)
	if err != nil || d <= 0 || d > maxDuration {
		t.problem(key, fmt.Sprintf("%s cannot be %q", key, text), "write a duration up to a year, such as 30m, 24h or 7d")
		return 0
	}
	return d
}

const (
	day         = 24 * time.Hour
	maxDuration = 366 * day
)

// ParseDuration reads a span such as 30m, 24h or 7d.
func ParseDuration(text string) (time.Duration, error) {
	days, isDays := strings.CutSuffix(text, "d")
	if !isDays {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseUint(days, 10, 16)
	return time.Duration(n) * day, err
}

// money reads an exact decimal that is not negative: a text or a whole number.
// TOML's floats are binary, so they are refused.
func (t *table) money(key string) exact.Decimal {
	v, ok := t.value(key)
	if !ok {
		return exact.Decimal{}
	}
	text := ""
	switch n := v.(type) {
	case string:
		text = n
	case int64:
		text = strconv.FormatInt(n, 10)
	}
	d, err := exact.ParsePlain(text)
	if err != nil {
		t.problem(key, key+" must be an exact amount that is not negative", `write it as a text: `+key+` = "500.00"`)
	}
	return d
}
