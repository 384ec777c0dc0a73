package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

func (c *cli) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "play the refund workflow in a temporary home and show every answer",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.demo() },
	}
}

// scene is one event of the demo.
type scene struct {
	tried    string // what the agent did, for the reader
	tool     string
	args     string
	response string // of a finished call; empty for one that is about to run
	refused  bool   // what the starter policy must answer
}

const (
	refundTool = "mcp__billing__process_refund"
	verifyTool = "mcp__crm__identity_verification"
)

// workflow is the refund workflow under the starter policy.
var workflow = []scene{
	{"refund 500 before anyone was verified", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", true},
	{"verification of C-1 fails", verifyTool, `{"customer_id":"C-1"}`, `{"verified":false,"customer_id":"C-1"}`, false},
	{"refund 500 after the failed verification", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", true},
	{"verification of C-1 succeeds", verifyTool, `{"customer_id":"C-1"}`, `{"verified":true,"customer_id":"C-1"}`, false},
	{"refund 500 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", false},
	{"  … and it runs", refundTool, `{"customer_id":"C-1","amount_usd":500}`, `{"status":"paid"}`, false},
	{"refund 500.01 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":500.01}`, "", true},
	{"refund 20 to C-2, who was not verified", refundTool, `{"customer_id":"C-2","amount_usd":20}`, "", true},
	{"refund without an amount", refundTool, `{"customer_id":"C-1"}`, "", true},
	{"first half of a split: 300 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":300}`, "", false},
	{"second half: 300 to C-1, beyond 1000 a day", refundTool, `{"customer_id":"C-1","amount_usd":300}`, "", true},
}

// theatre is the temporary home and repository in which the demo plays.
type theatre struct {
	env  []string
	repo string
}

func (c *cli) demo() error {
	dir, err := os.MkdirTemp("", "gatewright-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := theatre{env: []string{"HOME=" + dir}, repo: filepath.Join(dir, "repo")}
	if err := writeStarter(t.repo); err != nil {
		return err
	}
	if err := c.playWorkflow(t); err != nil {
		return err
	}
	return c.showRaw(t)
}

// writeStarter makes a folder with the starter policy.
func writeStarter(dir string) error {
	file := filepath.Join(dir, policy.RepoFile)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	return errors.Join(err, os.WriteFile(file, []byte(install.Starter), 0o600))
}

// playWorkflow prints one row per scene. A scene that does not end as it must
// makes the demo fail.
func (c *cli) playWorkflow(t theatre) error {
	paint := painter(c.stdout, c.env)
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "THE AGENT\t%s\tWHY\n", paint("GATEWRIGHT"))
	for i, s := range workflow {
		answer, err := t.play("claude", s, i)
		if err != nil {
			return err
		}
		if refused := len(answer) > 0; refused != s.refused {
			return fmt.Errorf("%q was answered with %q", s.tried, answer)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.tried, paint(s.verdict()), why(answer))
	}
	return w.Flush()
}

// verdict is one word for the scene.
func (s scene) verdict() string {
	switch {
	case s.refused:
		return "denied"
	case s.response != "":
		return "learned"
	}
	return "passed"
}

// why is the denial's message and where it points.
func why(answer []byte) string {
	reason := gjson.ParseBytes(answer).Get("hookSpecificOutput.permissionDecisionReason").Str
	contract := gjson.Parse(reason)
	text := contract.Get("message").Str
	for _, key := range []string{"requiredTool", "redirectTool"} {
		if tool := contract.Get(key).Str; tool != "" {
			text += " → " + tool
		}
	}
	return text
}

// showRaw prints what each client receives, byte for byte.
func (c *cli) showRaw(t theatre) error {
	s := scene{tool: refundTool, args: `{"customer_id":"C-1","amount_usd":500.01}`}
	for _, client := range hooks.Clients() {
		answer, err := t.play(client.Name, s, len(workflow))
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "\nWhat %s receives for the refund of 500.01:\n%s\n", client.Name, answer)
	}
	return nil
}

// play sends one event through the same code that a client calls.
func (t theatre) play(client string, s scene, number int) ([]byte, error) {
	event := s.event(t.repo, "demo", fmt.Sprintf("call-%d", number))
	if s.response != "" {
		event["hook_event_name"] = "PostToolUse"
		event["tool_response"] = []map[string]string{{"type": "text", "text": s.response}}
	}
	if strings.HasPrefix(s.tried, " ") { // the end of the call before it
		event["tool_use_id"] = fmt.Sprintf("call-%d", number-1)
	}
	var stdout, stderr bytes.Buffer
	code := run([]string{"hook", client}, bytes.NewReader(hooks.EncodeJSON(event)), &stdout, &stderr, t.env)
	if code != 0 || stderr.Len() > 0 {
		return nil, fmt.Errorf("hook ended with %d: %s", code, stderr.String())
	}
	return stdout.Bytes(), nil
}

// event announces the scene's call, in the words that the clients share.
func (s scene) event(dir, session, id string) map[string]any {
	return map[string]any{
		"session_id":      session,
		"cwd":             dir,
		"permission_mode": "default",
		"hook_event_name": "PreToolUse",
		"tool_name":       s.tool,
		"tool_input":      rawJSON(s.args),
		"tool_use_id":     id,
	}
}

// rawJSON is JSON that is encoded as it is.
type rawJSON string

// MarshalJSON returns the text itself.
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// painter colours the words of one column on a terminal and leaves them plain
// elsewhere. All come out equally long, so that the columns stay straight.
func painter(out io.Writer, env environment) func(string) string {
	if !isTerminal(out) || env.get("NO_COLOR") != "" || env.get("TERM") == "dumb" {
		return func(word string) string { return word }
	}
	colours := map[string]string{"GATEWRIGHT": "01", "denied": "31", "passed": "32", "learned": "36"}
	return func(word string) string {
		return fmt.Sprintf("\x1b[%sm%-10s\x1b[0m", colours[word], word)
	}
}
