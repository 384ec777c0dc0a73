package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
)

// recording is sessions of events in the order in which they were recorded.
type recording struct {
	order    []string
	sessions map[string][]hooks.Event
}

// maxLine bounds one recorded event, in bytes.
const maxLine = 64 << 20

// readRecordings reads files with one event a line: hook events, a Claude Code
// transcript or a Codex rollout. seen is told how many bytes were read.
func readRecordings(files []string, seen func(int)) (*recording, error) {
	r := &recording{sessions: map[string][]hooks.Event{}}
	for _, path := range files {
		if err := r.readFile(path, seen); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *recording) readFile(path string, seen func(int)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(f, path, seen)
}

func (r *recording) read(in io.Reader, path string, seen func(int)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	reader := &lineReader{session: path, calls: map[string]hooks.Event{}}
	for n := 1; lines.Scan(); n++ {
		seen(len(lines.Bytes()) + 1)
		if !gjson.ValidBytes(lines.Bytes()) {
			return fmt.Errorf("%s:%d: not JSON", path, n)
		}
		for _, ev := range reader.events(gjson.ParseBytes(append([]byte(nil), lines.Bytes()...))) {
			r.add(ev)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (r *recording) add(ev hooks.Event) {
	if _, known := r.sessions[ev.Session]; !known {
		r.order = append(r.order, ev.Session)
	}
	r.sessions[ev.Session] = append(r.sessions[ev.Session], ev)
}

// lineReader turns recorded lines into events. A result is joined to the last call
// with its id: some clients use ids again.
type lineReader struct {
	session string // of lines that name none
	calls   map[string]hooks.Event
}

func (l *lineReader) events(line gjson.Result) []hooks.Event {
	switch {
	case line.Get("hook_event_name").Exists():
		return l.hookEvent(line)
	case line.Get("message.content").Exists():
		return l.transcript(line)
	case line.Get("payload.type").Exists():
		return l.rollout(line.Get("payload"))
	}
	return nil
}

func (l *lineReader) hookEvent(line gjson.Result) []hooks.Event {
	session, id := line.Get("session_id").Str, line.Get("tool_use_id").Str
	ev := hooks.Event{Session: session, ToolUseID: id, Tool: line.Get("tool_name").Str, Prompt: line.Get("prompt").Str}
	switch line.Get("hook_event_name").Str {
	case "UserPromptSubmit":
		return []hooks.Event{l.said(session, ev.Prompt)}
	case "PreToolUse":
		return []hooks.Event{l.made(session, id, ev.Tool, line.Get("tool_input").Raw)}
	case "PostToolUse", "PostToolUseFailure":
		text := line.Get("tool_response")
		failed := line.Get("is_error").Bool() || line.Get("hook_event_name").Str == "PostToolUseFailure"
		if failed && line.Get("error").Exists() {
			text = line.Get("error")
		}
		return l.ended(session, id, text, failed)
	}
	return nil
}

func (l *lineReader) said(session, prompt string) hooks.Event {
	return hooks.Event{Kind: hooks.UserPrompt, Name: "UserPromptSubmit", Session: session, Prompt: prompt}
}

// made is a call. A recording says nothing of modes, so a person can be asked.
func (l *lineReader) made(session, id, tool, args string) hooks.Event {
	ev := hooks.Event{Kind: hooks.PreToolUse, Name: "PreToolUse", Client: "claude", Session: session, CanAsk: true, Tool: tool, ToolUseID: id}
	if gjson.Parse(args).IsObject() {
		ev.Args = []byte(args)
	}
	l.calls[session+" "+id] = ev
	return ev
}

func (l *lineReader) ended(session, id string, response gjson.Result, failed bool) []hooks.Event {
	ev, known := l.calls[session+" "+id]
	if !known {
		return nil
	}
	ev.Kind, ev.Name, ev.Response = hooks.PostToolUse, "PostToolUse", []byte(response.Raw)
	if failed {
		ev.Kind, ev.Name, ev.Error, ev.Response = hooks.PostToolUseFailure, "PostToolUseFailure", response.String(), nil
	}
	return []hooks.Event{ev}
}

// transcript reads a line of a Claude Code transcript.
func (l *lineReader) transcript(line gjson.Result) []hooks.Event {
	session := line.Get("sessionId").Str
	if session == "" {
		session = l.session
	}
	content := line.Get("message.content")
	if content.Type == gjson.String && line.Get("message.role").Str == "user" {
		return []hooks.Event{l.said(session, content.Str)}
	}
	var events []hooks.Event
	content.ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").Str {
		case "tool_use":
			events = append(events, l.made(session, block.Get("id").Str, block.Get("name").Str, block.Get("input").Raw))
		case "tool_result":
			events = append(events, l.ended(session, block.Get("tool_use_id").Str, block.Get("content"), block.Get("is_error").Bool())...)
		case "text":
			if line.Get("message.role").Str == "user" {
				events = append(events, l.said(session, block.Get("text").Str))
			}
		}
		return true
	})
	return events
}

// rollout reads an item of a Codex rollout.
func (l *lineReader) rollout(item gjson.Result) []hooks.Event {
	id := item.Get("call_id").Str
	switch item.Get("type").Str {
	case "session_meta":
		l.session = item.Get("id").Str
	case "user_message":
		return []hooks.Event{l.said(l.session, item.Get("message").Str)}
	case "function_call":
		tool := item.Get("name").Str
		if space := item.Get("namespace").Str; space != "" {
			tool = space + "__" + tool
		}
		return []hooks.Event{l.made(l.session, id, codexTool(tool), item.Get("arguments").Str)}
	case "custom_tool_call":
		return []hooks.Event{l.made(l.session, id, item.Get("name").Str, string(hooks.EncodeJSON(map[string]string{"command": item.Get("input").Str})))}
	case "function_call_output", "custom_tool_call_output":
		return l.ended(l.session, id, item.Get("output"), false)
	}
	return nil
}

// codexTool is the name that hooks get.
func codexTool(name string) string {
	if name == "exec_command" || name == "shell" || name == "local_shell" {
		return "Bash"
	}
	return name
}
