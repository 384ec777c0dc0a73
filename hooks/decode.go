package hooks

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

// TrimBOM drops a byte order mark.
func TrimBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// decode reads an event. Both clients use the same names for what they share.
func decode(client string, kinds map[string]Kind, stdin []byte) (Event, error) {
	text := TrimBOM(stdin)
	if len(bytes.TrimSpace(text)) == 0 {
		return Event{}, &Refusal{PreToolUse, "", "empty"}
	}
	err := Strict(text)
	doc := gjson.ParseBytes(text)
	if err != nil {
		name := claimedName(err, doc)
		return Event{}, &Refusal{kindOf(kinds, name), name, err.Error()}
	}
	if !doc.IsObject() {
		return Event{}, &Refusal{PreToolUse, "", "not a JSON object"}
	}
	return readFields(client, kinds, doc)
}

// claimedName reads the name of an event that is refused for err. Only an event
// whose text is well-formed and which names itself exactly once is believed.
func claimedName(err error, doc gjson.Result) string {
	if err != ErrDuplicate && (err != ErrDepth || !json.Valid([]byte(doc.Raw))) || !doc.IsObject() {
		return ""
	}
	var names []gjson.Result
	doc.ForEach(func(k, v gjson.Result) bool {
		if k.Str == "hook_event_name" {
			names = append(names, v)
		}
		return true
	})
	if len(names) != 1 || names[0].Type != gjson.String {
		return ""
	}
	return names[0].Str
}

// kindOf is the kind of an event of that name; one without a name could be a
// call.
func kindOf(kinds map[string]Kind, name string) Kind {
	if name == "" {
		return PreToolUse
	}
	return kinds[name]
}

func readFields(client string, kinds map[string]Kind, doc gjson.Result) (Event, error) {
	ev := Event{Client: client}
	texts := map[string]*string{
		"hook_event_name": &ev.Name,
		"session_id":      &ev.Session,
		"agent_id":        &ev.AgentID,
		"agent_type":      &ev.AgentType,
		"cwd":             &ev.CWD,
		"permission_mode": &ev.Mode,
		"source":          &ev.Source,
		"tool_name":       &ev.Tool,
		"tool_use_id":     &ev.ToolUseID,
		"error":           &ev.Error,
		"prompt":          &ev.Prompt,
	}
	var wrong string
	doc.ForEach(func(k, v gjson.Result) bool {
		if field := texts[k.Str]; field != nil && !readText(field, v) {
			wrong = k.Str + " is not a string"
		}
		switch k.Str {
		case "tool_input":
			if v.Type != gjson.Null && !v.IsObject() {
				wrong = "tool_input is not an object"
			} else if v.IsObject() {
				ev.Args = []byte(v.Raw)
			}
		case "tool_response":
			ev.Response = []byte(v.Raw)
		case "mcp_server":
			ev.Server, ev.ServerSource = v.Get("name").Str, v.Get("source").Str
		case "is_interrupt":
			ev.Stopped = v.Type != gjson.False && v.Type != gjson.Null
		}
		return true
	})
	return checkFields(ev, kinds, wrong)
}

// readText takes a string; null counts as absent.
func readText(field *string, v gjson.Result) bool {
	*field = v.Str
	return v.Type == gjson.String || v.Type == gjson.Null
}

// checkFields refuses what cannot be judged. A wrong member of an event that
// we do not act on is none of our business.
func checkFields(ev Event, kinds map[string]Kind, wrong string) (Event, error) {
	ev.Kind = kindOf(kinds, ev.Name)
	if strings.ContainsRune(ev.ToolUseID, '\uFFFD') {
		ev.ToolUseID = "" // characters were lost, so it identifies nothing
	}
	switch {
	case ev.Name == "":
		return Event{}, &Refusal{PreToolUse, "", "hook_event_name is missing"}
	case ev.Kind == Other:
		return Event{Name: ev.Name, Client: ev.Client}, nil
	case wrong != "":
		return Event{}, &Refusal{ev.Kind, ev.Name, wrong}
	case ev.Tool == "" && !ev.Kind.aboutNoTool():
		return Event{}, &Refusal{ev.Kind, ev.Name, "tool_name is missing"}
	}
	return ev, nil
}
