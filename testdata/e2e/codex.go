package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
)

// codexConfig is a user's config.toml before anything is installed.
const codexConfig = `# mine
model = "gpt-5.5" # calls tools directly
check_for_update_on_startup = false

[analytics]
enabled = false
`

// codeModel is a model whose tool calls are programs.
const codeModel = "gpt-6.2-sol"

// runCodex runs Codex without a terminal.
func runCodex(w *world, p play) outcome {
	w.Helper()
	m, err := startModel(responses(p.CodeMode), p.Script)
	w.must(err)
	argv := []string{w.client.program(w.T), "exec", "--json", "--skip-git-repo-check", "-C", p.Dir}
	set := func(key, format string, args ...any) { argv = append(argv, "-c", key+"="+fmt.Sprintf(format, args...)) }
	set("model_provider", `"mock"`)
	set("model_providers.mock", `{name="mock",base_url=%q,wire_api="responses",env_key="MOCK_KEY",request_max_retries=0,stream_max_retries=0,supports_websockets=false}`, m.URL+"/v1")
	for _, name := range []string{"crm", "payments"} {
		set("mcp_servers."+name, `{command=%q,args=[%q,%q],tools={%s}}`, filepath.Join(build(w.T), "mcpserver"), name, w.log, approved())
	}
	if p.CodeMode {
		argv = append(argv, "--model", codeModel)
	}
	if p.Bypass {
		argv = append(argv, "--dangerously-bypass-approvals-and-sandbox")
	}
	if p.Long {
		set("model_auto_compact_token_limit", "1")
	}
	if p.Resume {
		argv = append(argv, "resume", "--last")
	}
	return w.start(m, p, []string{"MOCK_KEY=none"}, append(argv, p.Prompt)...)
}

// approved names the tools that need nobody's approval. Without it Codex itself
// refuses what nobody can be asked about.
func approved() string {
	var tools []string
	for _, name := range []string{"identity_verification", "process_refund", "get_rules", "crm_database_lookup", "find_user", "query_database"} {
		tools = append(tools, name+`={approval_mode="approve"}`)
	}
	return strings.Join(tools, ",")
}
