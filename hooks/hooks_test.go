package hooks

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestStrict(t *testing.T) {
	tests := map[string]error{
		`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}`: nil,
		`[1,"a","a"]`:               nil,
		`{"a":"b","b":"a"}`:         nil,
		`{"a":"{\"a\":1,\"a\":2}"}`: nil,
		`{"a":1,"a":2}`:             ErrDuplicate,
		`{"a":1,"\u0061":2}`:        ErrDuplicate,
		`{"x":{"a\/":1,"a/":2}}`:    ErrDuplicate,
		`{"a":1}{}`:                 ErrGrammar,
		`{"a":01}`:                  ErrGrammar,
		`{"a":NaN}`:                 ErrGrammar,
		`{'a':1}`:                   ErrGrammar,
		`{"a":1,}`:                  ErrGrammar,
		"{\"a\":\"\x01\"}":          ErrGrammar,
		"{\"a\":\"\xff\"}":          ErrUTF8,
		strings.Repeat("[", 600) + strings.Repeat("]", 600): ErrDepth,
		strings.Repeat("[", 512) + strings.Repeat("]", 512): nil,
		strings.Repeat(`{"a":`, 100_000):                    ErrDepth,
	}
	for text, want := range tests {
		if got := Strict([]byte(text)); !errors.Is(got, want) {
			t.Errorf("%.60s: got %v, want %v", text, got, want)
		}
	}
	many := `{"k0":1`
	for i := range 100 {
		many += `,"x` + strings.Repeat("y", i) + `":1`
	}
	if err := Strict([]byte(many + "}")); err != nil {
		t.Errorf("many keys: %v", err)
	}
	if err := Strict([]byte(many + `,"k0":2}`)); !errors.Is(err, ErrDuplicate) {
		t.Errorf("many keys, the first again: %v", err)
	}
}

func TestFrame(t *testing.T) {
	tests := map[string]struct{ complete, problem bool }{
		`{"a":"}\"{"}`:  {true, false},
		" \n{} \r\n\t":  {true, false},
		`{"a":[{}]`:     {false, false},
		`{}x`:           {false, true},
		`{}{}`:          {false, true},
		`[1]`:           {false, true},
		`x`:             {false, true},
		``:              {false, false},
		`{"a":"\\"}`:    {true, false},
		`{"a":"\\\"}"}`: {true, false},
	}
	for text, want := range tests {
		var whole, bytewise Frame
		whole.Feed([]byte(text))
		for i := range len(text) {
			bytewise.Feed([]byte(text[i : i+1]))
		}
		for _, f := range []Frame{whole, bytewise} {
			complete := f.Settled() && f.Problem() == ""
			if complete != want.complete || (f.Problem() != "") != want.problem {
				t.Errorf("%q: complete %v, problem %q", text, complete, f.Problem())
			}
		}
	}
}

// TestRefusals: which kind an unreadable event counts as decides whether it is
// denied.
func TestRefusals(t *testing.T) {
	tests := map[string]Kind{
		``:                                 PreToolUse,
		`{}`:                               PreToolUse,
		`{"hook_event_name":7}`:            PreToolUse,
		`{"hook_event_name":null}`:         PreToolUse,
		`[]`:                               PreToolUse,
		`{"hook_event_name":"PostT`:        PreToolUse,
		`{"hook_event_name":"PreToolUse"}`: PreToolUse,
		`{"hook_event_name":"PreToolUse","tool_name":"x","session_id":7}`:              PreToolUse,
		`{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":"y"}`:            PreToolUse,
		`{"hook_event_name":"PostToolUse","hook_event_name":"PreToolUse"}`:             PreToolUse,
		`{"hook_event_name":"PostToolUse","tool_name":"x","tool_input":{"a":1,"a":1}}`: PostToolUse,
		`{"hook_event_name":"PostToolUse","tool_name":["x"]}`:                          PostToolUse,
		`{"hook_event_name":"Stop","a":1,"a":2}`:                                       Other,
	}
	for text, want := range tests {
		for _, c := range Clients() {
			ev, err := c.Decode([]byte(text))
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Kind != want || ev.Kind != 0 || ev.Tool != "" {
				t.Errorf("%s %s: %+v %v", c.Name, text, ev, err)
			}
		}
	}
}

func TestDecode(t *testing.T) {
	ev, err := Codex().Decode([]byte("\xef\xbb\xbf" + `{"session_id":"s","transcript_path":null,"cwd":"/r","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"mcp__a__b","tool_input":{"x":1},"tool_use_id":"exec-1","agent_id":null}`))
	if err != nil || !ev.Nested || ev.CanAsk || string(ev.Args) != `{"x":1}` || ev.Session != "s" || ev.Client != "codex" {
		t.Errorf("%+v %v", ev, err)
	}
}

func TestResult(t *testing.T) {
	const good = `{"id":1}`
	tests := map[string]struct {
		tool, response, value string
		failed, unproven      bool
	}{
		"one text block":       {"mcp__a__b", `[{"type":"text","text":"{\"id\":1}"}]`, good, false, false},
		"a text of JSON":       {"mcp__a__b", `"{\"id\":1}"`, good, false, false},
		"a wrapper":            {"mcp__a__b", `{"content":[{"type":"text","text":"{\"id\":1}"}],"isError":false}`, good, false, false},
		"structured":           {"mcp__a__b", `{"content":[{"type":"text","text":"x"}],"structuredContent":{"id":1}}`, good, false, false},
		"one block":            {"mcp__a__b", `{"type":"text","text":"{\"id\":1}"}`, good, false, false},
		"the object itself":    {"mcp__a__b", good, good, false, false},
		"prose":                {"mcp__a__b", `[{"type":"text","text":"not JSON"}]`, `"not JSON"`, false, false},
		"several blocks":       {"mcp__a__b", `[{"type":"text","text":"1"},{"type":"image","data":"A"}]`, `[1,{"type":"image","data":"A"}]`, false, false},
		"no block":             {"mcp__a__b", `[]`, `[]`, false, false},
		"null":                 {"mcp__a__b", `null`, ``, false, true},
		"nothing":              {"mcp__a__b", ``, ``, false, true},
		"an error":             {"mcp__a__b", `{"content":[{"type":"text","text":"{\"id\":1}"}],"isError":true}`, ``, true, true},
		"an error, oddly":      {"mcp__a__b", `{"content":[],"isError":"yes"}`, ``, false, true},
		"an error in the text": {"mcp__a__b", `[{"type":"text","text":"{\"isError\":true}"}]`, `{"isError":true}`, false, true},
		"an error as a number": {"mcp__a__b", `[{"type":"text","text":"{\"is_error\":1}"}]`, `{"is_error":1}`, false, true},
		"duplicate keys":       {"mcp__a__b", `[{"type":"text","text":"{\"id\":1,\"id\":2}"}]`, `"{\"id\":1,\"id\":2}"`, false, true},
		"too deep":             {"mcp__a__b", `"` + strings.Repeat("[", 600) + `"`, `"` + strings.Repeat("[", 600) + `"`, false, true},
		"background":           {"Bash", `{"stdout":"","backgroundTaskId":"b"}`, `{"stdout":"","backgroundTaskId":"b"}`, false, true},
		"interrupted":          {"Bash", `{"stdout":"","interrupted":true}`, `{"stdout":"","interrupted":true}`, false, true},
		"async agent":          {"Agent", `{"status":"async_launched","content":[]}`, `{"status":"async_launched","content":[]}`, false, true},
		"a built-in's content": {"Agent", `{"status":"completed","content":[{"type":"text","text":"x"}]}`, `{"status":"completed","content":[{"type":"text","text":"x"}]}`, false, false},
	}
	for name, tt := range tests {
		r := Event{Kind: PostToolUse, Tool: tt.tool, Response: []byte(tt.response)}.Result()
		if string(r.Value) != tt.value || r.Failed != tt.failed || (r.Unproven != "") != tt.unproven {
			t.Errorf("%s: %s %+v", name, r.Value, r)
		}
	}
	if r := (Event{Kind: PostToolUseFailure, Error: "boom"}).Result(); !r.Failed || r.Error != "boom" || r.Unproven == "" {
		t.Errorf("a failure: %+v", r)
	}
}

func TestEncode(t *testing.T) {
	pre, post, failure := Event{Kind: PreToolUse, Name: "PreToolUse"}, Event{Kind: PostToolUse, Name: "PostToolUse"}, Event{Kind: PostToolUseFailure, Name: "PostToolUseFailure"}
	nested, old := post, post
	nested.Nested, old.OldShapes = true, true
	const deny = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"a && <b> \u2028"}}`
	tests := []struct {
		name   string
		client Client
		ev     Event
		reply  Reply
		want   string
	}{
		{"deny", Claude(), pre, Reply{Answer: Deny, Reason: "a && <b> \u2028"}, deny},
		{"deny", Codex(), pre, Reply{Answer: Deny, Reason: "a && <b> \u2028"}, deny},
		{"blank deny", Codex(), pre, Reply{Answer: Deny, Reason: " \n"}, strings.Replace(deny, `a && <b> \u2028`, "refused by policy", 1)},
		{"zero reply", Claude(), pre, Reply{}, strings.Replace(deny, `a && <b> \u2028`, "refused by policy", 1)},
		{"ask", Claude(), pre, Reply{Answer: Ask, Reason: "r"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"r"}}`},
		{"ask", Codex(), pre, Reply{Answer: Ask, Reason: "r"}, strings.Replace(deny, `a && <b> \u2028`, "r", 1)},
		{"allow", Claude(), pre, Reply{Answer: Allow}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}`},
		{"allow", Codex(), pre, Reply{Answer: Allow}, ``},
		{"silence", Claude(), pre, Reply{Answer: Silence}, ``},
		{"silence", Codex(), pre, Reply{Answer: Silence}, ``},
		{"replaced object", Claude(), post, Reply{Result: []byte(`{"a":9007199254740993}`)}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"a":9007199254740993}}}`},
		{"replaced object, old", Claude(), old, Reply{Result: []byte(`{"a":1}`), Text: `{"a":1}`}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":[{"type":"text","text":"{\"a\":1}"}]}}`},
		{"replaced blocks", Claude(), post, Reply{Result: []byte(`[{"type":"text","text":"<x>"}]`)}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":[{"type":"text","text":"<x>"}]}}`},
		{"context", Claude(), failure, Reply{Context: "c", Result: []byte(`"x"`)}, `{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}`},
		{"nothing", Claude(), post, Reply{}, ``},
		{"replaced", Codex(), post, Reply{Result: []byte(`"text"`), Text: "text", Beside: "b"}, `{"decision":"block","reason":"text"}`},
		{"replaced object", Codex(), post, Reply{Result: []byte(`{"a":1}`), Text: `{"a":1}`, Context: "c"}, `{"decision":"block","reason":"{\"a\":1}\nc"}`},
		{"nested", Codex(), nested, Reply{Result: []byte(`{"a":1}`), Text: `{"a":1}`, Beside: "a = 1"}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"a = 1"}}`},
		{"with an image", Codex(), post, Reply{Result: []byte(`[]`), Text: "t", Lossy: true, Beside: "a = 1", Context: "c"}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c\na = 1"}}`},
		{"nested, too long", Codex(), nested, Reply{Text: "t", Beside: strings.Repeat("x", 9000)}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"` + strings.Repeat("x", maxContext) + `…"}}`},
		{"context", Codex(), post, Reply{Context: "c"}, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`},
		{"nothing", Codex(), post, Reply{}, ``},
		{"session start", Claude(), Event{Kind: SessionStart, Name: "SessionStart"}, Reply{Context: "c", Notice: "n"}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"},"systemMessage":"n"}`},
		{"session start", Codex(), Event{Kind: SessionStart, Name: "SessionStart"}, Reply{Context: "c", Notice: "n"}, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"c"},"systemMessage":"n"}`},
		{"sub-agent", Claude(), Event{Kind: SubagentStart, Name: "SubagentStart"}, Reply{Context: "c"}, `{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}`},
		{"sub-agent", Codex(), Event{Kind: SubagentStart, Name: "SubagentStart"}, Reply{Context: "c"}, `{"hookSpecificOutput":{"hookEventName":"SubagentStart","additionalContext":"c"}}`},
		{"notice", Claude(), Event{Kind: SessionStart}, Reply{Notice: "<n>"}, `{"systemMessage":"<n>"}`},
		{"notice", Codex(), Event{Kind: SessionStart}, Reply{Notice: "<n>"}, `{"systemMessage":"<n>"}`},
		{"skill command", Claude(), Event{Kind: PreToolUse, Name: "PreSkillShellCommand"}, Reply{Reason: "r"}, `{"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"r"}}`},
		{"settings", Claude(), Event{Kind: ConfigChange, Name: "ConfigChange"}, Reply{Reason: "r"}, `{"decision":"block","reason":"r"}`},
		{"settings, zero reply", Claude(), Event{Kind: ConfigChange, Name: "ConfigChange"}, Reply{}, `{"decision":"block","reason":"refused by policy"}`},
		{"settings", Claude(), Event{Kind: ConfigChange, Name: "ConfigChange"}, Reply{Answer: Silence}, ``},
	}
	for _, tt := range tests {
		out := tt.client.Encode(tt.ev, tt.reply)
		if string(out.Stdout) != tt.want || out.Exit != 0 {
			t.Errorf("%s, %s: %s %+v", tt.client.Name, tt.name, out.Stdout, out)
		}
	}
	if out := answer(nil); out.Exit != ExitBlock || out.Stderr == "" {
		t.Errorf("an answer that cannot be built: %+v", out)
	}
}

// TestRegistrations: each client's decoder knows every event that it is to be
// registered for as what the registration says.
func TestRegistrations(t *testing.T) {
	for _, c := range Clients() {
		for _, r := range c.Events {
			ev, err := c.Decode([]byte(`{"hook_event_name":"` + r.Event + `","tool_name":"x"}`))
			if err != nil || ev.Kind != r.Kind || ev.Kind.CanBlock() != (r.Begin != "") {
				t.Errorf("%s: %s is %+v, %v", c.Name, r.Event, ev, err)
			}
			if r.Event == skillCommand && ev.CanAsk {
				t.Error("nobody can be asked about a command in a skill")
			}
		}
	}
}

// checkForm reports an answer that the registered line would not take for one.
func checkForm(t *testing.T, c Client, ev Event, out Output) {
	t.Helper()
	for _, r := range c.Events {
		if r.Event != ev.Name || !r.Kind.CanBlock() || len(out.Stdout) == 0 {
			continue
		}
		if text := string(out.Stdout); !strings.HasPrefix(text, r.Begin) || !strings.HasSuffix(text, r.End) {
			t.Fatalf("%s: not of its form: %s", r.Event, text)
		}
	}
}

// FuzzDecode: an error gives no event; an event has what its kind needs; and
// whatever is answered to it is one JSON object or nothing.
func FuzzDecode(f *testing.F) {
	f.Add(`{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{"a":[1,{"b":"\u0000"}]}}`)
	f.Add(`{"hook_event_name":"PostToolUse","tool_name":"mcp__a__b","tool_response":[{"type":"text","text":"{}"}]}`)
	f.Add(`{"hook_event_name":"PreToolUse","tool_name":"x","tool_name":"y"}`)
	f.Add(`{"hook_event_name":"PreSkillShellCommand","tool_name":"Bash","tool_input":{"command":"x"}}`)
	f.Add(`{"hook_event_name":"ConfigChange","source":"local_settings"}`)
	f.Add(`{"hook_event_name":"SessionStart","source":"startup"}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range Clients() {
			ev, err := c.Decode([]byte(text))
			if err != nil {
				if ev.Kind != Other || ev.Tool != "" || ev.Args != nil {
					t.Fatalf("an error with an event: %+v %v", ev, err)
				}
				continue
			}
			if ev.Kind == PreToolUse && ev.Tool == "" {
				t.Fatal("a call without a tool")
			}
			if v := ev.Result().Value; len(v) > 0 && !gjson.ValidBytes(v) {
				t.Fatalf("past.result is not JSON: %s", v)
			}
			for a := Deny; a <= Allow; a++ {
				out := c.Encode(ev, Reply{Answer: a, Reason: text, Context: text})
				checkForm(t, c, ev, out)
				checkForm(t, c, ev, c.Refuse(ev, text))
				if len(out.Stdout) > 0 && (Strict(out.Stdout) != nil || out.Stdout[0] != '{') {
					t.Fatalf("not one object: %s", out.Stdout)
				}
			}
		}
	})
}

// TestTooDeep: an event that nests too deeply is refused as what it says that it is.
func TestTooDeep(t *testing.T) {
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	for text, want := range map[string]Kind{
		`{"hook_event_name":"PostToolUse","tool_name":"x","tool_response":` + deep + `}`:                   PostToolUse,
		`{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{"a":` + deep + `}}`:                 PreToolUse,
		`{"hook_event_name":"PostToolUse","hook_event_name":"PreToolUse","a":` + deep + `}`:                PreToolUse,
		`{"hook_event_name":"PostToolUse","tool_response":` + strings.Repeat("[", 600) + `}`:               PreToolUse,
		`{"tool_input":{"hook_event_name":"PostToolUse","a":` + deep + `},"hook_event_name":"PreToolUse"}`: PreToolUse,
	} {
		var refusal *Refusal
		if _, err := Claude().Decode([]byte(text)); !errors.As(err, &refusal) || refusal.Kind != want {
			t.Errorf("%.80s: %+v", text, err)
		}
	}
}
