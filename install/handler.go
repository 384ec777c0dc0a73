package install

import (
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"

	"gatewright/install/jsontext"
)

// handler says why a client would drop a file for one of its handlers.
func (d document) handler(event string, n *jsontext.Node, fields map[string]any) error {
	if err := d.unique(n); err != nil {
		return err
	}
	problem := badHandler(fields)
	if problem == "" && d.client.Name == "codex" {
		problem = badForCodex(n, d.text, fields)
	}
	if problem != "" {
		return settingsError(d.text, n, "hooks.%s has a handler %s", event, problem)
	}
	if d.client.Name != "claude" || !slices.Contains(strictEvents, event) {
		return nil
	}
	if bad := handlerShape(fields["type"]).misfit(d.text, n, "it"); bad != nil {
		return settingsError(d.text, bad.at, "hooks.%s has a handler in which %s is not %s, and Claude Code ignores the whole file for that", event, bad.name, bad.want)
	}
	return nil
}

// badHandler says what neither client takes.
func badHandler(fields map[string]any) string {
	kind, isText := fields["type"].(string)
	if !isText {
		return "without a type"
	}
	if _, isText := fields["command"].(string); kind == "command" && !isText {
		return "without a command"
	}
	if timeout, has := fields["timeout"]; has && timeout != nil {
		if _, isNumber := timeout.(float64); !isNumber {
			return "whose timeout is not a number"
		}
	}
	return ""
}

// strictEvents are those for which Claude Code drops the whole file because of one
// handler (tried with 2.1.332 and 2.1.294). Of others it skips the handler.
var strictEvents = []string{"PreToolUse", "PermissionRequest", "PreSkillShellCommand"}

// claudeHandlers is what Claude Code takes of handlers of each type, tried likewise.
//
//go:embed claude_handlers.json
var claudeHandlers []byte

// handlerShape is the form of a type of handlers; of an unknown one nothing fits.
func handlerShape(kind any) *shape {
	var known map[string]*shape
	name, _ := kind.(string)
	if err := json.Unmarshal(claudeHandlers, &known); err != nil || known[name] == nil {
		return &shape{Enum: []string{"of a type that the client knows"}}
	}
	return known[name]
}

// badForCodex says what Codex does not read; it then takes nothing of the file.
func badForCodex(n *jsontext.Node, text []byte, fields map[string]any) string {
	if kind, _ := fields["type"].(string); !slices.Contains([]string{"command", "mcp_tool", "prompt", "agent"}, kind) {
		return "of a type that Codex does not know"
	}
	for _, m := range n.Members {
		raw := string(m.Value.Raw(text))
		value := fields[m.Key]
		_, isText := value.(string)
		_, isBool := value.(bool)
		switch {
		case raw == "null":
		case m.Key == "timeout" && !isSeconds(raw):
			return "whose timeout is not a whole number"
		case (m.Key == "statusMessage" || m.Key == "commandWindows" || m.Key == "command") && !isText:
			return "whose " + m.Key + " is not a text"
		case m.Key == "async" && !isBool:
			return "whose async is neither true nor false"
		case isText && hasLoneSurrogate(raw):
			return "whose " + m.Key + " has half a character"
		}
	}
	return ""
}

// isSeconds reports a number without a sign, a point or an exponent.
func isSeconds(raw string) bool {
	_, err := strconv.ParseUint(raw, 10, 64)
	return err == nil
}

// hasLoneSurrogate finds \\ud800 and its like without its other half.
func hasLoneSurrogate(raw string) bool {
	pairs := regexp.MustCompile(`(?i)\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)
	return regexp.MustCompile(`(?i)\\ud[89a-f][0-9a-f]{2}`).MatchString(pairs.ReplaceAllString(raw, ""))
}
