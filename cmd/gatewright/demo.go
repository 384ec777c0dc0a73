package main

import (
	"bytes"
	"cmp"
	_ "embed"
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

//go:embed lab.toml
var lab string

// scene is one event of the demo.
type scene struct {
	tried string // what the agent did, for the reader
	tool  string // empty: a session begins
	args  string
	ended string // what a call that has ended left; empty for one that is about to run
	error bool   // the server called that an error
	want  string // what the policy must make of it
}

// What becomes of a scene.
const (
	denied  = "denied"  // the call does not run
	passed  = "passed"  // the client's own flow goes on
	learned = "learned" // the result is as it was, and may have proved something
	told    = "told"    // the model reads something beside it
	changed = "changed" // the model reads something else in its place
)

const (
	refundTool = "mcp__billing__process_refund"
	verifyTool = "mcp__crm__identity_verification"
	findTool   = "mcp__crm__find_user"
	queryTool  = "mcp__crm__crm_database_lookup"
)

// workflow is the refund workflow under the starter policy, with the failures and
// results that come in between.
var workflow = []scene{
	{"a session begins", "", "", "", false, told},
	{"refund 500 before anyone was verified", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", false, denied},
	{"verification of C-1 fails", verifyTool, `{"customer_id":"C-1"}`, `{"verified":false,"customer_id":"C-1"}`, false, learned},
	{"refund 500 after the failed verification", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", false, denied},
	{"verification of C-1 succeeds", verifyTool, `{"customer_id":"C-1"}`, `{"verified":true,"customer_id":"C-1"}`, false, learned},
	{"refund 500 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":500}`, "", false, passed},
	{"  … and it runs", refundTool, `{"customer_id":"C-1","amount_usd":500}`, `{"status":"paid"}`, false, learned},
	{"refund 500.01 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":500.01}`, "", false, denied},
	{"refund 20 to C-2, who was not verified", refundTool, `{"customer_id":"C-2","amount_usd":20}`, "", false, denied},
	{"refund without an amount", refundTool, `{"customer_id":"C-1"}`, "", false, denied},
	{"first half of a split: 300 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":300}`, "", false, passed},
	{"second half: 300 to C-1, beyond 1000 a day", refundTool, `{"customer_id":"C-1","amount_usd":300}`, "", false, denied},
	{"refund 20 to C-1", refundTool, `{"customer_id":"C-1","amount_usd":20}`, "", false, passed},
	{"  … and the system is offline", refundTool, `{"customer_id":"C-1","amount_usd":20}`, `{"status":503,"message":"System Offline"}`, true, told},
	{"the same refund once more", refundTool, `{"customer_id":"C-1","amount_usd":20}`, "", false, passed},
	{"  … and it runs", refundTool, `{"customer_id":"C-1","amount_usd":20}`, `{"status":"paid"}`, false, learned},
	{"look for U-9, who is not there", findTool, `{"id":"U-9"}`, "User not found", false, changed},
	{"look for U-1, who is none of ours", findTool, `{"id":"U-1"}`, "Access denied", true, told},
	{"look for U-1 again", findTool, `{"id":"U-1"}`, "", false, denied},
	{"read C-1 from the database", queryTool, `{"id":"C-1"}`, `{"id":"C-1","created_at_unix":1772452800}`, false, changed},
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
	if err := writePolicy(t.repo, install.Starter+lab); err != nil {
		return err
	}
	if err := c.playWorkflow(t); err != nil {
		return err
	}
	return c.showRaw(t)
}

// writePolicy makes a folder with a policy.
func writePolicy(dir, text string) error {
	file := filepath.Join(dir, policy.RepoFile)
	err := os.MkdirAll(filepath.Dir(file), 0o700)
	return errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
}

// playWorkflow prints one row per scene. A scene that does not end as it must
// makes the demo fail.
func (c *cli) playWorkflow(t theatre) error {
	paint := painter(c.stdout, c.env)
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "THE AGENT\t%s\tWHAT THE MODEL READS\n", paint("GATEWRIGHT"))
	for i, s := range workflow {
		answer, err := t.play("claude", s, i)
		if err != nil {
			return err
		}
		became, read := s.became(gjson.ParseBytes(answer).Get("hookSpecificOutput"))
		if became != s.want {
			return fmt.Errorf("%q was answered with %q", s.tried, answer)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.tried, paint(became), read)
	}
	return w.Flush()
}

// became says in a word what the answer makes of the scene, and what the model reads.
func (s scene) became(answer gjson.Result) (word, read string) {
	reason, context, result := answer.Get("permissionDecisionReason"), answer.Get("additionalContext"), answer.Get("updatedToolOutput.0.text")
	switch {
	case reason.Exists():
		return denied, inShort(reason.Str)
	case result.Exists():
		return changed, inShort(result.Str)
	case context.Exists():
		return told, inShort(context.Str)
	case s.ended != "":
		return learned, ""
	}
	return passed, ""
}

// inShort is a contract's message, with what a retry is good for and where it points;
// any other text as it is.
func inShort(text string) string {
	contract := gjson.Parse(text)
	message := contract.Get("message").Str
	switch category := contract.Get("errorCategory").Str; {
	case !contract.Get("isError").Exists():
		return text
	case contract.Get("isEmpty").Bool():
		return "isError false, a valid empty result: " + message
	case contract.Get("layer").Str == "gatewright":
		message = fmt.Sprintf("%s, isRetryable %t: %s", category, contract.Get("isRetryable").Bool(), message)
	}
	for _, key := range []string{"requiredTool", "redirectTool"} {
		if tool := contract.Get(key).Str; tool != "" {
			message += " → " + tool
		}
	}
	return message
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
	if strings.HasPrefix(s.tried, " ") { // the end of the call before it
		number--
	}
	event := s.event(t.repo, "demo", fmt.Sprintf("call-%d", number))
	switch {
	case s.tool == "":
		event["hook_event_name"], event["source"] = "SessionStart", "startup"
	case s.error:
		event["hook_event_name"], event["error"] = "PostToolUseFailure", s.ended
	case s.ended != "":
		event["hook_event_name"], event["tool_response"] = "PostToolUse", []map[string]string{{"type": "text", "text": s.ended}}
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
		"tool_input":      rawJSON(cmp.Or(s.args, "{}")),
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
	colours := map[string]string{"GATEWRIGHT": "01", denied: "31", passed: "32", learned: "36", told: "33", changed: "35"}
	return func(word string) string {
		return fmt.Sprintf("\x1b[%sm%-10s\x1b[0m", colours[word], word)
	}
}
