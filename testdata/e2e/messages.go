package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
)

// conversation is a request of the Messages API.
type conversation struct {
	Stream   bool
	Tools    []json.RawMessage
	Messages []struct {
		Role    string
		Content json.RawMessage
	}
}

// messages speaks the Messages API, as far as Claude Code needs it.
func messages(m *Model, w http.ResponseWriter, r *http.Request, body []byte) {
	switch path := strings.TrimSuffix(r.URL.Path, "/"); {
	case strings.HasSuffix(path, "/count_tokens"):
		json.NewEncoder(w).Encode(object{"input_tokens": 10})
		return
	case !strings.HasSuffix(path, "/messages"):
		http.NotFound(w, r)
		return
	}
	var c conversation
	if err := json.Unmarshal(body, &c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt, turn := m.followMessages(c)
	call, id := Call{Text: "ok"}, "" // requests beside the conversation, such as titles
	if prompt != "" && len(c.Tools) > 0 {
		call, id = m.turn(prompt, turn, body)
	}
	block, stop := object{"type": "text", "text": call.Text}, "end_turn"
	if call.Tool != "" {
		block, stop = object{"type": "tool_use", "id": "toolu_" + id, "name": call.Tool, "input": call.args(body)}, "tool_use"
	}
	message := object{
		"id": m.nextID("msg"), "type": "message", "role": "assistant", "model": "mock",
		"stop_reason": stop, "stop_sequence": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1},
	}
	if !c.Stream {
		message["content"] = []object{block}
		json.NewEncoder(w).Encode(message)
		return
	}
	message["content"], message["stop_reason"] = []object{}, nil
	streamBlock(w, message, block, stop)
}

// followMessages finds the thread's prompt and counts the model's turns since.
func (m *Model) followMessages(c conversation) (prompt string, turn int) {
	for _, message := range c.Messages {
		switch text := textOf(message.Content); {
		case message.Role == "assistant":
			turn++
		case strings.Contains(text, mainPrompt) || strings.Contains(text, subPrompt):
			prompt, turn = text, 0
		}
		m.hearResults(message.Content)
	}
	return prompt, turn
}

// streamBlock sends a message of one block as events.
func streamBlock(w http.ResponseWriter, message, block object, stop string) {
	w.Header().Set("Content-Type", "text/event-stream")
	start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": block["text"]}
	if block["type"] == "tool_use" {
		start = object{"type": "tool_use", "id": block["id"], "name": block["name"], "input": object{}}
		input, _ := json.Marshal(block["input"])
		delta = object{"type": "input_json_delta", "partial_json": string(input)}
	}
	sse(w, "message_start", object{"message": message})
	sse(w, "content_block_start", object{"index": 0, "content_block": start})
	sse(w, "content_block_delta", object{"index": 0, "delta": delta})
	sse(w, "content_block_stop", object{"index": 0})
	sse(w, "message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	sse(w, "message_stop", object{})
}

func (m *Model) hearResults(content json.RawMessage) {
	var blocks []struct {
		Type      string
		ToolUseID string `json:"tool_use_id"`
		Content   json.RawMessage
	}
	if json.Unmarshal(content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		if b.Type == "tool_result" {
			m.hear(strings.TrimPrefix(b.ToolUseID, "toolu_"), textOf(b.Content))
		}
	}
}

// args are the call's arguments, made from the conversation if they depend on it.
func (c Call) args(body []byte) any {
	if make, ok := c.Args.(func([]byte) any); ok {
		return make(body)
	}
	return c.Args
}
