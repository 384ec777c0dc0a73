package install

import (
	"slices"
	"strings"

	"gatewright/hooks"
	"gatewright/install/jsontext"
	"gatewright/install/tomltext"
)

// A client has lists of its own of tools that it does not show to the model. List
// names one of them inside a file.
type List string

// DenyList is Claude Code's. A name without parentheses takes the tool off the
// catalog and the search; * is its only wildcard, and case counts.
const DenyList List = "permissions.deny"

const (
	serversTable = "mcp_servers"
	disabledKey  = "disabled_tools"
)

// DisabledList is Codex's, one for each server. It holds names alone.
func DisabledList(server string) List {
	return List(serversTable + "." + server + "." + disabledKey)
}

func (l List) place() tomltext.Place {
	server := strings.TrimSuffix(strings.TrimPrefix(string(l), serversTable+"."), "."+disabledKey)
	return tomltext.Place{Parent: serversTable, Table: server, Key: disabledKey}
}

// ErrHarm is the error of a list that cannot be changed without changing something
// else.
var ErrHarm = tomltext.ErrHarm

// Listed gives the items of a list in the text of a client's file.
func Listed(text []byte, l List) ([]string, error) {
	if l != DenyList {
		lists, err := tomltext.Lists(text, serversTable, disabledKey)
		return lists[l.place().Table], err
	}
	if text = hooks.TrimBOM(text); len(text) == 0 {
		return nil, nil
	}
	n, err := jsontext.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, key := range strings.Split(string(l), ".") {
		i := n.Index(key)
		if i < 0 {
			return nil, nil
		}
		n = n.Members[i].Value
	}
	var items []string
	for _, m := range n.Members { // what is no text becomes an empty one
		item, _ := decoded(m.Value.Raw(text)).(string)
		items = append(items, item)
	}
	return items, nil
}

// AddListed puts an item into a list. A nil text is a file that is not there.
func AddListed(text []byte, l List, item string) ([]byte, error) {
	if l != DenyList {
		return tomltext.Add(text, l.place(), item)
	}
	bom, body := splitBOM(text)
	body, err := jsontext.Append(body, strings.Split(string(l), "."), hooks.EncodeJSON(item))
	if err != nil {
		return nil, err
	}
	return slices.Concat(bom, body), nil
}

// RemoveListed takes an item out of a list. The result is nil if nothing is left of
// a file that AddListed made.
func RemoveListed(text []byte, l List, item string) ([]byte, error) {
	if l != DenyList {
		return tomltext.Remove(text, l.place(), item)
	}
	items, err := Listed(text, l)
	i := slices.Index(items, item)
	if err != nil || i < 0 {
		return text, err
	}
	bom, body := splitBOM(text)
	body, err = jsontext.Remove(body, "permissions", "deny", i)
	if body == nil || err != nil {
		return nil, err
	}
	return slices.Concat(bom, body), nil
}

// DenyEntry writes a pattern of a policy for DenyList. Patterns of a policy ignore
// case and the kind of punctuation and the list does not, so it may take off fewer
// tools than the rule denies. It fails for what the list cannot say.
func DenyEntry(pattern string) (string, bool) {
	if strings.ContainsAny(pattern, "?@") {
		return "", false
	}
	if prefix := "mcp__"; len(pattern) > len(prefix) && strings.EqualFold(pattern[:len(prefix)], prefix) {
		pattern = prefix + pattern[len(prefix):] // every client begins the name like this
	}
	entry := strings.Map(func(r rune) rune {
		if r == '*' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, pattern)
	if !strings.Contains(entry, "__") && entry[0] != '*' {
		entry = "*__" + entry // any server's
	}
	return entry, true
}

// Companions are the tools that Claude Code takes off its lists, or refuses to use,
// together with one: the present name of an old tool, and those that write what
// nobody may read.
func Companions(tool string) []string {
	switch tool {
	case "Read":
		return []string{"Write", "Edit", "NotebookEdit"}
	case "Task":
		return []string{"Agent"}
	case "KillShell":
		return []string{"TaskStop"}
	case "BashOutput":
		return []string{"TaskOutput"}
	}
	return nil
}

// Servers lists the MCP servers that a Codex config.toml defines: those with a way
// to reach them. Without one an entry keeps Codex from starting.
func Servers(text []byte) ([]string, error) {
	var names []string
	for _, key := range []string{"command", "url"} {
		tables, err := tomltext.Has(text, serversTable, key)
		if err != nil {
			return nil, err
		}
		names = append(names, tables...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
