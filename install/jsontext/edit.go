package jsontext

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Append adds value, which is compact JSON, at the end of the array that the
// keys lead to. What is missing on the way is made. A nil text is a file that is
// not there. The result is laid out as its surroundings are.
//
// An empty container that is filled keeps its inner space and gets one blank
// before it; one that takes the place of null ends with a tab; one that is new
// ends with neither. That is how Remove knows what was there.
func Append(text []byte, keys []string, value []byte) ([]byte, error) {
	if text == nil {
		return append(indented(wrap(keys, value), layout{unit: "  ", eol: "\n"}), '\n'), nil
	}
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	chain := []*Node{root}
	for depth, key := range keys {
		n := chain[depth]
		if !n.IsObject(text) {
			return nil, ErrorAt(text, n.Start, place(keys[:depth])+" is not an object")
		}
		i := n.Index(key)
		if i < 0 {
			return insert(text, chain, key, wrap(keys[depth+1:], value)), nil
		}
		next := n.Members[i].Value
		if string(next.Raw(text)) == "null" {
			return overNull(text, append(chain, next), wrap(keys[depth+1:], value)), nil
		}
		chain = append(chain, next)
	}
	if last := chain[len(chain)-1]; !last.IsArray(text) {
		return nil, ErrorAt(text, last.Start, place(keys)+" is not an array")
	}
	return insert(text, chain, "", value), nil
}

// Put adds a member to the object that the text is, which must not have it. Remove
// takes it back.
func Put(text []byte, key string, value []byte) ([]byte, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if !root.IsObject(text) {
		return nil, ErrorAt(text, root.Start, "the document is not an object")
	}
	return insert(text, []*Node{root}, key, value), nil
}

func place(keys []string) string {
	if len(keys) == 0 {
		return "the document"
	}
	return strings.Join(keys, ".")
}

// wrap puts a value into an array below the keys.
func wrap(keys []string, value []byte) []byte {
	value = slices.Concat([]byte("["), value, []byte("]"))
	for _, key := range slices.Backward(keys) {
		value = slices.Concat([]byte("{"), quoted(key), []byte(":"), value, []byte("}"))
	}
	return value
}

func quoted(key string) []byte {
	text, _ := json.Marshal(key) // a string never fails
	return text
}

// insert adds a member to the last container of the chain.
func insert(text []byte, chain []*Node, key string, value []byte) []byte {
	n := chain[len(chain)-1]
	l := layoutOf(text, chain)
	member := l.member(key, value)
	if len(n.Members) > 0 {
		end := n.Members[len(n.Members)-1].Value.End
		return slices.Concat(text[:end], []byte(","), member, text[end:])
	}
	return slices.Concat(text[:n.Start+1], member, []byte(" "), text[n.Start+1:])
}

// overNull puts a container in the place of the null that ends the chain.
func overNull(text []byte, chain []*Node, container []byte) []byte {
	n := chain[len(chain)-1]
	l := layoutOf(text, chain)
	l.indent = indentOfLine(text, n.Start)
	if !l.inline {
		container = indented(container, l)
	}
	last := len(container) - 1
	inner := bytes.TrimRight(container[:last], " \t\r\n")
	return slices.Concat(text[:n.Start], inner, []byte("\t"), container[last:], text[n.End:])
}

// layout is how the members of a container are set.
type layout struct {
	inline bool   // on one line with the container
	gap    string // inline: before a member
	indent string // otherwise
	unit   string
	eol    string
}

// layoutOf follows the container's last member, or the container itself if it is
// empty.
func layoutOf(text []byte, chain []*Node) layout {
	l := layout{unit: unitOf(text, chain[0]), eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		l.eol = "\r\n"
	}
	n := chain[len(chain)-1]
	if len(n.Members) > 0 {
		gap := spaceBefore(text, n.Members[len(n.Members)-1].Start)
		if l.inline = !strings.Contains(gap, "\n"); l.inline {
			l.gap = gap
		} else {
			l.indent = gap[strings.LastIndexByte(gap, '\n')+1:]
		}
		return l
	}
	l.inline = len(chain) > 1 && isInline(text, chain[len(chain)-2])
	l.indent = indentOfLine(text, n.Start) + l.unit
	return l
}

// isInline reports a container whose members share its line.
func isInline(text []byte, n *Node) bool {
	return len(n.Members) > 0 && !strings.Contains(spaceBefore(text, n.Members[0].Start), "\n")
}

// unitOf is the indentation of the document's first member.
func unitOf(text []byte, root *Node) string {
	if len(root.Members) > 0 {
		gap := spaceBefore(text, root.Members[0].Start)
		if i := strings.LastIndexByte(gap, '\n'); i >= 0 && i+1 < len(gap) {
			return gap[i+1:]
		}
	}
	return "  "
}

// spaceBefore is the white space that ends at offset.
func spaceBefore(text []byte, offset int) string {
	start := offset
	for start > 0 && isSpace(text[start-1]) {
		start--
	}
	return string(text[start:offset])
}

// indentOfLine is the white space that begins the line of offset.
func indentOfLine(text []byte, offset int) string {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := start
	for end < offset && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[start:end])
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// member sets a member with the space before it.
func (l layout) member(key string, value []byte) []byte {
	var out []byte
	if l.inline {
		out = append(out, l.gap...)
	} else {
		out = append(out, l.eol+l.indent...)
		value = indented(value, l)
	}
	if key != "" {
		out = append(append(out, quoted(key)...), ':')
		if !l.inline || l.gap != "" {
			out = append(out, ' ')
		}
	}
	return append(out, value...)
}

func indented(value []byte, l layout) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, value, l.indent, l.unit); err != nil {
		return value
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(l.eol))
}

// Remove takes away the member that the path leads to (keys and indexes), and
// every container around it that Append made for it and that is empty now. The
// result is nil if nothing is left. The path must exist.
func Remove(text []byte, path ...any) ([]byte, error) {
	root, err := Parse(text)
	if err != nil {
		return nil, err
	}
	chain, at := follow(root, path)
	for depth, n := range slices.Backward(chain) {
		if i := at[depth]; len(n.Members) > 1 {
			return cut(text, n, i), nil
		}
		after := text[n.Members[0].Value.End : n.End-1]
		if inner, was := bytes.CutPrefix(after, []byte(" ")); was {
			return slices.Concat(text[:n.Start+1], inner, text[n.End-1:]), nil
		}
		if bytes.HasPrefix(after, []byte("\t")) {
			return slices.Concat(text[:n.Start], []byte("null"), text[n.End:]), nil
		}
	}
	return nil, nil
}

// follow gives the containers along a path and the member taken in each.
func follow(n *Node, path []any) (chain []*Node, at []int) {
	for _, step := range path {
		i, isIndex := step.(int)
		if !isIndex {
			i = n.Index(step.(string))
		}
		chain, at = append(chain, n), append(at, i)
		n = n.Members[i].Value
	}
	return chain, at
}

// cut takes one of several members away with one comma.
func cut(text []byte, n *Node, i int) []byte {
	from, to := n.Members[0].Start, n.Members[1].Start
	if i > 0 {
		from, to = n.Members[i-1].Value.End, n.Members[i].Value.End
	}
	return slices.Concat(text[:from], text[to:])
}
