// Package e2e runs the real clients, offline, in throw-away homes, against mock
// models and a payment server, and looks at what reaches that server.
package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

type object = map[string]any

// Call is what the mock model does in one turn: it calls a tool, or says Text.
type Call struct {
	Tool string // mcp__SERVER__TOOL or a tool of the client
	Args any    // a func([]byte) any makes them from the conversation so far
	Text string
}

// Script is what the mock model does, turn by turn, in the main thread and in
// the one sub-agent that it may start.
type Script struct{ Main, Sub []Call }

// The prompts that begin the two threads; the mock model knows them by these.
const (
	mainPrompt = "[main] go"
	subPrompt  = "[sub] go"
)

// turn gives the call of a thread's turn, counted from 0, and the call's id.
func (s Script) turn(prompt string, n int) (call Call, id string) {
	calls, thread := s.Main, "main"
	if strings.Contains(prompt, "[sub]") {
		calls, thread = s.Sub, "sub"
	}
	if n >= len(calls) {
		return Call{Text: "done"}, ""
	}
	return calls[n], fmt.Sprintf("%s_%d", thread, n)
}

// Model is a mock model server. What the client told it about its calls is kept.
type Model struct {
	URL string

	server *http.Server
	script Script
	mark   string // ends the ids of this run's calls: a client that goes on drops results of ids that it knows

	mu       sync.Mutex
	answers  int
	requests []string
	told     map[string]string // by call id
	read     map[string]string // the requests that were answered by calls, by call id
}

// dialect is one client's model protocol: it takes a request and answers it.
type dialect func(m *Model, w http.ResponseWriter, r *http.Request, body []byte)

// runs counts the mock models.
var runs atomic.Int64

func startModel(d dialect, script Script) (*Model, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &Model{URL: "http://" + listener.Addr().String(), script: script, mark: fmt.Sprintf("_run%d", runs.Add(1)), told: map[string]string{}, read: map[string]string{}}
	m.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		m.mu.Lock()
		m.requests = append(m.requests, string(body))
		m.mu.Unlock()
		d(m, w, r, body)
	})}
	go m.server.Serve(listener)
	return m, nil
}

// hear keeps what the model was told about a call of this run.
func (m *Model) hear(id, text string) {
	id, ours := strings.CutSuffix(id, m.mark)
	if !ours {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told[id] = text
}

// turn gives the call of a thread's turn, and keeps the request that it answers.
func (m *Model) turn(prompt string, n int, body []byte) (call Call, id string) {
	call, id = m.script.turn(prompt, n)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read[id] = string(body)
	return call, id + m.mark
}

// nextID gives every answer an id of its own: clients merge those that share one.
func (m *Model) nextID(prefix string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers++
	return fmt.Sprintf("%s_%d", prefix, m.answers)
}

// Told is what the model was told about the call of a thread's turn.
func (m *Model) Told(thread string, turn int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told[fmt.Sprintf("%s_%d", thread, turn)]
}

// Read is all that the model had read when it made the call of a thread's turn.
func (m *Model) Read(thread string, turn int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read[fmt.Sprintf("%s_%d", thread, turn)]
}

// Heard reports a text that is anywhere in what the model was sent.
func (m *Model) Heard(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.requests, func(body string) bool { return says(body, text) })
}

// says looks for a text in one that may hold it as JSON, or as JSON in JSON: every
// depth adds backslashes.
func says(all, text string) bool {
	return strings.Contains(strings.ReplaceAll(all, `\`, ""), strings.ReplaceAll(text, `\`, ""))
}

// Offered is the first request that shows a tool of the payment server to the
// model, or nothing.
func (m *Model) Offered() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, body := range m.requests {
		if strings.Contains(body, "identity_verification") {
			return body
		}
	}
	return ""
}

// Close stops the server.
func (m *Model) Close() { m.server.Close() }

// sse writes one server-sent event.
func sse(w io.Writer, kind string, data object) {
	data["type"] = kind
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, jsonOf(data))
}

func jsonOf(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

// textOf is the text of a message's or result's content: a string or blocks.
func textOf(content json.RawMessage) string {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	if json.Unmarshal(content, &blocks) != nil {
		return string(content)
	}
	for _, b := range blocks {
		text += b.Text
	}
	return text
}
