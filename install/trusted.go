package install

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gatewright/hooks"
)

// trustedByCodex is what Codex remembers of handlers: its config.toml names each
// by file, event and position.
func trustedByCodex(home Home) map[string]any {
	state, _ := userConfig(home).Hooks["state"].(map[string]any)
	return state
}

// isTrusted reports a handler that Codex remembers where it is now, with the
// handler's own hash. If it remembers none of the file it runs them for another
// reason, or not at all; if none of the hashes is one of ours it computes them
// otherwise than we know, and the place alone counts.
func (w Watch) isTrusted(path string, f found, line Line) bool {
	known, comparable := false, false
	for key, state := range w.trusted {
		if place, ok := strings.CutPrefix(key, path+":"); ok {
			known = true
			event, _, _ := strings.Cut(place, ":")
			comparable = comparable || hashOf(state) == w.hash(event, line)
		}
	}
	state, ok := w.trusted[fmt.Sprintf("%s:%s:%d:%d", path, snake(f.event), f.group, f.at)]
	if fields, _ := state.(map[string]any); fields["enabled"] == false {
		return false
	}
	return !known || ok && (!comparable || hashOf(state) == w.hash(snake(f.event), line))
}

// remembers reports that Codex remembers a handler of a file.
func (w Watch) remembers(path string) bool {
	for key := range w.trusted {
		if strings.HasPrefix(key, path+":") {
			return true
		}
	}
	return false
}

func hashOf(state any) string {
	fields, _ := state.(map[string]any)
	hash, _ := fields["trusted_hash"].(string)
	return hash
}

// hash is what Codex 0.171 remembers of our handler of an event: a digest of the
// handler as JSON with sorted keys.
func (w Watch) hash(event string, line Line) string {
	i := slices.IndexFunc(w.Client.Events, func(r hooks.Registration) bool { return snake(r.Event) == event })
	if i < 0 {
		return "none of ours"
	}
	h := handlerFor(w.Client, w.Client.Events[i], line)
	sum := sha256.Sum256(hooks.EncodeJSON(map[string]any{"event_name": event, "hooks": []any{map[string]any{
		"async": false, "command": h.Command, "statusMessage": h.StatusMessage, "timeout": h.Timeout, "type": h.Type,
	}}}))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// snake is Codex's other spelling of an event: pre_tool_use.
func snake(event string) string {
	var out []rune
	for i, r := range event {
		if i > 0 && unicode.IsUpper(r) {
			out = append(out, '_')
		}
		out = append(out, unicode.ToLower(r))
	}
	return string(out)
}

// isJudged reports that the user has told Codex whether to trust the repository.
func isJudged(root string, home Home) bool {
	return userConfig(home).Projects[root].TrustLevel != ""
}

// keyPart quotes one part of a dotted key.
func keyPart(text string) string { return string(hooks.EncodeJSON(text)) }
