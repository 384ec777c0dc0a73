package policy

import (
	"gatewright/errorsctx"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
	"slices"
	"strings"
)

// Description is what one layer says about one tool, and what is known of it by its
// name. A property that nobody states, or that several entries state differently,
// is unknown.
type Description struct {
	Tags      []string
	Family    string // "" = none
	Operation Operation
	Risk      Risk
	Exposure  Exposure

	Claim        bool
	ResourceType string
	Resources    []errorsctx.Path
	Items        []errorsctx.Path
	Destinations []errorsctx.Path
	conflicting  bool // entries state different operations or types of resources

	unknown bool        // a client's own tool that we have not seen
	mcp     exact.Truth // of a server
	source  string
}

// Conflicting reports that the entries contradict each other, so that what the tool
// does cannot be told.
func (d Description) Conflicting() bool { return d.conflicting }

// HasTag says whether the tool carries a tag that the glob matches. Tags are a
// closed world. Case is ignored where the rule does not admit.
func (d Description) HasTag(glob string, admits bool) bool {
	return slices.ContainsFunc(d.Tags, func(tag string) bool {
		return wildcard.Match(glob, tag) || !admits && wildcard.Match(strings.ToLower(glob), strings.ToLower(tag))
	})
}

// InFamily says whether the tool is of one of the families. Tools of servers are
// of none; about a client's tool that we have not seen nothing is known.
func (d Description) InFamily(names []string) exact.Truth {
	if d.unknown {
		return exact.Unknown
	}
	return exact.Of(slices.Contains(names, d.Family))
}

// InCategory says whether the tool comes from there. Only some clients tell where
// a server was configured, and its name is no proof of that.
func (d Description) InCategory(c Category) exact.Truth {
	switch {
	case c == MCP:
		return d.mcp
	case c == Builtin && d.unknown:
		return exact.Unknown
	case c == Builtin:
		return d.mcp.Not()
	case c == Agent && d.mcp == exact.False:
		return d.InFamily([]string{"agent"})
	case d.mcp == exact.False:
		return exact.False
	case d.source == "":
		return exact.Unknown
	}
	return exact.Of(d.source == string(c))
}

// Caller is the tool of a call, as far as a client tells it.
type Caller struct {
	Tool   string
	Server string // its server's configured name; empty if the client does not send it
	Source string // where that is configured, in the client's words
}

// Describe gives what this layer says about a tool, and then what every broader
// one that names the tool says. They are not added up: what another layer says of a
// tool may narrow what this layer's rules let through and never widen it.
func (l *Layer) Describe(c Caller) []Description {
	list := []Description{describe(l.Tools, c)}
	for b := l.broader; b != nil; b = b.broader {
		if slices.ContainsFunc(b.Tools, func(t Tool) bool { return AnyGrants(t.Names, c) }) {
			list = append(list, describe(b.Tools, c))
		}
	}
	return list
}

// describe adds up the entries of one layer that name the tool, beginning with what
// a client says about its own tools. Of several risks the highest counts.
func describe(tools []Tool, c Caller) Description {
	d := Description{source: c.Source, mcp: isMCP(c.Tool)}
	b, known := builtinNamed(c.Tool)
	d.unknown = !known && d.mcp == exact.False
	d.Family, d.Operation, d.Risk = b.family, b.operation, b.risk
	var operation said[Operation]
	var exposure said[Exposure]
	var resource said[string]
	for _, t := range tools {
		if !AnyGrants(t.Names, c) {
			continue
		}
		d.Tags = append(d.Tags, t.Tags...)
		d.Risk = max(d.Risk, t.Risk)
		operation.add(t.Operation)
		exposure.add(t.Exposure)
		resource.add(t.ResourceType)
		d.Claim = d.Claim || t.Claim
		d.Resources, d.Destinations = append(d.Resources, t.Resources...), append(d.Destinations, t.Destinations...)
		if !t.Items.Whole() {
			d.Items = append(d.Items, t.Items)
		}
	}
	d.conflicting = operation.conflict || resource.conflict
	d.Operation, d.Exposure, d.ResourceType = operation.or(d.Operation), exposure.or(""), resource.or("")
	return d
}

// isMCP: every client begins the names of servers' tools the same way.
func isMCP(tool string) exact.Truth {
	name := mapName(tool, "")
	switch {
	case strings.HasPrefix(name, "mcp__"):
		return exact.True
	case strings.HasPrefix(strings.ToLower(name), "mcp__"):
		return exact.Unknown
	}
	return exact.False
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
