package install

import (
	"path/filepath"
	"slices"
	"strings"
)

// baseNames are the names of ours that other people's files have, too.
var baseNames = []string{"policy.toml", "local.toml", "settings.json", "settings.local.json", "hooks.json", "config.toml", ".mcp.json", ".claude.json"}

// HasName reports whether a path whose folder is not known has the name of one of
// ours.
func HasName(path string) bool {
	dir, base := filepath.Split(path)
	unknown := dir == "" || dir == "./" || strings.HasSuffix(dir, Hidden+"/") || strings.HasSuffix(filepath.Clean(dir), "..")
	return unknown && slices.Contains(baseNames, strings.ToLower(base))
}

// Mentioned gives the name of ours that a text mentions, or nothing: for code
// whose effects are not known.
func (p Protection) Mentioned(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, `\`, "/"))
	for _, name := range slices.Concat(protectedFolders, protectedNames) {
		if mentions(text, name) {
			return name
		}
	}
	if mentions(text, settingsFolder) && strings.Contains(text, "settings") {
		return settingsFolder + "/settings.json"
	}
	for _, ours := range slices.Concat(p.files(), p.Dirs) {
		tail := filepath.Join(filepath.Base(filepath.Dir(ours)), filepath.Base(ours))
		if ours != "" && (strings.Contains(text, strings.ToLower(ours)) || mentions(text, strings.ToLower(tail))) {
			return ours
		}
	}
	return ""
}

// MentionsBase gives the name of a file of ours that a text mentions without its
// folder, or nothing: for code that runs in one of them.
func MentionsBase(text string) string {
	text = strings.ToLower(text)
	for _, name := range baseNames {
		if mentions(text, name) {
			return name
		}
	}
	return ""
}

// mentions finds a name that is no part of a longer one: .codex is none in
// config.codex.
func mentions(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(name)
		// A bracket before a name makes it a member of something, one after it ends a
		// quotation: q(.mcp.json).
		bracket := begin > 0 && (text[begin-1] == ')' || text[begin-1] == ']')
		if !bracket && !isNameByte(text, begin-1) && !isNameByte(text, end) {
			return true
		}
		from = end
	}
}

func isNameByte(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_'
}
