package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// item is one item of a conversation in the Responses API.
type item struct {
	Type, Role string
	CallID     string `json:"call_id"`
	Content    json.RawMessage
	Output     json.RawMessage
}

// responses speaks the Responses API, as far as Codex needs it. In code mode a
// call is a program that makes it.
func responses(codeMode bool) dialect {
	return func(m *Model, w http.ResponseWriter, r *http.Request, body []byte) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/responses") {
			http.NotFound(w, r)
			return
		}
		var conversation struct{ Input []item }
		if err := json.Unmarshal(body, &conversation); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		prompt, turn := m.follow(conversation.Input)
		call, id := m.turn(prompt, turn, body)
		w.Header().Set("Content-Type", "text/event-stream")
		response := m.nextID("resp")
		sse(w, "response.created", object{"response": object{"id": response}})
		sse(w, "response.output_item.done", object{"item": call.item("call_"+id, body, codeMode)})
		usage := object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
		sse(w, "response.completed", object{"response": object{"id": response, "usage": usage}})
	}
}

// follow finds the thread's prompt and counts the model's turns since, which are
// one item each.
func (m *Model) follow(items []item) (prompt string, turn int) {
	for _, it := range items {
		switch {
		case strings.HasSuffix(it.Type, "_call_output"):
			m.hear(strings.TrimPrefix(it.CallID, "call_"), textOf(it.Output))
		case strings.HasSuffix(it.Type, "_call"), it.Role == "assistant":
			turn++
		case it.Role == "user":
			if text := textOf(it.Content); strings.Contains(text, mainPrompt) || strings.Contains(text, subPrompt) {
				prompt, turn = text, 0
			}
		}
	}
	return prompt, turn
}

// item is the call in the protocol's words: a function, one in an MCP server's
// namespace, free text for a tool that takes no arguments object, or a program.
func (c Call) item(id string, body []byte, codeMode bool) object {
	args := c.args(body)
	if c.Tool == "" {
		content := []object{{"type": "output_text", "text": c.Text}}
		return object{"type": "message", "role": "assistant", "id": "msg_1", "content": content}
	}
	if c.Tool == "tool_search" {
		return object{"type": "tool_search_call", "call_id": id, "execution": "client", "arguments": args}
	}
	if text, isText := args.(string); isText {
		return object{"type": "custom_tool_call", "call_id": id, "name": c.Tool, "input": text}
	}
	encoded, _ := json.Marshal(args)
	namespace, name := split(c.Tool)
	if codeMode && (strings.HasPrefix(namespace, "mcp__") || name == "exec_command" || name == "write_stdin") {
		program := fmt.Sprintf(`try { text(JSON.stringify(await tools.%s(%s))); } catch (e) { text("threw " + e); }`, c.Tool, encoded)
		return object{"type": "custom_tool_call", "call_id": id, "name": "exec", "input": program}
	}
	call := object{"type": "function_call", "call_id": id, "name": name, "arguments": string(encoded)}
	if namespace != "" {
		call["namespace"] = namespace
	}
	return call
}

// split takes a tool's namespace from its name.
func split(tool string) (namespace, name string) {
	if i := strings.LastIndex(tool, "__"); i > 0 {
		return tool[:i], tool[i+2:]
	}
	return "", tool
}
