package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var clients = []client{
	{claudeNew, "claude", runClaude},
	{claudeOld, "claude", runClaude},
	{codexNew, "codex", runCodex},
}

func eachClient(t *testing.T, test func(t *testing.T, c client)) {
	for _, c := range clients {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func refund(customer string, amount any) Call {
	return Call{Tool: "mcp__payments__process_refund", Args: object{"customer_id": customer, "amount_usd": amount}}
}

func verify(server, customer, code string) Call {
	return Call{Tool: "mcp__" + server + "__identity_verification", Args: object{"customer_id": customer, "code": code}}
}

const (
	needsProof = `"requiredTool":"mcp__crm__identity_verification"`
	needsHuman = `"redirectTool":"mcp__support__escalate_to_human"`
	readAs     = `"rule":"built-in"` // no refusal: what a failure is read as
)

// workflow is the refund workflow, step by step, and what the model must be told.
var workflow = []struct {
	Call
	told string // part of it; empty if the call runs
}{
	{refund("C-1", 500), needsProof},
	{verify("crm", "C-1", "offline"), ""}, // isError
	{refund("C-1", 500), needsProof},
	{verify("crm", "C-1", "wrong"), ""}, // verified:false
	{refund("C-1", 500), needsProof},
	{verify("payments", "C-1", "good"), ""}, // by a server that the policy does not name
	{refund("C-1", 500), needsProof},
	{verify("crm", "C-1", "good"), ""},
	{refund("C-2", 20), needsProof},
	{refund("C-1", 500), ""},
	{refund("C-1", 500.01), needsHuman},
}

func workflowCalls() []Call {
	var calls []Call
	for _, step := range workflow {
		calls = append(calls, step.Call)
	}
	return calls
}

// checkWorkflow checks what the model was told in a thread, and that exactly the
// right refund reached the server.
func (w *world) checkWorkflow(o outcome, thread string) {
	w.Helper()
	for i, step := range workflow {
		told := strings.ReplaceAll(o.Told(thread, i), `\"`, `"`)
		switch {
		case told == "":
			w.Errorf("step %d: the model was told nothing", i)
		case step.told != "" && (!strings.Contains(told, step.told) || !strings.Contains(told, `"isError":true`)):
			w.Errorf("step %d: the model was told %q, want %s", i, told, step.told)
		case step.told == "" && strings.Contains(strings.ReplaceAll(told, readAs, ""), `"rule":`):
			w.Errorf("step %d: was refused: %q", i, told)
		}
	}
	if got := w.refunds(); !slices.Equal(got, []string{"C-1 500"}) {
		w.Errorf("refunds that reached the server: %q", got)
	}
	if n := w.judged("mcp__"); n != len(workflow) {
		w.Errorf("%d calls were judged, each once would be %d", n, len(workflow))
	}
}

// judged counts the calls of tools with that prefix in the audit.
func (w *world) judged(tool string) int {
	return strings.Count(w.auditOf("PreToolUse"), `"tool":"`+tool)
}

func TestWorkflow(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}}), "main")
	})
}

func TestBypassMode(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}, Bypass: true}), "main")
	})
}

func TestCodeMode(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}, CodeMode: true}), "main")
}

// TestSubAgent: a sub-agent meets the same gate, and what it proves counts for
// its session.
func TestSubAgent(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		o := w.run(play{Script: Script{Main: c.delegate(), Sub: workflowCalls()}, Bypass: true})
		w.checkWorkflow(o, "sub")
	})
}

// TestWorktree: in a linked worktree the committed policy and registration count.
func TestWorktree(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.do(w.repo, "git", "add", ".")
		w.do(w.repo, "git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "all of it")
		linked := filepath.Join(filepath.Dir(w.repo), "linked")
		w.do(w.repo, "git", "worktree", "add", "-q", linked)
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}, Dir: linked}), "main")
	})
}

// TestSubFolder: what the client reads when it starts below the repository's root.
func TestSubFolder(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		below := filepath.Join(w.repo, "services", "api")
		w.must(os.MkdirAll(below, 0o755))
		w.checkWorkflow(w.run(play{Script: Script{Main: workflowCalls()}, Dir: below}), "main")
	})
}

// delegate starts a sub-agent, in each client's way, and waits for it.
func (c client) delegate() []Call {
	if c.name == "claude" {
		return []Call{{Tool: "Agent", Args: object{
			"description": "refund", "prompt": subPrompt, "subagent_type": "general-purpose", "run_in_background": false,
		}}}
	}
	return []Call{
		{Tool: "multi_agent_v1__spawn_agent", Args: object{"message": subPrompt}},
		{Tool: "multi_agent_v1__wait_agent", Args: func(conversation []byte) any {
			return object{"targets": []string{agentID(conversation)}, "timeout_ms": 60000}
		}},
	}
}

func agentID(conversation []byte) string {
	text := strings.ReplaceAll(string(conversation), `\"`, `"`)
	_, rest, _ := strings.Cut(text, `"agent_id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return id
}
