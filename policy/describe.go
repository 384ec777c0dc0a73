package policy

import (
	"slices"
	"strings"
)

// Description is what is known about one tool. A Truth in it can be Unknown.
type Description struct {
	Tags      []string
	Family    string // "" = none
	Operation Operation
	Risk      Risk
	Exposure  Exposure
	unknown   bool // a bare name that we do not know
	mcp       bool
	source    string // where its server is configured, in the client's words
	plugin    bool   // by its name
}

// HasTag reports whether the tool carries the tag. Tags are a closed world.
func (d Description) HasTag(tag string) bool { return slices.Contains(d.Tags, tag) }

// InFamily says whether the tool is of one of the families. Tools of servers are
// of none; about a client's tool that we have not seen nothing is known.
func (d Description) InFamily(names []string) Truth {
	if d.unknown {
		return Unknown
	}
	return Of(slices.Contains(names, d.Family))
}

// InCategory says whether the tool comes from there. Only some clients tell where
// a server was configured.
func (d Description) InCategory(c Category) Truth {
	switch {
	case c == MCP:
		return Of(d.mcp)
	case c == Builtin && d.unknown:
		return Unknown
	case c == Builtin:
		return Of(!d.mcp)
	case c == Agent && !d.mcp:
		return d.InFamily([]string{"agent"})
	case !d.mcp:
		return False
	case c == Plugin && d.plugin:
		return True
	case d.source == "":
		return Unknown
	}
	return Of(d.source == string(c))
}

// Describe adds up the entries that name the tool, beginning with what a client
// says about its own tools. Entries that disagree on a property leave it unknown;
// of several risks the highest counts.
func Describe(tools []Tool, name, serverSource string) Description {
	d := Description{source: serverSource, mcp: strings.HasPrefix(name, "mcp__")}
	d.plugin = strings.HasPrefix(name, "mcp__plugin_")
	b, known := builtinNamed(name)
	d.unknown = !known && !d.mcp
	d.Family, d.Operation, d.Risk = b.family, b.operation, b.risk
	var operation said[Operation]
	var exposure said[Exposure]
	for _, t := range tools {
		if !AnyGrants(t.Names, name) {
			continue
		}
		d.Tags = append(d.Tags, t.Tags...)
		d.Risk = max(d.Risk, t.Risk)
		operation.add(t.Operation)
		exposure.add(t.Exposure)
	}
	d.Operation, d.Exposure = operation.or(d.Operation), exposure.or("")
	return d
}

// said adds up what several entries say about one property.
type said[T ~string] struct {
	value    T
	conflict bool
}

func (s *said[T]) add(value T) {
	s.conflict = s.conflict || value != "" && s.value != "" && value != s.value
	if value != "" {
		s.value = value
	}
}

// or is the property, otherwise if nobody said it and nothing if they disagree.
func (s said[T]) or(otherwise T) T {
	switch {
	case s.conflict:
		return ""
	case s.value != "":
		return s.value
	}
	return otherwise
}
