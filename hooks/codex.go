package hooks

import "strings"

// Codex is OpenAI's Codex CLI (measured with 0.171.0).
func Codex() Client {
	return Client{
		Name:     "codex",
		Decode:   decodeCodex,
		Encode:   encodeCodex,
		Refuse:   refuseCodex,
		ByStderr: true,
		Events: []Registration{
			rewrites("PreToolUse", `"permissionDecision":"allow",`),
			{Event: "PostToolUse", Kind: PostToolUse},
			{Event: "SessionStart", Kind: SessionStart},
			{Event: "SubagentStart", Kind: SubagentStart, Extra: true},
			{Event: "UserPromptSubmit", Kind: UserPrompt},
		},
	}
}

var codexKinds = map[string]Kind{
	"PreToolUse":       PreToolUse,
	"PostToolUse":      PostToolUse,
	"SessionStart":     SessionStart,
	"SubagentStart":    SubagentStart,
	"UserPromptSubmit": UserPrompt,
}

// nestedPrefix begins the tool_use_id of a call made from a program that the
// model wrote. There a replaced result is thrown as an exception.
const nestedPrefix = "exec-"

func decodeCodex(stdin []byte) (Event, error) {
	ev, err := decode("codex", codexKinds, stdin)
	ev.Nested = strings.HasPrefix(ev.ToolUseID, nestedPrefix)
	ev.Rereads = strings.HasSuffix(ev.Tool, "spawn_agent") || strings.HasSuffix(ev.Tool, "resume_agent")
	return ev, err
}

func encodeCodex(ev Event, r Reply) Output {
	switch ev.Kind {
	case PreToolUse:
		return codexPre(ev, r)
	case SessionStart, SubagentStart:
		return codexAdd(ev, r.Context, r.Notice)
	case PostToolUse:
		return codexPost(ev, r)
	}
	return Output{}
}

// codexPre knows two answers, and "allow" only with other arguments. By itself it is
// an error to this client, and so is "ask", and it runs the call after an error: allow
// is said by silence, ask by a denial.
func codexPre(ev Event, r Reply) Output {
	switch {
	case r.Answer != Silence && r.Answer != Allow:
		return refuseCodex(ev, r.Reason)
	case r.Input == nil:
		return Output{}
	}
	return preRewrite(ev, "allow", "", r.Input) // which waives no approval here
}

func refuseCodex(ev Event, reason string) Output {
	out := refuse(ev, reason)
	out.Told = reason
	if isBlank(reason) {
		out.Told = noReason
	}
	return out
}

// maxContext keeps added context clearly below the 2,500 tokens above which the
// client writes it to a file and shows a preview. In bytes; a token is seldom
// shorter than three.
const maxContext = 6000

type codexContext struct {
	HookSpecificOutput codexContextFields `json:"hookSpecificOutput"`
	SystemMessage      string             `json:"systemMessage,omitempty"`
}

type codexContextFields struct {
	HookEventName     string `json:"hookEventName"`
	AdditionalContext string `json:"additionalContext"`
}

// codexPost replaces a result by blocking with the replacement as the reason, which
// is what the model then reads. In nested calls that would be thrown at its program,
// and a result with images would be lost: there the model is told beside it.
func codexPost(ev Event, r Reply) Output {
	if r.Text != "" && !ev.Nested && !r.Lossy {
		return postAnswer(EncodeJSON(blockOutput{"block", joinLines(r.Text, r.Context), r.Notice}))
	}
	return codexAdd(ev, joinLines(r.Context, r.Beside), r.Notice)
}

// codexAdd adds to a conversation.
func codexAdd(ev Event, text, told string) Output {
	if isBlank(text) {
		return notice(told)
	}
	if len(text) > maxContext {
		text = strings.ToValidUTF8(text[:maxContext], "") + "…"
	}
	return postAnswer(EncodeJSON(codexContext{codexContextFields{ev.Name, text}, told}))
}
