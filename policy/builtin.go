package policy

import (
	"slices"
	"strings"
)

// builtin is a tool that a client brings along. Its operation and risk are
// known without a [[tool]] entry.
type builtin struct {
	name      string
	clients   string // "claude", "codex" or "both"
	family    string
	operation Operation
	risk      Risk
}

// builtins are the tools seen in Claude Code 2.1.332 and Codex 0.171.0.
var builtins = []builtin{
	{"Bash", "both", "shell", Execute, High},
	{"PowerShell", "claude", "shell", Execute, High},
	{"Write", "claude", "write", Update, Medium},
	{"Edit", "claude", "write", Update, Medium},
	{"MultiEdit", "claude", "write", Update, Medium},
	{"NotebookEdit", "claude", "write", Update, Medium},
	{"apply_patch", "codex", "write", Update, Medium},
	{"Read", "claude", "read", Read, Low},
	{"Glob", "claude", "read", Read, Low},
	{"Grep", "claude", "read", Read, Low},
	{"view_image", "codex", "read", Read, Low},
	{"list_mcp_resources", "codex", "read", Read, Low},
	{"list_mcp_resource_templates", "codex", "read", Read, Low},
	{"read_mcp_resource", "codex", "read", Read, Low},
	{"Agent", "claude", "agent", Execute, Medium},
	{"Task", "claude", "agent", Execute, Medium},
	{"spawn_agent", "codex", "agent", Execute, Medium},
	{"collaborationspawn_agent", "codex", "agent", Execute, Medium},
	{"WebFetch", "claude", "web", Read, Medium},
	{"WebSearch", "claude", "web", Read, Medium},
	{"ToolSearch", "claude", "", Read, Low},
	{"Skill", "claude", "", Execute, Medium},
	{"TaskCreate", "claude", "", Create, Low},
	{"TaskUpdate", "claude", "", Update, Low},
	{"TaskList", "claude", "", Read, Low},
	{"TaskGet", "claude", "", Read, Low},
	{"TaskStop", "claude", "", Update, Low},
	{"TaskOutput", "claude", "", Read, Low},
	{"BashOutput", "claude", "", Read, Low},
	{"KillShell", "claude", "", Update, Low},
	{"TodoWrite", "claude", "", Update, Low},
	{"AskUserQuestion", "claude", "", Read, Low},
	{"EnterPlanMode", "claude", "", Read, Low},
	{"ExitPlanMode", "claude", "", Read, Low},
	{"EnterWorktree", "claude", "", Create, Low},
	{"ExitWorktree", "claude", "", Update, Low},
	{"ListAgents", "claude", "", Read, Low},
	{"SendMessage", "claude", "", Send, Medium},
	{"ListMcpResourcesTool", "claude", "read", Read, Low},
	{"ReadMcpResourceTool", "claude", "read", Read, Low},
	{"create_goal", "codex", "", Create, Low},
	{"get_goal", "codex", "", Read, Low},
	{"request_user_input", "codex", "", Read, Low},
	{"clockcurr_time", "codex", "", Read, Low},
	{"multi_agent_v1wait_agent", "codex", "", Read, Low},
	{"collaborationwait_agent", "codex", "", Read, Low},
}

func builtinNamed(name string) (builtin, bool) {
	for _, b := range builtins {
		if b.name == name {
			return b, true
		}
	}
	return builtin{}, false
}

// IsBuiltin reports whether a client brings a tool of this name.
func IsBuiltin(name string) bool {
	_, ok := builtinNamed(name)
	return ok
}

// onlyClient returns the one client that has the built-in, or nothing.
func onlyClient(name string) string {
	if b, ok := builtinNamed(name); ok && b.clients != "both" {
		return b.clients
	}
	return ""
}

// familyTools returns the members of a family, or nil if there is none of that
// name.
func familyTools(family string) []string {
	var names []string
	for _, b := range builtins {
		if family != "" && b.family == family {
			names = append(names, b.name)
		}
	}
	return names
}

// families are the names of all families.
func families() []string {
	var names []string
	for _, b := range builtins {
		if b.family != "" && !slices.Contains(names, b.family) {
			names = append(names, b.family)
		}
	}
	slices.Sort(names)
	return names
}

func familyNames() string { return "@" + strings.Join(families(), ", @") }

// FindsTools reports a client's own search for tools.
func FindsTools(tool string) bool { return tool == "ToolSearch" || tool == "tool_search" }

// StartsAgent reports a client's own tool that has an agent work.
func StartsAgent(tool string) bool { return slices.Contains(familyTools("agent"), tool) }
