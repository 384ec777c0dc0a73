package main

import (
	"slices"
	"strings"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
	"gatewright/policy/wildcard"
)

// entry is one item of a client's list.
type entry struct {
	list install.List
	item string
}

// unsaid is a pattern of a rule that a client's list cannot hold.
type unsaid struct{ rule, pattern string }

// unlisted reports whether a rule of the layer takes the tool off the lists.
func unlisted(l *policy.Layer, client, tool string) bool {
	return len(gate.Unlisted(l, hooks.Event{Kind: hooks.PreToolUse, Client: client, Tool: tool})) > 0
}

// claudeEntries says what Claude Code must not list for a layer: the patterns of
// rules that go by names alone, and the known tools that other rules take off.
func claudeEntries(l *policy.Layer) (entries []entry, left []unsaid) {
	var items []string
	for _, r := range takingOff(l) {
		patterns, alone := byName(l, r)
		if !alone {
			left = append(left, unsaid{r.ID, unnamed})
		}
		for _, p := range patterns {
			item, ok := install.DenyEntry(p)
			switch {
			case ok && !policy.IsBuiltin(p):
				items = append(items, item)
			case !ok && p[0] != '@':
				left = append(left, unsaid{r.ID, p})
			}
		}
	}
	for _, tool := range slices.Concat(policy.Builtins("claude"), l.Mentioned()) {
		full := strings.Contains(tool, "__") || policy.IsBuiltin(tool)
		switch {
		case !full || !unlisted(l, "claude", tool):
		case slices.ContainsFunc(install.Companions(tool), func(other string) bool { return !unlisted(l, "claude", other) }):
			left = append(left, unsaid{gate.Unlisted(l, hooks.Event{Client: "claude", Tool: tool})[0].ID, tool + ", which would take " + strings.Join(install.Companions(tool), ", ") + " along"})
		default:
			items = addName(items, tool)
		}
	}
	slices.Sort(items)
	for _, item := range slices.Compact(items) {
		entries = append(entries, entry{install.DenyList, item})
	}
	return entries, left
}

// addName adds a tool's full name, unless one of the globs stands for it.
func addName(items []string, tool string) []string {
	if item, ok := install.DenyEntry(tool); ok && !policy.IsBuiltin(tool) {
		tool = item
	}
	if slices.ContainsFunc(items, func(glob string) bool { return wildcard.Match(glob, tool) }) {
		return items
	}
	return append(items, tool)
}

const unnamed = "tools that the policy does not name"

// byName gives the patterns that say all of a rule. If it goes by something else,
// the tools that the policy names can be listed one by one; tags are on no others.
func byName(l *policy.Layer, r policy.Rule) (patterns []string, all bool) {
	patterns, alone := r.Match.Patterns()
	if alone && r.Except == nil {
		return patterns, true
	}
	if len(r.Match.Tags) == 0 {
		return nil, false
	}
	tagged := func(t policy.Tool) bool {
		return slices.ContainsFunc(t.Tags, func(tag string) bool { return slices.Contains(r.Match.Tags, tag) })
	}
	for _, t := range l.KnownTools() {
		if tagged(t) && slices.ContainsFunc(t.Names, func(p policy.Pattern) bool { return !p.Literal() }) {
			return nil, false
		}
	}
	return nil, true
}

// takingOff are the rules that take tools off the lists.
func takingOff(l *policy.Layer) []policy.Rule {
	var rules []policy.Rule
	for _, r := range l.Rules {
		if r.TakesOff() {
			rules = append(rules, r)
		}
	}
	return rules
}

// codexEntries says what Codex must not list of the servers that a file defines.
// It takes names only.
func codexEntries(l *policy.Layer, servers []string) (entries []entry, left []unsaid) {
	for _, name := range l.Mentioned() {
		for _, server := range servers {
			tool, ok := toolOf(server, name)
			if e := (entry{install.DisabledList(server), tool}); ok && unlisted(l, "codex", policy.ServerPrefix(server)+tool) && !slices.Contains(entries, e) {
				entries = append(entries, e)
			}
		}
	}
	for _, r := range takingOff(l) {
		patterns, all := byName(l, r)
		if !all {
			patterns = []string{unnamed}
		}
		for _, p := range patterns {
			if !slices.ContainsFunc(servers, func(s string) bool { _, ok := toolOf(s, p); return ok }) {
				left = append(left, unsaid{r.ID, p})
			}
		}
	}
	return entries, left
}

// toolOf is the tool of a server that a name without wildcards means: its full
// name or its last part.
func toolOf(server, name string) (string, bool) {
	prefix := policy.ServerPrefix(server)
	p, err := policy.ParsePattern(name)
	switch {
	case err != nil, !p.Literal(), policy.IsBuiltin(name):
		return "", false
	case p.Bare():
		return name, true
	case len(name) > len(prefix) && p.Grants(prefix+name[len(prefix):]):
		return name[len(prefix):], true
	}
	return "", false
}
