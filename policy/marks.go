package policy

import (
	"fmt"
	"strings"
)

// mark is where a table and its keys stand. The TOML decoder gives no positions
// for values, so a light pass over the text notes them.
type mark struct {
	table string // rule, or "" for the root
	line  int    // 1-based
	keys  map[string]int
	// inline holds the tables that are complete in braces, and extended the
	// lines that add to one all the same. TOML forbids it; the decoder does not.
	inline   []string
	extended []int
}

func (m *mark) add(path, value string, line int) {
	for _, table := range m.inline {
		if path == table || strings.HasPrefix(path, table+".") || strings.HasPrefix(path, table+"#") {
			m.extended = append(m.extended, line)
		}
	}
	m.keys[path] = line
	if strings.HasPrefix(strings.TrimSpace(value), "{") {
		m.inline = append(m.inline, path)
	}
}

// lineOf finds the line of a key by its dotted path inside the table, or of the
// nearest key around it.
func (m mark) lineOf(path string) int {
	path = strings.TrimSuffix(path, ".")
	for path != "" {
		if line, ok := m.keys[path]; ok {
			return line
		}
		if line, ok := m.keys[path+"#0"]; ok {
			return line // a list of tables
		}
		if i := strings.LastIndexByte(path, '#'); i > strings.LastIndexByte(path, '.') {
			path = path[:i] // an entry of a list that is written in one line
			continue
		}
		i := strings.LastIndexByte(path, '.')
		path = path[:max(i, 0)]
	}
	return m.line
}

// marksOf notes every [[table]] and every key that begins a line. Headers below
// a table, such as [rule.match], belong to the last table above them.
func marksOf(lines []string) []mark {
	all := []mark{{keys: map[string]int{}}}
	prefix := ""
	var v valueScan
	for i, line := range lines {
		if v.open() {
			v.scan(line)
			continue
		}
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			all, prefix = header(all, trimmed, i+1)
			continue
		}
		key, value, found := strings.Cut(trimmed, "=")
		if !found || strings.HasPrefix(trimmed, "#") {
			continue
		}
		all[len(all)-1].add(prefix+plainKey(key), value, i+1)
		v.scan(value)
	}
	return all
}

// next names the next entry of a list of tables inside this one.
func (m mark) next(list string) string {
	for n := 0; ; n++ {
		entry := entryName(list, n)
		if _, taken := m.keys[entry]; !taken {
			return entry
		}
	}
}

func entryName(list string, n int) string { return fmt.Sprintf("%s#%d", list, n) }

func header(all []mark, text string, line int) ([]mark, string) {
	text, _, _ = strings.Cut(text, "#")
	isList := strings.HasPrefix(text, "[[")
	path := plainKey(strings.Trim(strings.TrimSpace(text), "[]"))
	root, rest, nested := strings.Cut(path, ".")
	if last := &all[len(all)-1]; nested && last.table == root {
		if isList {
			rest = last.next(rest)
		}
		last.add(rest, "", line)
		return all, rest + "."
	}
	if _, known := all[0].keys[root]; !known {
		all[0].keys[root] = line // for a table that nobody knows
	}
	return append(all, mark{table: root, line: line, keys: map[string]int{}}), ""
}

// plainKey removes quotes and spaces from a key or a dotted one.
func plainKey(key string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"' \t", r) {
			return -1
		}
		return r
	}, key)
}

// valueScan follows a value over several lines: brackets and multi-line texts.
type valueScan struct {
	depth int
	quote string // the delimiter that closes the text we are in
}

func (v *valueScan) open() bool { return v.depth > 0 || v.quote != "" }

func (v *valueScan) scan(s string) {
	for s != "" {
		switch {
		case v.quote != "":
			s = v.inText(s)
		case strings.HasPrefix(s, `"""`), strings.HasPrefix(s, `'''`):
			v.quote, s = s[:3], s[3:]
		case s[0] == '"' || s[0] == '\'':
			v.quote, s = s[:1], s[1:]
		case s[0] == '#':
			return
		default:
			v.bracket(s[0])
			s = s[1:]
		}
	}
	if len(v.quote) == 1 {
		v.quote = "" // a one-line text that was not closed; the decoder complains
	}
}

func (v *valueScan) bracket(c byte) {
	switch c {
	case '[', '{':
		v.depth++
	case ']', '}':
		v.depth--
	}
}

func (v *valueScan) inText(s string) string {
	if s[0] == '\\' && v.quote[0] == '"' {
		return s[min(2, len(s)):]
	}
	if rest, closed := strings.CutPrefix(s, v.quote); closed {
		v.quote = ""
		return rest
	}
	return s[1:]
}
