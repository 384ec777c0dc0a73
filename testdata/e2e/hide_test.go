package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const hidingPolicy = `version = 1

[[rule]]
id = "no-refunds"
effect = "hide"
match = { tool = ["process_refund"] }
reason = "Refunds are off."
`

// TestHide: a hidden tool is denied at once; after sync the model does not even see
// it, and a call of it is the client's to refuse; and after the rule is gone and
// sync was run it is back.
func TestHide(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.defineServers()
		policy := filepath.Join(w.repo, ".gatewright", "policy.toml")
		before := w.read(policy)
		w.write(policy, hidingPolicy)
		w.checkOffered(true, "Refunds are off.")
		settings := w.listed()
		w.do(w.repo, "gatewright", "sync")
		w.checkOffered(false, map[string]string{"claude": "No such tool available", "codex": "unsupported call"}[c.name])
		w.write(policy, before)
		w.do(w.repo, "gatewright", "sync")
		if after := w.listed(); after != settings {
			t.Errorf("the settings were\n%s\nand are\n%s", settings, after)
		}
		w.checkOffered(true, needsProof)
	})
}

// TestHideInCode: the same for models that write programs.
func TestHideInCode(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	w.defineServers()
	w.write(filepath.Join(w.repo, ".gatewright", "policy.toml"), hidingPolicy)
	w.do(w.repo, "gatewright", "sync")
	o := w.run(play{Script: Script{Main: []Call{refund("C-1", 20), verify("crm", "C-1", "good")}}, CodeMode: true})
	if told := o.Told("main", 0); !strings.Contains(told, "is not a function") || len(w.refunds()) > 0 {
		t.Errorf("the model was told %q; refunds %q", told, w.refunds())
	}
	if told := o.Told("main", 1); !strings.Contains(told, "verified") {
		t.Errorf("another tool of the servers: %q", told)
	}
}

// defineServers puts the servers into the repository's own settings, where Codex
// keeps the list of tools that it does not show.
func (w *world) defineServers() {
	if w.client.name != "codex" {
		return
	}
	text := ""
	for _, name := range []string{"crm", "payments"} {
		text += fmt.Sprintf("[mcp_servers.%s]\ncommand = %q\nargs = [%q, %q]\n", name, filepath.Join(build(w.T), "mcpserver"), name, w.log)
	}
	w.write(filepath.Join(w.repo, ".codex", "config.toml"), text)
}

// listed is the text of all files that sync writes.
func (w *world) listed() string {
	all := ""
	for _, file := range []string{".claude/settings.json", ".claude/settings.local.json", ".codex/config.toml", ".gatewright/synced.json", ".gatewright/synced.local.json"} {
		text, err := os.ReadFile(filepath.Join(w.repo, file))
		all += fmt.Sprintf("%s %v\n%s", file, os.IsNotExist(err), text)
	}
	return all
}

func (w *world) read(path string) string {
	w.Helper()
	text, err := os.ReadFile(path)
	w.must(err)
	return string(text)
}

// checkOffered runs a session and looks at whether the model sees the refund, and
// at what it is told when it calls it all the same.
func (w *world) checkOffered(want bool, told string) {
	w.Helper()
	calls := []Call{refund("C-1", 20)}
	if w.client.name == "codex" { // it shows MCP tools to those who search
		calls = append([]Call{{Tool: "tool_search", Args: object{"query": "verify the identity of a customer, refund, escalate", "limit": 20}}}, calls...)
	}
	o := w.run(play{Script: Script{Main: calls}})
	offered := o.Offered()
	if offered == "" {
		w.Fatal("no request shows a tool of the servers")
	}
	if got := strings.Contains(offered, "process_refund"); got != want {
		w.Errorf("the model sees the refund: %v", got)
	}
	if got := o.Told("main", len(calls)-1); !strings.Contains(got, told) || len(w.refunds()) > 0 {
		w.Errorf("the model was told %q; refunds %q", got, w.refunds())
	}
}
