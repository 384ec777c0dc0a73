package policy

import (
	"fmt"
	"gatewright/policy/wildcard"
	"slices"
	"strings"
)

// Match selects calls. All that is set must hold.
type Match struct {
	Tools       []Pattern
	Servers     []Server
	Tags        []string
	Families    []string
	Categories  []Category
	Exposures   []Exposure
	Operations  []Operation
	RiskAtLeast Risk
	RiskAtMost  Risk
	Args        []Condition
	Commands    []string   // globs over what a command line runs
	Paths       []PathGlob // of files that a call writes
	// Among are globs of an except that is only asked about what they select: what its
	// rule matches.
	Among []PathGlob
}

// Describes reports that the match asks for what is registered about a tool.
func (m Match) Describes() bool {
	return len(m.Tags) > 0 || len(m.Families) > 0 || len(m.Categories) > 0 || len(m.Exposures) > 0 ||
		len(m.Operations) > 0 || m.RiskAtLeast > 0 || m.RiskAtMost > 0
}

// OfCalls reports that the match asks for what a call does.
func (m Match) OfCalls() bool { return len(m.Args)+len(m.Commands)+len(m.Paths) > 0 }

// Patterns lists the patterns of tool names that decide alone whether the match
// holds. It fails if something else has a say.
func (m Match) Patterns() ([]string, bool) {
	if m.Describes() || len(m.Args) > 0 || len(m.Commands)+len(m.Paths) > 0 || len(m.Tools) > 0 && len(m.Servers) > 0 {
		return nil, false
	}
	var texts []string
	for _, p := range m.Tools {
		texts = append(texts, p.text)
	}
	for _, s := range m.Servers {
		texts = append(texts, s.tools.text)
	}
	return texts, true
}

// Server is a glob over the names of MCP servers.
type Server struct {
	name  string
	tools Pattern // mcp__SERVER__*
}

// Restricts matches for rules that narrow. said is the server's name if the
// client sends it, which then decides together with the tool's name.
func (s Server) Restricts(tool, said string) bool {
	return s.tools.Restricts(tool) || said != "" && wildcard.Match(strings.ToLower(mapName(s.name, "*?")), strings.ToLower(mapName(said, "")))
}

// Grants matches for rules that admit.
func (s Server) Grants(tool, said string) bool {
	if !s.tools.Grants(tool) {
		return false
	}
	if said != "" {
		return wildcard.Match(mapName(s.name, "*?"), mapName(said, ""))
	}
	if strings.ContainsAny(s.name, "*?") {
		return true
	}
	// mcp__crm__x__y can be a tool of crm or of crm__x: one cannot tell.
	rest := mapName(tool, "")[len(ServerPrefix(s.name)):]
	return !strings.HasPrefix(rest, "_") && !strings.Contains(rest, "__")
}

// String returns the glob as it was written.
func (s Server) String() string { return s.name }

// Category is where a tool comes from. A tool can be of several.
type Category string

// The categories.
const (
	Builtin Category = "builtin" // the client's own
	MCP     Category = "mcp"     // any server's
	Plugin  Category = "plugin"  // of a server that a plugin brings along
	Agent   Category = "agent"   // it starts an agent, or an agent's definition brings its server along
)

var (
	categoryWords = []string{string(Builtin), string(MCP), string(Plugin), string(Agent)}
	exposureWords = []string{string(Direct), string(Deferred)}
)

func readMatch(t *table, admits bool) Match {
	m := Match{
		Tools:       t.patterns("tool", admits),
		Servers:     t.servers("server"),
		Tags:        t.tags(admits),
		Families:    t.words("family", families()),
		RiskAtLeast: t.risk("risk_at_least"),
		RiskAtMost:  t.risk("risk_at_most"),
		Commands:    t.texts("command"),
		Paths:       t.pathGlobs("path"),
	}
	for _, word := range t.words("category", categoryWords) {
		m.Categories = append(m.Categories, Category(word))
	}
	for _, word := range t.words("exposure", exposureWords) {
		m.Exposures = append(m.Exposures, Exposure(word))
	}
	for _, word := range t.words("operation", operationWords) {
		m.Operations = append(m.Operations, Operation(word))
	}
	if m.RiskAtLeast > m.RiskAtMost && m.RiskAtMost > 0 {
		t.problem("risk_at_least", "no risk is at least "+m.RiskAtLeast.String()+" and at most "+m.RiskAtMost.String(), "")
	}
	for _, arg := range t.subs("arg") {
		m.Args = append(m.Args, readCondition(arg))
		arg.finish()
	}
	if len(t.values) == 0 {
		t.problem("", "an empty matcher would match every tool", `name the tools; tool = ["*"] if you mean all of them`)
	}
	t.finish()
	return m
}

// tags reads globs over tags. One that no [[tool]] carries matches nothing.
func (t *table) tags(admits bool) []string {
	globs := t.texts("tag")
	known := t.file.layer.KnownTools()
	if admits {
		known = t.file.layer.Tools
	}
	for _, glob := range globs {
		carries := func(tool Tool) bool { return Description{Tags: tool.Tags}.HasTag(glob, admits) }
		if !slices.ContainsFunc(known, carries) {
			t.lint("tag", fmt.Sprintf("no tool has the tag %q, so this matches nothing", glob), "add it to a [[tool]]; where a rule admits, to one of the same layer")
		}
	}
	return globs
}

// words reads a list of the allowed words.
func (t *table) words(key string, allowed []string) []string {
	words := t.texts(key)
	for _, word := range words {
		if !slices.Contains(allowed, word) {
			t.problem(key, fmt.Sprintf("%s cannot be %q", key, word), "one of "+strings.Join(allowed, ", "))
		}
	}
	return words
}

func (t *table) servers(key string) []Server {
	var list []Server
	for _, name := range t.texts(key) {
		tools, err := ParsePattern("mcp__" + mapName(name, "*?") + "__*")
		if err != nil || strings.HasPrefix(name, "mcp__") || !PrintableASCII(name) {
			t.problem(key, fmt.Sprintf("%q is not the name of an MCP server", name), "write it as it is configured; * and ? are wildcards")
			continue
		}
		list = append(list, Server{name, tools})
	}
	return list
}
