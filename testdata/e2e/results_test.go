package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const lookupPolicy = `version = 1

[[normalize]]
id = "times"
tools = ["crm_database_lookup"]
paths = ["created_at_unix"]
time = "auto"
rename = "created_at"

[[normalize]]
id = "private"
tools = ["crm_database_lookup"]
paths = ["ssn"]
redact = true
`

// What the server sends of a record, and what the model is to read.
const (
	raw       = `"created_at_unix":1772452800`
	secret    = "078-05-1120"
	exact     = `"customer_id":9007199254740993`
	rounded   = `"customer_id":9007199254740992`
	readable  = `"created_at":"2026-03-02T12:00:00Z"`
	beside    = `created_at = "2026-03-02T12:00:00Z"`
	withThese = "with these changes:"
)

func lookup(shape string) Call {
	return Call{Tool: "mcp__crm__crm_database_lookup", Args: object{"shape": shape}}
}

func lookups(shapes []string) []Call {
	var calls []Call
	for _, shape := range shapes {
		calls = append(calls, lookup(shape))
	}
	return calls
}

// TestNormalize: a record arrives with a readable time, every digit of its id and
// without its secret, in whatever shape the server sends it, and again when the session
// goes on. Claude Code itself rounds the numbers of structured content, before any hook.
func TestNormalize(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(w.policy(), lookupPolicy)
		shapes := []string{"text", "structured", "blocks"}
		if c.name == "claude" {
			shapes = append(shapes, "image")
		}
		o := w.run(play{Script: Script{Main: lookups(shapes)}})
		for turn, shape := range shapes {
			told, id := o.Told("main", turn), exact
			if c.name == "claude" && shape == "structured" {
				id = rounded
			}
			if !says(told, readable) || !says(told, id) || says(told, raw) || !says(told, `"ssn":"redacted:`) {
				t.Errorf("%s: the model was told %q", shape, told)
			}
			if got := says(told, "One record was found."); got != (shape == "blocks") {
				t.Errorf("%s: the text beside the record is there: %t", shape, got)
			}
		}
		again := w.run(play{Resume: true})
		for _, o := range []outcome{o, again} {
			if o.Heard(secret) || !o.Heard(readable) {
				t.Error("the secret was sent to the model, or nothing was")
			}
		}
		if got := again.Heard(`"type":"image"`); got != (c.name == "claude") {
			t.Errorf("the image beside the record is there: %t", got)
		}
	})
}

// TestNormalizeBeside: where Codex cannot replace a result, which is in a program
// and where there is an image, the model is told beside it how to read it.
func TestNormalizeBeside(t *testing.T) {
	for name, p := range map[string]play{
		"a program": {Script: Script{Main: []Call{lookup("text")}}, CodeMode: true},
		"an image":  {Script: Script{Main: []Call{lookup("image")}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newInstalled(t, clients[2])
			w.write(w.policy(), lookupPolicy)
			o := w.run(p)
			if told := o.Told("main", 0); !says(told, raw) {
				t.Errorf("the result was changed: %q", told)
			}
			if !o.Heard(withThese) || !o.Heard(beside) {
				t.Error("the model was not told of the change")
			}
		})
	}
}

const endingsPolicy = `version = 1

[[error]]
id = "nobody"
tools = ["find_user"]
text = 'user not found'
empty = true
`

// endings are calls, what the server says and what the model reads of it.
var endings = []struct {
	Call
	server, told string
	isError      bool // by the protocol's flag
}{
	{query("SELECT * FROM x"), `"error_code":"SQL_ERROR"`, `{"isError":true,"errorCategory":"VALIDATION","isRetryable":false,"message":"no such table","rule":"built-in","layer":"gatewright","original":{"success":false,`, false},
	{findUser("nobody"), "User not found", `{"isError":false,"isEmpty":true,"message":"User not found","rule":"nobody","layer":"repo"}`, false},
	{query("SELECT 1"), "Error: 503 Service Unavailable", `{"isError":true,"errorCategory":"TRANSIENT","isRetryable":true,`, true},
	{findUser("a stranger"), "Access denied", `{"isError":true,"errorCategory":"PERMISSION","isRetryable":false,`, true},
	{findUser("a former user"), "Error: user not found in the directory", `{"isError":false,"isEmpty":true,"message":"Error: user not found in the directory",`, true},
}

func query(sql string) Call {
	return Call{Tool: "mcp__crm__query_database", Args: object{"sql": sql}}
}

func findUser(name string) Call {
	return Call{Tool: "mcp__crm__find_user", Args: object{"name": name}}
}

// TestEndings: a failure that the server calls a success is replaced by what it
// means, and so is an empty answer. One that the server calls a failure keeps its
// text, and what it means stands beside it; on Codex no hook hears of it.
func TestEndings(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(w.policy(), endingsPolicy)
		var calls []Call
		for _, e := range endings {
			calls = append(calls, e.Call)
		}
		o := w.run(play{Script: Script{Main: calls}})
		for turn, e := range endings {
			told := o.Told("main", turn)
			meant := says(told, e.told)
			switch {
			case !e.isError && !strings.HasPrefix(told, e.told), e.isError && !says(told, e.server):
				t.Errorf("%v: the model was told %q", e.Args, told)
			case e.isError && meant != (c.name == "claude"):
				t.Errorf("%v: what it means is beside it: %t: %q", e.Args, meant, told)
			}
		}
	})
}

// TestEndingsInCode: in a program the result is what the server said, and what it
// means stands beside it.
func TestEndingsInCode(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	w.write(w.policy(), endingsPolicy)
	for _, e := range endings[:2] {
		o := w.run(play{Script: Script{Main: []Call{e.Call}}, CodeMode: true})
		meaning, _, _ := strings.Cut(e.told, `,"original"`)
		if told := o.Told("main", 0); !says(told, e.server) || says(told, meaning) || !o.Heard(meaning) {
			t.Errorf("%v: the model was told %q, and beside it: %t", e.Args, told, o.Heard(meaning))
		}
	}
}

const retryPolicy = "version = 1\n[retry]\ntools = [\"process_refund\"]\n"

// TestRetry: the same call that failed for good does not reach the server again;
// another one does. On Codex only failures that the server calls a success count.
func TestRetry(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(w.policy(), retryPolicy)
		var calls []Call
		var want []string
		for customer, isError := range map[string]bool{"C-refused": false, "C-declined": true} {
			if isError && c.name == "codex" {
				continue
			}
			calls = append(calls, refund(customer, 20), refund(customer, 20), refund(customer, 30))
			want = append(want, customer+" 20", customer+" 30")
		}
		o := w.run(play{Script: Script{Main: calls}})
		for turn := 1; turn < len(calls); turn += 3 {
			if told := o.Told("main", turn); !says(told, "The card was declined. This same call has failed with that before: a retry does not help") {
				t.Errorf("%v again: the model was told %q", calls[turn].Args, told)
			}
		}
		if got := w.refunds(); !slices.Equal(got, want) {
			t.Errorf("refunds that reached the server: %q", got)
		}
	})
}

// policy is the file of the repository's policy.
func (w *world) policy() string { return filepath.Join(w.repo, ".gatewright", "policy.toml") }
