package e2e

import (
	"cmp"
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
	if p.Person != "" {
		argv = []string{argv[0], "app-server"}
	}
	set := func(key, format string, args ...any) { argv = append(argv, "-c", key+"="+fmt.Sprintf(format, args...)) }
	set("model_provider", `"mock"`)
	set("model_providers.mock", `{name="mock",base_url=%q,wire_api="responses",env_key="MOCK_KEY",request_max_retries=0,stream_max_retries=0,supports_websockets=false}`, m.URL+"/v1")
	for _, name := range []string{"crm", "payments"} {
		set("mcp_servers."+name, `{command=%q,args=[%q,%q],tools={%s}}`, filepath.Join(build(w.T), "mcpserver"), name, w.log, approval(p.Approval))
	}
	if p.CodeMode {
		set("model", "%q", codeModel)
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
	if p.Person != "" {
		return w.startApp(m, p, argv...)
	}
	return w.start(m, p, codexEnv, append(argv, p.Prompt)...)
}

var codexEnv = []string{"MOCK_KEY=none"}

// approval says of the tools whether they need a person's. If one does and nobody can
// be asked, Codex itself refuses the call.
func approval(mode string) string {
	var tools []string
	for _, name := range []string{"identity_verification", "process_refund", "get_rules", "crm_database_lookup", "find_user", "query_database", "read_mail", "send_mail", "execute"} {
		tools = append(tools, fmt.Sprintf("%s={approval_mode=%q}", name, cmp.Or(mode, "approve")))
	}
	return strings.Join(tools, ",")
}
