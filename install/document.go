package install

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

func splitBOM(text []byte) (bom, body []byte) {
	body = hooks.TrimBOM(text)
	return text[:len(text)-len(body)], body
}

// settingsError is a *jsontext.Error at a value.
func settingsError(text []byte, n *jsontext.Node, format string, args ...any) error {
	return jsontext.ErrorAt(text, n.Start, fmt.Sprintf(format, args...))
}

// handlers lists all handlers of a file, in its order. What would make the
// client drop the file, or read it otherwise than we do, is an error.
func handlers(text []byte, c hooks.Client) ([]found, error) {
	body := hooks.TrimBOM(text)
	if c.Name == "codex" && len(body) < len(text) {
		return nil, jsontext.ErrorAt(text, 0, "it begins with a byte order mark, for which Codex ignores the whole file")
	}
	root, err := jsontext.Parse(body)
	if err != nil {
		return nil, err
	}
	d := document{body, c}
	if err := d.checkTop(root); err != nil {
		return nil, err
	}
	i := root.Index("hooks")
	if i < 0 || string(root.Members[i].Value.Raw(body)) == "null" {
		return nil, nil
	}
	return d.events(root.Members[i].Value)
}

// document is a settings file that is read.
type document struct {
	text   []byte
	client hooks.Client
}

func (d document) checkTop(root *jsontext.Node) error {
	if !root.IsObject(d.text) {
		return settingsError(d.text, root, "the document is not an object")
	}
	if err := d.unique(root); err != nil {
		return err
	}
	if d.client.Name != "codex" {
		return nil
	}
	for _, m := range root.Members {
		if m.Key != "hooks" && m.Key != "description" {
			return jsontext.ErrorAt(d.text, m.Start, fmt.Sprintf("Codex does not know the key %q and ignores the whole file because of it", m.Key))
		}
		if raw := string(m.Value.Raw(d.text)); m.Key == "description" && raw != "null" && raw[0] != '"' {
			return settingsError(d.text, m.Value, "description is not a text")
		}
	}
	return nil
}

// unique refuses an object that has a key twice: what one program reads in it
// another does not.
func (d document) unique(n *jsontext.Node) error {
	seen := map[string]bool{}
	for _, m := range n.Members {
		if seen[m.Key] {
			return jsontext.ErrorAt(d.text, m.Start, fmt.Sprintf("the key %q is there twice", m.Key))
		}
		seen[m.Key] = true
	}
	return nil
}

func (d document) events(n *jsontext.Node) ([]found, error) {
	if !n.IsObject(d.text) {
		return nil, settingsError(d.text, n, "hooks is not an object")
	}
	if err := d.unique(n); err != nil {
		return nil, err
	}
	var list []found
	for _, event := range n.Members {
		if !event.Value.IsArray(d.text) {
			return nil, settingsError(d.text, event.Value, "hooks.%s is not an array", event.Key)
		}
		for i, g := range event.Value.Members {
			in, err := d.group(event.Key, i, g.Value)
			if err != nil {
				return nil, err
			}
			list = append(list, in...)
		}
	}
	return list, nil
}

func (d document) group(event string, number int, n *jsontext.Node) ([]found, error) {
	if !n.IsObject(d.text) {
		return nil, settingsError(d.text, n, "hooks.%s has an element that is not an object", event)
	}
	if err := d.unique(n); err != nil {
		return nil, err
	}
	i := n.Index("hooks")
	if i < 0 && d.client.Name == "codex" {
		return nil, nil
	}
	if i < 0 || !n.Members[i].Value.IsArray(d.text) {
		return nil, settingsError(d.text, n, "hooks.%s has an element without an array of hooks", event)
	}
	matcher, isThere, err := d.matcher(event, n)
	if err != nil {
		return nil, err
	}
	var list []found
	members := n.Members[i].Value.Members
	for at, m := range members {
		fields, isObject := decoded(m.Value.Raw(d.text)).(map[string]any)
		if !isObject {
			return nil, settingsError(d.text, m.Value, "hooks.%s has a handler that is not an object", event)
		}
		if err := d.handler(event, m.Value, fields); err != nil {
			return nil, err
		}
		// Codex remembers a handler with its matcher, whatever that takes.
		list = append(list, found{event, number, at, len(members), matcher, isThere && d.client.Name == "codex", fields})
	}
	return list, nil
}

func (d document) matcher(event string, n *jsontext.Node) (matcher string, isThere bool, err error) {
	m := n.Index("matcher")
	if m < 0 || d.client.Name == "codex" && string(n.Members[m].Value.Raw(d.text)) == "null" {
		return "", false, nil
	}
	matcher, isText := decoded(n.Members[m].Value.Raw(d.text)).(string)
	if !isText {
		return "", true, settingsError(d.text, n, "hooks.%s has a matcher that is not a string", event)
	}
	return matcher, true, nil
}

func decoded(raw []byte) any {
	var v any
	if err := json.NewDecoder(bytes.NewReader(raw)).Decode(&v); err != nil {
		return nil
	}
	return v
}
