package e2e

import (
	"encoding/json"
	"path/filepath"
)

// runClaude runs Claude Code without a terminal.
func runClaude(w *world, p play) outcome {
	w.Helper()
	m, err := startModel(messages, p.Script)
	w.must(err)
	servers := object{}
	for _, name := range []string{"crm", "payments"} {
		servers[name] = object{"command": filepath.Join(build(w.T), "mcpserver"), "args": []string{name, w.log}}
	}
	config, err := json.Marshal(object{"mcpServers": servers})
	w.must(err)
	argv := []string{
		w.client.program(w.T), "-p", "--model", "claude-sonnet-4-5",
		"--output-format", "stream-json", "--verbose",
		"--strict-mcp-config", "--mcp-config", string(config),
	}
	if p.Resume || p.Deferred {
		argv = append(argv, "--continue")
	}
	switch {
	case p.Bypass:
		argv = append(argv, "--dangerously-skip-permissions")
	case p.Approval != "":
		argv = append(argv, "--allowedTools", "Agent,Bash")
	default:
		argv = append(argv, "--allowedTools", "mcp__crm,mcp__payments,Agent,Bash")
	}
	if p.Person != "" {
		argv = append(argv, "--permission-prompt-tool", "mcp__crm__"+p.Person)
	}
	if !p.Deferred {
		argv = append(argv, "--", p.Prompt)
	}
	return w.start(m, p, []string{
		"ANTHROPIC_BASE_URL=" + m.URL,
		"ANTHROPIC_API_KEY=none",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
		"IS_SANDBOX=1", // lets root use the bypass mode
	}, argv...)
}
