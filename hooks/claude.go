package hooks

import (
	"cmp"
	"encoding/json"
)

// Claude is Claude Code (measured with 2.1.332 and 2.1.197).
func Claude() Client {
	return Client{
		Name:        "claude",
		OldShapes:   isOldClaude,
		StartDirEnv: "CLAUDE_PROJECT_DIR",
		Decode:      decodeClaude,
		Encode:      encodeClaude,
		Refuse:      refuse,
		Events: []Registration{
			rewrites("PreToolUse", ""),
			decides(skillCommand),
			{Event: "PostToolUse", Kind: PostToolUse},
			{Event: "PostToolUseFailure", Kind: PostToolUseFailure},
			{Event: "SessionStart", Kind: SessionStart},
			{Event: "SubagentStart", Kind: SubagentStart, Extra: true},
			{Event: "UserPromptSubmit", Kind: UserPrompt},
			{Event: "ConfigChange", Kind: ConfigChange, Begin: `{"decision":"block","reason":"`, End: `"}`},
		},
		OnFailure: true,
	}
}

// skillCommand announces a command line inside a skill's or slash command's
// text. Any answer but silence keeps it from running, so nobody can be asked.
const skillCommand = "PreSkillShellCommand"

// isOldClaude recognises clients before those that name their version.
func isOldClaude(env func(string) string) bool {
	return env("CLAUDECODE") != "" && env("AI_AGENT") == ""
}

var claudeKinds = map[string]Kind{
	"PreToolUse":         PreToolUse,
	skillCommand:         PreToolUse,
	"PostToolUse":        PostToolUse,
	"PostToolUseFailure": PostToolUseFailure,
	"SessionStart":       SessionStart,
	"SubagentStart":      SubagentStart,
	"UserPromptSubmit":   UserPrompt,
	"ConfigChange":       ConfigChange,
}

func decodeClaude(stdin []byte) (Event, error) {
	ev, err := decode("claude", claudeKinds, stdin)
	ev.CanAsk = err == nil && ev.Name != skillCommand && claudeCanAsk(ev.Mode)
	return ev, err
}

// claudeCanAsk lists the modes in which a hook's ask reaches a person. Older
// clients turn an ask into an allow in the others; a mode that we do not know
// may do the same.
func claudeCanAsk(mode string) bool {
	switch mode {
	case "default", "acceptEdits", "plan":
		return true
	}
	return false
}

func encodeClaude(ev Event, r Reply) Output {
	switch ev.Kind {
	case PreToolUse:
		return claudePre(ev, r)
	case ConfigChange:
		if r.Answer == Silence {
			return Output{}
		}
		return refuse(ev, r.Reason)
	case SessionStart, SubagentStart, PostToolUse, PostToolUseFailure:
		return claudePost(ev, r)
	}
	return Output{}
}

// preOutput is the answer to PreToolUse in both clients' form. The order of the
// fields matters: the registered line recognises the object by its beginning.
type preOutput struct {
	HookSpecificOutput preDecision `json:"hookSpecificOutput"`
}

type preDecision struct {
	HookEventName            string          `json:"hookEventName"`
	PermissionDecision       string          `json:"permissionDecision,omitempty"`
	UpdatedInput             json.RawMessage `json:"updatedInput,omitempty"`
	PermissionDecisionReason string          `json:"permissionDecisionReason,omitempty"`
}

func preAnswer(ev Event, decision, reason string) Output {
	return preRewrite(ev, decision, reason, nil)
}

// preRewrite also replaces the arguments, where there are others.
func preRewrite(ev Event, decision, reason string, input []byte) Output {
	return answer(EncodeJSON(preOutput{preDecision{cmp.Or(ev.Name, "PreToolUse"), decision, input, reason}}))
}

// blockOutput is the other form of a denial, for events that are no calls.
type blockOutput struct {
	Decision      string `json:"decision"`
	Reason        string `json:"reason"`
	SystemMessage string `json:"systemMessage,omitempty"`
}

// noReason stands where a reason is missing.
const noReason = "refused by policy"

// refuse never leaves the reason blank: Codex runs a call whose denial has none.
func refuse(ev Event, reason string) Output {
	if isBlank(reason) {
		reason = noReason
	}
	if ev.Kind == ConfigChange {
		return answer(EncodeJSON(blockOutput{Decision: "block", Reason: reason}))
	}
	return preAnswer(ev, "deny", reason)
}

func claudePre(ev Event, r Reply) Output {
	switch {
	case r.Answer == Silence && r.Input == nil:
		return Output{}
	case r.Answer == Silence:
		return preRewrite(ev, "", "", r.Input) // the client's own flow goes on
	case r.Answer == Allow:
		return preRewrite(ev, "allow", r.Reason, r.Input)
	case r.Answer == Ask && len(r.Input) > maxAsked:
		return preAnswer(ev, "ask", r.Reason) // half of it could be taken for all
	case r.Answer == Ask:
		return preRewrite(ev, "ask", r.Reason, r.Input)
	}
	return refuse(ev, r.Reason)
}

// maxAsked is how large the other arguments of a call may be about which a person is
// asked, in bytes: an answer that a pipe takes at once is there as a whole, or not.
const maxAsked = 16 << 10

type noticeOutput struct {
	SystemMessage string `json:"systemMessage"`
}

// notice shows a text to the user, in both clients' form.
func notice(text string) Output {
	if isBlank(text) {
		return Output{}
	}
	return postAnswer(EncodeJSON(noticeOutput{text}))
}

type claudePostOutput struct {
	HookSpecificOutput claudePostFields `json:"hookSpecificOutput"`
	SystemMessage      string           `json:"systemMessage,omitempty"`
}

type claudePostFields struct {
	HookEventName     string          `json:"hookEventName"`
	AdditionalContext string          `json:"additionalContext,omitempty"`
	UpdatedToolOutput json.RawMessage `json:"updatedToolOutput,omitempty"`
}

// claudePost replaces a result, or adds to it or to a conversation. A failed call's text cannot be
// replaced: the client ignores updatedToolOutput there.
func claudePost(ev Event, r Reply) Output {
	fields := claudePostFields{HookEventName: ev.Name, AdditionalContext: r.Context}
	if ev.Kind == PostToolUse {
		fields.UpdatedToolOutput = claudeReplacement(ev, r)
	}
	if fields.AdditionalContext == "" && fields.UpdatedToolOutput == nil {
		return notice(r.Notice)
	}
	return postAnswer(EncodeJSON(claudePostOutput{fields, r.Notice}))
}

// claudeReplacement gives a result in the shape in which it came. Old clients fail
// on an object, and read a list of blocks instead.
func claudeReplacement(ev Event, r Reply) json.RawMessage {
	if len(r.Result) == 0 || r.Result[0] != '{' || !ev.OldShapes {
		return r.Result
	}
	return EncodeJSON([]textBlock{{"text", r.Text}})
}

// textBlock is a content block of MCP.
type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// postAnswer is answer for events that cannot stop anything: a failure to
// encode is told on stderr and changes nothing.
func postAnswer(object []byte) Output {
	out := answer(object)
	if out.Exit != 0 {
		out.Exit = 0
	}
	return out
}
