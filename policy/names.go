package policy

import (
	"fmt"
	"gatewright/policy/wildcard"
	"strings"
)

// Pattern is a glob over tool names: * is any run of characters, ? any one, and
// the whole name must match. A family such as @shell stands for the built-in
// tools of both clients that do the same.
//
// Names are compared after mapping every character outside [A-Za-z0-9_] to _ on
// both sides, because the clients spell the same server differently.
type Pattern struct {
	text   string // as written
	glob   string // mapped
	folded string // mapped, lower case
	names  []string
}

// ParsePattern reads a pattern. Its error says what is wrong with the text.
func ParsePattern(text string) (Pattern, error) {
	if family, ok := strings.CutPrefix(text, "@"); ok {
		names := familyTools(family)
		if names == nil {
			return Pattern{}, fmt.Errorf("there is no family %q; the families are %s", text, familyNames())
		}
		return Pattern{text: text, names: names}, nil
	}
	if strings.ContainsAny(text, `()^$+\`) {
		return Pattern{}, fmt.Errorf("%q is no pattern for names: * and ? are its only wildcards, and what a call does is tested with arg", text)
	}
	if text == "" || !PrintableASCII(text) || strings.ContainsAny(text, " []{}!,|") {
		return Pattern{}, fmt.Errorf("%q is not a tool pattern; write a name with * and ?, such as mcp__billing__delete_*", text)
	}
	glob := mapName(text, "*?")
	return Pattern{text: text, glob: glob, folded: strings.ToLower(glob)}, nil
}

// String returns the pattern as it was written.
func (p Pattern) String() string { return p.text }

// Restricts matches for tables that only ever narrow: case is ignored, and a
// pattern without __ is also tried against every part of the name that follows
// a __, so that process_refund is any server's process_refund.
func (p Pattern) Restricts(tool string) bool {
	if p.names != nil {
		return p.family(tool, strings.EqualFold)
	}
	return restricts(p.folded, foldName(tool)) || p.ofSomeServer(tool)
}

// foldName is a name as restricting patterns compare it.
func foldName(tool string) string { return strings.ToLower(mapName(tool, "")) }

// restricts compares a folded pattern with a folded name.
func restricts(folded, name string) bool {
	if wildcard.Match(folded, name) {
		return true
	}
	if strings.Contains(folded, "__") {
		return false
	}
	for i := 0; i+2 < len(name); i++ {
		if name[i:i+2] == "__" && wildcard.Match(folded, name[i+2:]) {
			return true
		}
	}
	return false
}

// AnyServer begins the name of a tool of which nobody knows the server: one that is
// reached by a name alone. What restricts any server's tool of that name restricts it,
// and only what is granted to every server's is granted to it.
const AnyServer = "mcp__(any)__"

func (p Pattern) ofSomeServer(tool string) bool {
	name, unknown := strings.CutPrefix(tool, AnyServer)
	rest, full := strings.CutPrefix(p.folded, "mcp__")
	_, of, named := strings.Cut(rest, "__")
	if !unknown || !full || !named {
		return false
	}
	for name = strings.ToLower(mapName(name, "")); ; {
		if wildcard.Match(of, name) {
			return true
		}
		_, behind, more := strings.Cut(name, "__")
		if !more {
			return false
		}
		name = behind
	}
}

// Grants matches for tables that admit or prove: the whole name, with its case,
// because any server can call its tool identity_verification. A bare name means
// a built-in tool.
func (p Pattern) Grants(tool string) bool {
	if p.names != nil {
		return p.family(tool, func(a, b string) bool { return a == b })
	}
	if p.Bare() && !IsBuiltin(p.text) {
		return false
	}
	return wildcard.Match(p.glob, mapName(tool, ""))
}

func (p Pattern) family(tool string, same func(a, b string) bool) bool {
	for _, name := range p.names {
		if same(name, tool) {
			return true
		}
	}
	return false
}

// Bare reports whether the pattern is one plain name without a server.
func (p Pattern) Bare() bool {
	return p.Literal() && !strings.Contains(p.glob, "__")
}

// impossible reports a pattern that names a server and cannot match any tool of
// it: mcp__crm and crm__get_customer are no whole names.
func (p Pattern) impossible() bool {
	rest, whole := strings.CutPrefix(p.folded, "mcp__")
	switch {
	case p.names != nil || !strings.Contains(p.folded, "__"):
		return false
	case !whole:
		return p.folded[0] != '*' && p.folded[0] != '?' && !strings.HasPrefix("mcp__", literalStart(p.folded))
	}
	server, tool, _ := strings.Cut(rest, "__")
	return p.Literal() && (server == "" || tool == "")
}

// literalStart is what stands before the first wildcard.
func literalStart(glob string) string {
	if i := strings.IndexAny(glob, "*?"); i >= 0 {
		return glob[:i]
	}
	return glob
}

// anyServer reports a pattern under which tools of several servers fall.
func (p Pattern) anyServer() bool {
	if p.names != nil || p.Literal() {
		return false
	}
	rest, whole := strings.CutPrefix(literalStart(p.glob), "mcp__")
	return !whole || !strings.Contains(rest, "__")
}

// AnyRestricts reports whether one of the patterns restricts the tool.
func AnyRestricts(patterns []Pattern, tool string) bool {
	for _, p := range patterns {
		if p.Restricts(tool) {
			return true
		}
	}
	return false
}

// AnyGrants reports whether one of the patterns grants the tool.
func AnyGrants(patterns []Pattern, c Caller) bool {
	for _, p := range patterns {
		if p.Grants(c.Tool) && p.isOf(c.Server) {
			return true
		}
	}
	return false
}

// isOf reports whether a pattern that names its server can mean this one:
// mcp__a__* is no pattern for a server called a__b.
func (p Pattern) isOf(server string) bool {
	rest, whole := strings.CutPrefix(p.glob, "mcp__")
	named, _, ends := strings.Cut(rest, "__")
	if server == "" || p.names != nil || !whole || !ends || strings.ContainsAny(named, "*?") {
		return true
	}
	server = mapName(server, "")
	return server == named || strings.HasPrefix(rest, server+"__")
}

// PrintableASCII reports whether s has only the characters from space to tilde.
// A tool whose name has others is denied: it can look like another one.
func PrintableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// mapName maps the name, leaving the characters in keep.
func mapName(name, keep string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune(keep, r):
			return r
		}
		return '_'
	}, name)
}

// ServerPrefix begins the names of a server's tools.
func ServerPrefix(server string) string { return "mcp__" + mapName(server, "") + "__" }

// Literal reports whether the pattern names exactly one tool.
func (p Pattern) Literal() bool {
	return p.names == nil && !strings.ContainsAny(p.glob, "*?")
}

// SameName reports two spellings of one tool's name.
func SameName(a, b string) bool { return mapName(a, "") == mapName(b, "") }
