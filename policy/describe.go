package policy

import "slices"

// Description is what is registered about one tool.
type Description struct {
	Tags      []string
	Operation Operation // "" = unknown
	Risk      Risk      // 0 = unknown
}

// HasTag reports whether the tool carries the tag.
func (d Description) HasTag(tag string) bool { return slices.Contains(d.Tags, tag) }

// Describe adds up the entries that name the tool, beginning with what a client
// says about its own tools. Entries that disagree on the operation leave it
// unknown; of several risks the highest counts.
func Describe(tools []Tool, name string) Description {
	var d Description
	if b, ok := builtinNamed(name); ok {
		d.Operation, d.Risk = b.operation, b.risk
	}
	conflict := false
	said := Operation("")
	for _, t := range tools {
		if !AnyGrants(t.Names, name) {
			continue
		}
		d.Tags = append(d.Tags, t.Tags...)
		d.Risk = max(d.Risk, t.Risk)
		conflict = conflict || t.Operation != "" && said != "" && t.Operation != said
		if t.Operation != "" {
			said = t.Operation
		}
	}
	switch {
	case conflict:
		d.Operation = ""
	case said != "":
		d.Operation = said
	}
	return d
}
