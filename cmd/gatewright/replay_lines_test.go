package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gatewright/policy"
)

// replayedCalls replays lines under a policy: the calls of each session, in order.
func replayedCalls(t *testing.T, rules, client, lines string) []*replayed {
	t.Helper()
	set := &policy.Set{}
	path := writeFile(t, t.TempDir(), "policy.toml", "version = 1\n"+rules)
	if layer, err := policy.ReadBelow(set, path); err != nil || len(layer.Expressions()) > 0 {
		t.Fatal(err, layer.Expressions())
	}
	rec, err := readRecordings([]string{writeFile(t, t.TempDir(), "s.jsonl", lines)}, client, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var calls []*replayed
	for _, id := range rec.order {
		calls = append(calls, replaySession(set, recordingTime(t), rec.sessions[id])...)
	}
	return calls
}

// replayedText is what is said to each call.
func replayedText(t *testing.T, rules, client, lines string) [][]string {
	t.Helper()
	var said [][]string
	for _, call := range replayedCalls(t, rules, client, lines) {
		said = append(said, saidTo(call))
	}
	return said
}

// Lines of recordings, short.
func preLine(id, args string) string {
	return fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"S","tool_name":"mcp__x__pay","tool_use_id":%q,"tool_input":%s}`+"\n", id, args)
}

func postLine(id, more string) string {
	return fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"S","tool_use_id":%q,"tool_response":[{"type":"text","text":"{}"}]%s}`+"\n", id, more)
}

func userLine(text, more string) string {
	return fmt.Sprintf(`{"sessionId":"S","message":{"role":"user","content":%q}%s}`+"\n", text, more)
}

func useLine(id, tool, more string) string {
	return fmt.Sprintf(`{"sessionId":"S","message":{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"mcp__x__%s","input":{}}]}%s}`+"\n", id, tool, more)
}

func itemLine(item string) string {
	return `{"type":"response_item","payload":` + item + "}\n"
}

const (
	payItem  = `{"type":"function_call","namespace":"mcp__x","name":"pay","call_id":"b","arguments":"{}"}`
	capTen   = "[[limit]]\nid = \"cap\"\ntools = [\"pay\"]\namount = \"amount\"\nmax = \"10\"\nper = \"session\"\n"
	named    = "[[require]]\nid = \"named\"\ntools = [\"pay\"]\nall = ['contains_word(user.text, \"IBAN1\")']\n"
	isCodex  = "[[require]]\nid = \"codex\"\ntools = [\"pay\"]\nall = ['client == \"codex\"']\n"
	looked   = "[[gate]]\nid = \"looked\"\ntools = [\"pay\"]\nneeds = [\"look\"]\n[[fact]]\nid = \"look\"\nfrom = [\"mcp__x__look\"]\n"
	tested   = "[[gate]]\nid = \"tested\"\ntools = [\"pay\"]\nneeds = [\"tests\"]\n[[fact]]\nid = \"tests\"\nfrom = [\"Bash\"]\n"
	paidOf   = "[[fact]]\nid = \"paid\"\nfrom = [\"mcp__x__pay\"]\nwhere = 'past.args.n == args.n'\n[[gate]]\nid = \"g\"\ntools = [\"pay\"]\nunless = [\"paid\"]\n"
	lookDone = `{"sessionId":"S","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"{}"}]}]}`
)

// TestReplayLines: what a line says of a call counts as it does in a real session.
func TestReplayLines(t *testing.T) {
	full := `,"tool_name":"mcp__x__pay","tool_input":`
	at := func(clock string) string { return `,"timestamp":"2024-05-15T` + clock + `"` }
	tests := map[string]struct {
		policy, lines string
		want          string // ids and words by call
	}{
		"announced twice":           {capTen, preLine("a", `{"amount":6}`) + preLine("a", `{"amount":6}`), "-, -"},
		"again after a minute":      {capTen, strings.Replace(preLine("a", `{"amount":6}`), "}\n", at("10:00:00Z")+"}\n", 1) + strings.Replace(preLine("a", `{"amount":6}`), "}\n", at("10:01:01Z")+"}\n", 1), "-, cap deny"},
		"other arguments":           {capTen, preLine("a", `{"amount":6}`) + preLine("a", `{"amount":7}`), "-, cap deny"},
		"changed after the check":   {capTen, preLine("a", `{"amount":1}`) + postLine("a", full+`{"amount":2}`) + preLine("b", `{"amount":1}`), "-, frozen-session deny"},
		"never announced":           {capTen, postLine("a", full+`{"amount":9}`) + preLine("b", `{"amount":5}`), "cap deny"},
		"an end told twice":         {capTen, preLine("a", `{"amount":6}`) + postLine("a", "") + postLine("a", "") + preLine("b", `{"amount":4}`), "-, -"},
		"refused":                   {capTen, preLine("a", `{"amount":6}`) + postLine("a", `,"is_error":true,"error":"{\"isError\":true,\"errorCategory\":\"PERMISSION\"}"`) + preLine("b", `{"amount":6}`), "-, -"},
		"perhaps done":              {capTen, preLine("a", `{"amount":6}`) + postLine("a", `,"is_error":true,"error":"timed out"`) + preLine("b", `{"amount":6}`), "-, cap deny"},
		"told without arguments":    {capTen, postLine("a", "") + preLine("b", `{"amount":5}`), "-"},
		"ids used again":            {paidOf, preLine("a", `{"n":1}`) + preLine("a", `{"n":2}`) + postLine("a", "") + preLine("c", `{"n":2}`) + preLine("d", `{"n":1}`), "-, -, -, g gate"},
		"ids used again, named":     {paidOf, preLine("a", `{"n":1}`) + preLine("a", `{"n":2}`) + postLine("a", full+`{"n":2}`) + preLine("c", `{"n":2}`) + preLine("d", `{"n":1}`), "-, -, g gate, -"},
		"twice, then id used again": {paidOf, preLine("a", `{"n":1}`) + preLine("a", `{"n":1}`) + postLine("a", "") + preLine("a", `{"n":2}`) + postLine("a", "") + preLine("c", `{"n":2}`), "-, -, -, g gate"},
		"empty lines":               {named, "\n  \n" + useLine("b", "pay", "") + "\n", "named deny"},
		"a person":                  {named, userLine("to IBAN1", "") + useLine("b", "pay", ""), "-"},
		"a model to its helper":     {named, userLine("to IBAN1", `,"isSidechain":true`) + useLine("b", "pay", ""), "named deny"},
		"a helper's call":           {named, useLine("b", "pay", `,"isSidechain":true`), "named deny"},
		"a summary":                 {named, userLine("to IBAN1", `,"isCompactSummary":true`) + useLine("b", "pay", ""), "named deny"},
		"the client's own note":     {named, userLine("to IBAN1", `,"isMeta":true`) + useLine("b", "pay", ""), "named deny"},
		"a helper's prompt":         {named, `{"hook_event_name":"UserPromptSubmit","session_id":"S","agent_id":"x","prompt":"IBAN1"}` + "\n" + preLine("a", "{}"), "named deny"},
		"rollout":                   {isCodex, itemLine(payItem), "-"},
		"rollout, a person":         {named, itemLine(`{"type":"user_message","message":"IBAN1","kind":"plain"}`) + itemLine(payItem), "-"},
		"rollout, a file":           {named, itemLine(`{"type":"user_message","message":"IBAN1","kind":"user_instructions"}`) + itemLine(payItem), "named deny"},
		"rollout of a helper":       {named, itemLine(`{"type":"session_meta","id":"S","source":{"subagent":"review"}}`) + itemLine(`{"type":"user_message","message":"IBAN1"}`) + itemLine(payItem), "named deny"},
		"rollout, a shell":          {tested, itemLine(`{"type":"function_call","name":"shell","call_id":"a","arguments":"{}"}`) + itemLine(`{"type":"function_call_output","call_id":"a","output":"x"}`) + itemLine(payItem), "-, tested gate"},
		"within the time":           {looked + "ttl = \"30m\"\n", useLine("a", "look", at("10:00:00Z")) + lookDone + at("10:00:01Z") + "}\n" + useLine("b", "pay", at("12:30:00+02:00")), "-, -"},
		"after the time":            {looked + "ttl = \"30m\"\n", useLine("a", "look", at("10:00:00Z")) + lookDone + at("10:00:01Z") + "}\n" + useLine("b", "pay", at("10:31:00Z")), "-, looked gate"},
		"a clock that goes back":    {looked + "ttl = \"30m\"\n", useLine("a", "look", at("10:00:00Z")) + lookDone + at("10:00:01Z") + "}\n" + useLine("c", "look", at("10:31:00Z")) + useLine("b", "pay", at("10:05:00Z")), "-, -, looked gate"},
		"a line without a time":     {looked + "ttl = \"30m\"\n", useLine("a", "look", at("10:00:00Z")) + lookDone + "}\n" + useLine("b", "pay", at("10:29:00Z")), "-, -"},
	}
	for name, tt := range tests {
		var calls []string
		for _, said := range replayedText(t, tt.policy, "claude", tt.lines) {
			calls = append(calls, strings.Join(append(said, strings.Repeat("-", max(0, 1-len(said)))), ""))
		}
		if got := strings.Join(calls, ", "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestReplayClients: hook events can name their client, and the flag does for those
// that do not.
func TestReplayClients(t *testing.T) {
	line := preLine("a", "{}")
	other := strings.Replace(line, "{", `{"client":"codex",`, 1)
	for client, want := range map[string][][]string{"claude": {{"codex deny"}, nil}, "codex": {nil, nil}} {
		if got := replayedText(t, isCodex, client, line+other); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", client, got, want)
		}
	}
}

// TestReplayRefuses: lines that nobody can be sure of are named.
func TestReplayRefuses(t *testing.T) {
	p := newPlace(t)
	for name, tt := range map[string]struct{ line, says string }{
		"twice":         {preLine("a", `{"amount":1,"amount":99}`), "s.jsonl:2: the same key twice"},
		"twice in text": {itemLine(strings.Replace(payItem, `"{}"`, `"{\"a\":1,\"a\":2}"`, 1)), "s.jsonl:2: the same key twice in the arguments"},
		"no UTF-8":      {"{\"a\":\"\xff\"}\n", "s.jsonl:2: not valid UTF-8"},
		"no client":     {strings.Replace(preLine("a", "{}"), "{", `{"client":"x",`, 1), `s.jsonl:2: there is no client "x"`},
	} {
		path := writeFile(t, p.home, "s.jsonl", "\n"+tt.line)
		a := p.run("", false, "replay", "--policy", ofTestdata(t, "policies", "banking.toml"), path)
		if a.exit != 1 || !strings.Contains(a.stderr, tt.says) {
			t.Errorf("%s: exit %d, want %q in %q", name, a.exit, tt.says, a.stderr)
		}
	}
	if a := p.run("", false, "replay", "--policy", ofTestdata(t, "policies", "banking.toml"), "--client", "x", filepath.Join(p.home, "s.jsonl")); a.exit != 1 || !strings.Contains(a.stderr, `--client cannot be "x"`) {
		t.Errorf("exit %d, %q", a.exit, a.stderr)
	}
}

// TestReplayListsAllRules: a rule that judges no call is shown with 0.
func TestReplayListsAllRules(t *testing.T) {
	p := newPlace(t)
	rules := writeFile(t, p.home, "p.toml", "version = 1\n"+capTen+"[[rule]]\nid = \"typo\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__y__*\"] }\n")
	a := p.run("", false, "replay", "--policy", rules, writeFile(t, p.home, "s.jsonl", preLine("a", `{"amount":99}`)))
	got := strings.Join(strings.Fields(a.stdout), " ")
	for _, want := range []string{"cap 1 1 0 0 0", "typo 0 0 0 0 0"} {
		if a.exit != 0 || !strings.Contains(got, want) {
			t.Errorf("exit %d, want %q in\n%s%s", a.exit, want, a.stdout, a.stderr)
		}
	}
}

// TestReplayLong: a long session takes no more than the time to read its facts.
func TestReplayLong(t *testing.T) {
	const calls = 1000
	var lines strings.Builder
	for i := range calls {
		id := fmt.Sprint(i)
		lines.WriteString(preLine(id, `{"amount":1}`) + postLine(id, ""))
	}
	rules := "[[fact]]\nid = \"n\"\nfrom = [\"mcp__x__pay\"]\nkeep = \"count\"\n[[require]]\nid = \"r\"\ntools = [\"pay\"]\nuse = [\"n\"]\nall = ['n < 999']\n"
	start := time.Now()
	said := replayedText(t, rules, "claude", lines.String())
	for i, words := range said {
		if want := i >= calls-1; len(words) > 0 != want {
			t.Fatalf("call %d: %q", i, words)
		}
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}
