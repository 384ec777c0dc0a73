package policy

import (
	"fmt"
	"slices"
	"strings"
)

// table reads one TOML table key by key. It remembers which keys were asked
// for, so that every other one is an error, and it keeps all problems instead
// of stopping at the first.
type table struct {
	file   *file
	kind   string // for messages: rule, rule.match
	mark   mark
	path   string // of this table inside its mark, with a final dot
	values map[string]any
	asked  map[string]bool
}

func (t *table) problem(key, message, hint string) {
	t.file.add(t.mark.lineOf(t.path+key), message, hint)
}

// lint notes what `gatewright check` fails on and the hook can work with.
func (t *table) lint(key, message, hint string) {
	t.file.lint = append(t.file.lint, t.file.at(t.mark.lineOf(t.path+key), message, hint))
}

func (t *table) warn(key, message, hint string) {
	t.file.warnings = append(t.file.warnings, t.file.at(t.mark.lineOf(t.path+key), message, hint))
}

// name is how messages speak of the table.
func (t *table) name() string {
	if t.kind == "" {
		return "the policy"
	}
	return "[[" + t.kind + "]]"
}

func (t *table) value(key string) (any, bool) {
	t.asked[key] = true
	v, ok := t.values[key]
	return v, ok
}

func (t *table) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// need reports a missing key once; accessors stay quiet about absent ones.
func (t *table) need(keys ...string) {
	for _, key := range keys {
		t.asked[key] = true
		if !t.has(key) {
			t.problem("", fmt.Sprintf("%s has no %s", t.name(), key), "add a line: "+key+" = …")
		}
	}
}

// text reads a string that is not empty.
func (t *table) text(key string) string {
	v, ok := t.value(key)
	if !ok {
		return ""
	}
	s, isText := v.(string)
	if !isText || strings.TrimSpace(s) == "" {
		t.problem(key, key+" must be a text that is not empty", `write `+key+` = "…"`)
		return ""
	}
	return s
}

// texts reads a string or a list of strings, in either case not empty.
func (t *table) texts(key string) []string {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		s, isText := item.(string)
		if !isText || strings.TrimSpace(s) == "" {
			t.problem(key, key+" must be a list of texts that are not empty", `write `+key+` = ["…"]`)
			return nil
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		t.problem(key, key+" is empty, so it would match nothing", "name at least one, or remove the line")
	}
	return out
}

// word reads one of the allowed words.
func (t *table) word(key string, allowed ...string) string {
	s := t.text(key)
	if s != "" && !slices.Contains(allowed, s) {
		t.problem(key, fmt.Sprintf("%s cannot be %q", key, s), "one of "+strings.Join(allowed, ", "))
		return ""
	}
	return s
}

// sub reads a table inside this one.
func (t *table) sub(key string) *table {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	values, isTable := v.(map[string]any)
	if !isTable {
		t.problem(key, key+" must be a table", "write "+key+" = { … }")
		return nil
	}
	return t.inner(key, values)
}

// subs reads a list of tables inside this one; a single table is a list of one.
func (t *table) subs(key string) []*table {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	var out []*table
	for i, item := range tableList(v) {
		values, isTable := item.(map[string]any)
		if !isTable {
			t.problem(key, key+" must be a list of tables", "write "+key+" = [{ … }]")
			return nil
		}
		entry := t.inner(key, values)
		entry.path = t.path + entryName(key, i) + "."
		out = append(out, entry)
	}
	if len(out) == 0 {
		t.problem(key, key+" is empty", "add an entry, or remove the line")
	}
	return out
}

func (t *table) inner(key string, values map[string]any) *table {
	kind := strings.TrimPrefix(t.kind+"."+key, ".")
	return &table{t.file, kind, t.mark, t.path + key + ".", values, map[string]bool{}}
}

// tableList makes the forms that the decoder gives an array of tables one.
func tableList(v any) []any {
	switch list := v.(type) {
	case []any:
		return list
	case []map[string]any:
		out := make([]any, len(list))
		for i, values := range list {
			out[i] = values
		}
		return out
	}
	return []any{v}
}
