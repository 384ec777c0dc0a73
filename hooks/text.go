package hooks

import (
	"bytes"
	"encoding/json"
	"strings"
)

// EncodeJSON writes v without HTML escapes, so that a reason reads the same on
// both sides. It returns nil if v cannot be written.
func EncodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}
