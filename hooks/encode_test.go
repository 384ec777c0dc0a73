package hooks

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// shape is what an answer to an event may have in it, for both clients: a member that a
// client does not know makes it ignore the whole answer.
type shape struct {
	members  []string // beside systemMessage
	specific []string // of hookSpecificOutput, beside hookEventName
}

func shapeOf(client string, kind Kind, name string) shape {
	switch kind {
	case PreToolUse:
		s := shape{[]string{"hookSpecificOutput"}, []string{"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"}}
		if client == "claude" && name == "PreSkillShellCommand" {
			s.specific = []string{"permissionDecision", "permissionDecisionReason"}
		}
		return s
	case PostToolUse, PostToolUseFailure:
		specific := []string{"additionalContext"}
		if client == "claude" {
			specific = append(specific, "updatedToolOutput", "updatedMCPToolOutput")
		}
		return shape{[]string{"hookSpecificOutput", "decision", "reason"}, specific}
	case ConfigChange:
		return shape{[]string{"decision", "reason"}, nil}
	}
	return shape{[]string{"hookSpecificOutput"}, []string{"additionalContext"}}
}

// conforms says what of an answer its client would not take.
func conforms(client string, ev Event, out Output) string {
	if len(out.Stdout) == 0 {
		return ""
	}
	if Strict(out.Stdout) != nil || out.Stdout[0] != '{' {
		return "not one object"
	}
	s, problem := shapeOf(client, ev.Kind, ev.Name), ""
	all := gjson.ParseBytes(out.Stdout)
	all.ForEach(func(key, value gjson.Result) bool {
		isText := value.Type == gjson.String
		switch {
		case key.Str == "systemMessage" && isText, key.Str == "hookSpecificOutput" && value.IsObject(), key.Str == "reason" && isText:
		case key.Str == "decision" && value.Str == "block":
		default:
			problem = "member " + key.Str
		}
		if key.Str != "systemMessage" && !slices.Contains(s.members, key.Str) {
			problem = "member " + key.Str
		}
		return problem == ""
	})
	specific := all.Get("hookSpecificOutput")
	if specific.Exists() && specific.Get("hookEventName").Str != ev.Name {
		problem = "of another event"
	}
	specific.ForEach(func(key, value gjson.Result) bool {
		if key.Str != "hookEventName" && !slices.Contains(s.specific, key.Str) {
			problem = "hookSpecificOutput." + key.Str
		}
		return problem == ""
	})
	decision := specific.Get("permissionDecision").Str
	switch words := []string{"", "allow", "deny", "ask"}; {
	case !slices.Contains(words, decision), client == "codex" && decision == "ask":
		problem = "decision " + decision
	case client == "codex" && decision == "allow" && !specific.Get("updatedInput").IsObject():
		problem = "allow without other arguments, which Codex takes for a failure"
	case decision == "deny" && strings.TrimSpace(specific.Get("permissionDecisionReason").Str) == "":
		problem = "a denial without a reason"
	}
	return problem
}

// FuzzEncode: whatever is answered to whatever event has the client's form.
func FuzzEncode(f *testing.F) {
	f.Add(`{"hook_event_name":"PreToolUse","tool_name":"x","tool_input":{"a":1}}`, "reason", `{"b":2}`, uint8(3))
	f.Add(`{"hook_event_name":"PostToolUse","tool_name":"mcp__a__b","tool_input":{},"tool_response":[{"type":"text","text":"{}"}]}`, "", "text", uint8(0))
	f.Add(`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"x"}`, "\x00\xff", "", uint8(7))
	f.Add(`{"hook_event_name":"PostToolUseFailure","tool_name":"mcp__a__b","tool_input":{},"error":"x"}`, "r", "t", uint8(1))
	f.Add(`{"hook_event_name":"ConfigChange","source":"local_settings"}`, " ", "", uint8(2))
	f.Add(`{"hook_event_name":"SessionStart","source":"compact"}`, "r", "t", uint8(4))
	f.Add(`{"hook_event_name":"PreSkillShellCommand","tool_name":"Bash","tool_input":{"command":"x"}}`, "r", "", uint8(2))
	f.Fuzz(func(t *testing.T, text, reason, other string, mask uint8) {
		for _, c := range Clients() {
			ev, err := c.Decode([]byte(text))
			if err != nil || ev.Kind == Other {
				continue
			}
			for answer := Silence; answer <= Allow; answer++ {
				r := Reply{Answer: answer, Reason: reason, Notice: other, Context: reason, Beside: other, Text: other}
				if ev.Kind == PreToolUse && mask&1 != 0 && strings.HasPrefix(other, "{") && Strict([]byte(other)) == nil {
					r.Input = []byte(other)
				}
				if mask&2 != 0 {
					r.Notice, r.Context = "", ""
				}
				if mask&4 != 0 {
					r.Text, r.Beside = "", ""
				}
				r.Lossy = mask&8 != 0
				if strings.HasPrefix(other, "[") && Strict([]byte(other)) == nil {
					r.Result = []byte(other)
				}
				outs := []Output{c.Encode(ev, r)}
				if ev.Kind.CanBlock() {
					outs = append(outs, c.Refuse(ev, reason))
				}
				for _, out := range outs {
					if problem := conforms(c.Name, ev, out); problem != "" {
						t.Fatalf("%s, %s: %s: %s", c.Name, ev.Name, problem, out.Stdout)
					}
				}
			}
		}
	})
}
