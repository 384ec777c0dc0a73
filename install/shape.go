package install

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gatewright/install/jsontext"
)

// claudeSettings is what Claude Code 2.1.332 takes in a settings file, hooks
// aside, by its published typings. It drops a whole file, our handlers with it,
// for one value of a wrong form; keys that it does not know do no harm.
//
//go:embed claude_settings.json
var claudeSettings []byte

// shape is the form of a JSON value: one of Kind (string, number, fraction,
// boolean, unknown), Enum, List, Map, Object or Any.
type shape struct {
	Kind   string
	Enum   []string
	List   *shape
	Map    *shape
	Object map[string]*shape
	Need   []string // keys that an object must have
	Any    []*shape
}

// UnmarshalJSON reads a kind, which is a string, or one of the other forms.
func (s *shape) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &s.Kind)
	}
	type plain shape
	return json.Unmarshal(text, (*plain)(s))
}

// misfit finds a value for which Claude Code would drop the file, or returns nil.
func misfit(text []byte, root *jsontext.Node) *jsontext.Error {
	known := map[string]*shape{}
	if err := json.Unmarshal(claudeSettings, &known); err != nil {
		return jsontext.ErrorAt(text, 0, err.Error()) // a test reads it
	}
	return (&shape{Object: known}).misfit(text, root, "the document")
}

func (s *shape) misfit(text []byte, n *jsontext.Node, name string) *jsontext.Error {
	wrong := jsontext.ErrorAt(text, n.Start, fmt.Sprintf("%s is not %s, so Claude Code may ignore the whole file", name, s))
	switch {
	case len(s.Any) > 0:
		for _, one := range s.Any {
			if one.misfit(text, n, name) == nil {
				return nil
			}
		}
		return wrong
	case s.List != nil:
		if !n.IsArray(text) {
			return wrong
		}
		return s.List.misfits(text, n, name)
	case s.Map != nil:
		if !n.IsObject(text) {
			return wrong
		}
		return s.Map.misfits(text, n, name)
	case s.Object != nil:
		if !n.IsObject(text) || slices.ContainsFunc(s.Need, func(key string) bool { return n.Index(key) < 0 }) {
			return wrong
		}
		return s.members(text, n)
	case !s.fits(n.Raw(text)):
		return wrong
	}
	return nil
}

// misfits looks at every member of a list or map.
func (s *shape) misfits(text []byte, n *jsontext.Node, name string) *jsontext.Error {
	for _, m := range n.Members {
		if err := s.misfit(text, m.Value, name+"."+m.Key); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) members(text []byte, n *jsontext.Node) *jsontext.Error {
	for _, m := range n.Members {
		if known := s.Object[m.Key]; known != nil {
			if err := known.misfit(text, m.Value, m.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits reports whether a value that is no container is of the kind. No number
// that a client takes is negative.
func (s *shape) fits(raw []byte) bool {
	switch {
	case s.Kind == "unknown":
		return true
	case s.Kind == "number":
		return raw[0] >= '0' && raw[0] <= '9'
	case s.Kind == "fraction":
		part, isNumber := decoded(raw).(float64)
		return isNumber && part >= 0 && part <= 1
	case s.Kind == "boolean":
		return string(raw) == "true" || string(raw) == "false"
	}
	text, isText := decoded(raw).(string)
	return isText && (s.Kind == "string" || slices.Contains(s.Enum, text))
}

// String names the form in an error.
func (s *shape) String() string {
	switch {
	case len(s.Enum) > 0:
		return "one of " + strings.Join(s.Enum, ", ")
	case s.List != nil:
		return "a list"
	case s.Kind != "":
		return "a " + s.Kind
	case len(s.Any) > 0:
		return "of a form that it knows"
	case len(s.Need) > 0:
		return "an object with " + strings.Join(s.Need, " and ")
	}
	return "an object"
}
