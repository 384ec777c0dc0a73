package install

import (
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"gatewright/install/jsontext"
)

// claudeSettings is what Claude Code 2.1.332 takes in a settings file, hooks
// aside, by its published typings and by trial. It drops a whole file, our
// handlers with it, for one value of a wrong form.
//
//go:embed claude_settings.json
var claudeSettings []byte

// shape is the form of a JSON value: one of Kind, Enum, List, Map, Object or Any.
// Kinds are string, address (a URL), number, integer, positive (an integer), seconds
// (above 0), fraction, boolean, null, unknown (anything goes) and doubt (we cannot tell).
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

// doubt is a member of a settings file for which Claude Code may drop the file.
type doubt struct {
	file string
	id   string // of this very value in this file
	why  string
	soft bool // it may as well be fine: it is we who do not know
}

// doubts lists the members that are not of a form that we know the client takes.
// It validates more keys than it documents, so an unknown one is a doubt too.
func doubts(path string, text []byte, root *jsontext.Node) []doubt {
	known := map[string]*shape{"hooks": {Kind: "unknown"}, "disableAllHooks": {Kind: "boolean"}}
	if err := json.Unmarshal(claudeSettings, &known); err != nil {
		return []doubt{{why: err.Error()}} // a test reads it
	}
	var list []doubt
	for _, m := range root.Members {
		s, soft := known[m.Key], false
		var err error
		if bad := s.misfit(text, m.Value, m.Key); bad != nil {
			err = settingsError(text, bad.at, "%s is not %s, so the client may ignore the whole file", bad.name, bad.want)
		} else if soft = s.isDoubtful(text, m.Value); soft {
			err = jsontext.ErrorAt(text, m.Start, m.Key+" is one that gatewright cannot judge, so the client may ignore the whole file")
		}
		if err != nil {
			sum := sha256.Sum256(m.Value.Raw(text))
			list = append(list, doubt{path, fmt.Sprintf("%s %q %x", path, m.Key, sum[:8]), path + ":" + err.Error(), soft})
		}
	}
	return list
}

// Ignored says for which values Claude Code certainly ignores a file.
func Ignored(f *File) []string {
	root, text := rootOf(f.Text)
	var why []string
	for _, d := range doubts(f.Path, text, root) {
		if !d.soft {
			why = append(why, d.why)
		}
	}
	return why
}

// isDoubtful reports a value that holds something of a form that we do not know. A nil
// shape is that of a key that we do not know.
func (s *shape) isDoubtful(text []byte, n *jsontext.Node) bool {
	if s == nil || s.Kind == "doubt" {
		return true
	}
	return slices.ContainsFunc(n.Members, func(m jsontext.Member) bool {
		switch {
		case s.List != nil:
			return s.List.isDoubtful(text, m.Value)
		case s.Map != nil:
			return s.Map.isDoubtful(text, m.Value)
		case s.Object[m.Key] != nil:
			return s.Object[m.Key].isDoubtful(text, m.Value)
		}
		return false
	})
}

// wrong is a value that is not of a form. It is made into an error where it is told:
// to find a place's line takes as long as the file is large.
type wrong struct {
	at   *jsontext.Node
	name string
	want *shape
}

func (s *shape) misfit(text []byte, n *jsontext.Node, name string) *wrong {
	if s == nil || s.Kind == "doubt" {
		return nil
	}
	bad := &wrong{n, name, s}
	switch {
	case len(s.Any) > 0:
		for _, one := range s.Any {
			if one.misfit(text, n, name) == nil {
				return nil
			}
		}
		return bad
	case s.List != nil:
		if !n.IsArray(text) {
			return bad
		}
		return s.List.misfits(text, n, name)
	case s.Map != nil:
		if !n.IsObject(text) {
			return bad
		}
		return s.Map.misfits(text, n, name)
	case s.Object != nil:
		if !n.IsObject(text) || slices.ContainsFunc(s.Need, func(key string) bool { return n.Index(key) < 0 }) {
			return bad
		}
		return s.members(text, n)
	case !s.fits(n.Raw(text)):
		return bad
	}
	return nil
}

// misfits looks at every member of a list or map.
func (s *shape) misfits(text []byte, n *jsontext.Node, name string) *wrong {
	for _, m := range n.Members {
		if bad := s.misfit(text, m.Value, name+"."+m.Key); bad != nil {
			return bad
		}
	}
	return nil
}

func (s *shape) members(text []byte, n *jsontext.Node) *wrong {
	for _, m := range n.Members {
		if known := s.Object[m.Key]; known != nil {
			if bad := known.misfit(text, m.Value, m.Key); bad != nil {
				return bad
			}
		}
	}
	return nil
}

// fits reports whether a value that is no container is of the kind.
func (s *shape) fits(raw []byte) bool {
	switch v := decoded(raw).(type) {
	case string:
		return s.Kind == "address" && isAddress(v) || s.Kind == "string" || s.Kind == "unknown" || slices.Contains(s.Enum, v)
	case bool:
		return s.Kind == "boolean" || s.Kind == "unknown"
	case float64:
		return s.fitsNumber(v)
	case nil: // null, or something with a number that is too large to be one
		return string(raw) == "null" && (s.Kind == "unknown" || s.Kind == "null")
	}
	return s.Kind == "unknown"
}

// largest is the largest whole number that the client takes: from there on its numbers
// are no longer exact.
const largest = 1<<53 - 1

// fitsNumber knows the numbers that are not too large to be one: 1e400 is not.
func (s *shape) fitsNumber(v float64) bool {
	switch whole := v == math.Trunc(v) && math.Abs(v) <= largest; s.Kind {
	case "number", "unknown":
		return true
	case "integer":
		return whole
	case "positive":
		return whole && v > 0
	case "fraction":
		return v > 0 && v <= 1
	case "seconds":
		return v > 0
	}
	return false
}

// isAddress reports an absolute URL.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme != "" && (u.Host != "" || u.Opaque != "")
}

// String names the form in an error.
func (s *shape) String() string {
	switch {
	case len(s.Enum) > 0:
		return "one of " + strings.Join(s.Enum, ", ")
	case s.List != nil:
		return "a list"
	case s.Kind == "positive":
		return "a positive whole number, or too large"
	case s.Kind == "seconds":
		return "a number above 0"
	case s.Kind == "address":
		return "an address"
	case s.Kind != "":
		return "a " + s.Kind
	case len(s.Any) > 0:
		return "of a form that it knows"
	case len(s.Need) > 0:
		return "an object with " + strings.Join(s.Need, " and ")
	}
	return "an object"
}
