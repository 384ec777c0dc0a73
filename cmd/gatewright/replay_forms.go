package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
)

// lineReader turns the lines of one file into events.
type lineReader struct {
	session string // of lines that name none
	client  string // of hook events that name none
	calls   madeCalls
	agent   bool // the rollout is a sub-agent's
}

func newLineReader(path, client string) *lineReader {
	return &lineReader{
		session: path,
		client:  client,
		calls:   madeCalls{open: map[callID][]*madeCall{}, last: map[callID]*madeCall{}},
	}
}

func (l *lineReader) events(line gjson.Result) ([]recorded, error) {
	switch {
	case line.Get("hook_event_name").Exists():
		return l.hookEvent(line)
	case line.Get("message.content").Exists():
		return l.transcript(line), nil
	case line.Get("payload.type").Exists():
		return l.rollout(line.Get("payload"))
	}
	return nil, nil
}

func (l *lineReader) hookEvent(line gjson.Result) ([]recorded, error) {
	client, known := hooks.ClientNamed(cmp.Or(line.Get("client").Str, l.client))
	if !known {
		return nil, fmt.Errorf("there is no client %q", line.Get("client").Str)
	}
	ev := hooks.Event{
		Client: client.Name, Session: line.Get("session_id").Str, ToolUseID: line.Get("tool_use_id").Str,
		Tool: line.Get("tool_name").Str, Mode: line.Get("permission_mode").Str,
		AgentID: line.Get("agent_id").Str, AgentType: line.Get("agent_type").Str,
		Server: line.Get("mcp_server.name").Str, ServerSource: line.Get("mcp_server.source").Str,
	}
	stopped := line.Get("is_interrupt").Type
	ev.Stopped = stopped != gjson.False && stopped != gjson.Null
	switch name := line.Get("hook_event_name").Str; name {
	case "UserPromptSubmit":
		if ev.AgentID == "" { // a sub-agent's first message is no person's
			return said(ev.Session, line.Get("prompt").Str), nil
		}
	case "PreToolUse":
		ev.CanAsk = canAsk(client, ev.Mode)
		return l.made(ev, line.Get("tool_input").Raw), nil
	case "PostToolUse", "PostToolUseFailure":
		text := line.Get("tool_response")
		failed := line.Get("is_error").Bool() || name == "PostToolUseFailure"
		if failed && line.Get("error").Exists() {
			text = line.Get("error")
		}
		return l.ended(ev, line.Get("tool_input"), text, failed), nil
	}
	return nil, nil
}

// canAsk reports whether a person can be asked in a mode of a client. Where a
// recording says nothing of modes, one can if the client ever asks.
func canAsk(client hooks.Client, mode string) bool {
	event := map[string]string{"hook_event_name": "PreToolUse", "tool_name": "x", "permission_mode": cmp.Or(mode, "default")}
	ev, err := client.Decode(hooks.EncodeJSON(event))
	return err == nil && ev.CanAsk
}

func said(session, prompt string) []recorded {
	return []recorded{{Event: hooks.Event{Kind: hooks.UserPrompt, Name: "UserPromptSubmit", Session: session, Prompt: prompt}}}
}

// made is a call that is announced.
func (l *lineReader) made(ev hooks.Event, args string) []recorded {
	ev.Kind, ev.Name, ev.Args = hooks.PreToolUse, "PreToolUse", objectOnly(args)
	return []recorded{{Event: ev, made: l.calls.announce(ev)}}
}

// transcript reads a line of a Claude Code transcript. It says nothing of modes, so a
// person can be asked.
func (l *lineReader) transcript(line gjson.Result) []recorded {
	ev := hooks.Event{Client: "claude", Session: cmp.Or(line.Get("sessionId").Str, l.session), CanAsk: true}
	content := line.Get("message.content")
	var events []recorded
	var texts []string
	if content.Type == gjson.String {
		texts = append(texts, content.Str)
	}
	content.ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").Str {
		case "tool_use":
			ev.ToolUseID, ev.Tool = block.Get("id").Str, block.Get("name").Str
			events = append(events, l.made(ev, block.Get("input").Raw)...)
		case "tool_result":
			end := hooks.Event{Client: ev.Client, Session: ev.Session, ToolUseID: block.Get("tool_use_id").Str}
			events = append(events, l.ended(end, gjson.Result{}, block.Get("content"), block.Get("is_error").Bool())...)
		case "text":
			texts = append(texts, block.Get("text").Str)
		}
		return true
	})
	if len(texts) > 0 && fromPerson(line) {
		events = append(events, said(ev.Session, strings.Join(texts, "\n"))...)
	}
	return events
}

// fromPerson reports a line whose text a person wrote. Clients also put into the
// user's mouth what a model tells a sub-agent, summaries, and notes of their own.
func fromPerson(line gjson.Result) bool {
	return line.Get("message.role").Str == "user" &&
		!line.Get("isSidechain").Bool() && !line.Get("isMeta").Bool() && !line.Get("isCompactSummary").Bool()
}

var errArguments = errors.New("the same key twice in the arguments")

// rollout reads an item of a Codex rollout. That client never asks.
func (l *lineReader) rollout(item gjson.Result) ([]recorded, error) {
	ev := hooks.Event{Client: "codex", Session: l.session, ToolUseID: item.Get("call_id").Str, Tool: item.Get("name").Str}
	switch item.Get("type").Str {
	case "session_meta":
		l.session, l.agent = item.Get("id").Str, item.Get("source.subagent").Exists()
	case "user_message":
		if kind := item.Get("kind").Str; !l.agent && (kind == "" || kind == "plain") { // else the client's own words
			return said(l.session, item.Get("message").Str), nil
		}
	case "function_call":
		args := item.Get("arguments").Str
		if errors.Is(hooks.Strict([]byte(args)), hooks.ErrDuplicate) {
			return nil, errArguments
		}
		if space := item.Get("namespace").Str; space != "" {
			ev.Tool = space + "__" + ev.Tool
		}
		ev.Tool = codexTool(ev.Tool)
		return l.made(ev, args), nil
	case "custom_tool_call":
		return l.made(ev, string(hooks.EncodeJSON(map[string]string{"command": item.Get("input").Str}))), nil
	case "function_call_output", "custom_tool_call_output":
		ev.Tool = ""
		return l.ended(ev, gjson.Result{}, item.Get("output"), false), nil
	}
	return nil, nil
}

// codexTool is the name that hooks get.
func codexTool(name string) string {
	if name == "exec_command" || name == "shell" || name == "local_shell" {
		return "Bash"
	}
	return name
}
