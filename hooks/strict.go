package hooks

import (
	"encoding/json"
	"errors"
	"unicode/utf8"
)

// MaxDepth is how deep JSON may nest. It is checked before anything recursive
// reads the input.
const MaxDepth = 512

// Why Strict refuses a text.
var (
	ErrUTF8      = errors.New("not valid UTF-8")
	ErrDepth     = errors.New("nested too deeply")
	ErrGrammar   = errors.New("not one complete JSON value")
	ErrDuplicate = errors.New("the same key twice in one object")
)

// Strict reports whether text is one JSON value (RFC 8259) that every parser
// reads the same way: valid UTF-8, at most MaxDepth deep, and no object with
// two members of one name, however the names are escaped.
func Strict(text []byte) error {
	if !utf8.Valid(text) {
		return ErrUTF8
	}
	if tooDeep(text) {
		return ErrDepth
	}
	if !json.Valid(text) {
		return ErrGrammar
	}
	return uniqueKeys(text)
}

// tooDeep counts brackets outside strings, without recursion.
func tooDeep(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i)
		case '{', '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringEnd returns the index of the quote that closes the string that opens
// at i, or the text's length.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}

// uniqueKeys walks a valid text once. Each open container has a keySet; arrays
// have one that is never used.
func uniqueKeys(text []byte) error {
	var open []keySet
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open = append(open, keySet{object: true, wantKey: true})
		case '[':
			open = append(open, keySet{})
		case '}', ']':
			open = open[:len(open)-1]
		case ',':
			open[len(open)-1].wantKey = open[len(open)-1].object
		case '"':
			end := stringEnd(text, i)
			if n := len(open); n > 0 && open[n-1].wantKey && !open[n-1].add(text[i:end+1]) {
				return ErrDuplicate
			}
			i = end
		}
	}
	return nil
}

// keySet holds the member names of one object: a short list, because almost
// every object is small, and a map beyond that.
type keySet struct {
	object  bool
	wantKey bool
	few     []string
	many    map[string]struct{}
}

const fewKeys = 16

// add takes a quoted name and reports whether it is new.
func (s *keySet) add(quoted []byte) bool {
	s.wantKey = false
	name := decodeKey(quoted)
	if s.many != nil {
		n := len(s.many)
		s.many[name] = struct{}{}
		return len(s.many) > n
	}
	for _, k := range s.few {
		if k == name {
			return false
		}
	}
	if s.few = append(s.few, name); len(s.few) > fewKeys {
		s.many = make(map[string]struct{}, 4*fewKeys)
		for _, k := range s.few {
			s.many[k] = struct{}{}
		}
	}
	return true
}

func decodeKey(quoted []byte) string {
	plain := quoted[1 : len(quoted)-1]
	for _, c := range plain {
		if c == '\\' {
			var name string
			// The text is valid JSON, so this cannot fail; were it to, the raw
			// spelling still is a name.
			if json.Unmarshal(quoted, &name) == nil {
				return name
			}
		}
	}
	return string(plain)
}
