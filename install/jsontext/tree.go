// Package jsontext changes JSON text in place. Every byte that it is not asked
// to change stays, and what Append did Remove takes back.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Node is a value in a text: text[Start:End].
type Node struct {
	Start, End int
	Members    []Member // of an object or array, in order
}

// Member is one member of an object or element of an array. In an object Start
// is where its key begins.
type Member struct {
	Key   string
	Start int
	Value *Node
}

// Error is a place in a text and what is wrong there. Lines and columns count
// from 1, columns in characters.
type Error struct {
	Line, Column int
	Text         string // the line, or what of a long one is around the place
	Message      string
}

func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message) }

// ErrorAt is an Error at an offset of the text.
func ErrorAt(text []byte, offset int, message string) *Error {
	before := text[:min(max(offset, 0), len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return &Error{
		Line:    bytes.Count(before, []byte("\n")) + 1,
		Column:  utf8.RuneCount(before[start:]) + 1,
		Text:    around(strings.TrimRight(string(line), "\r"), len(before)-start),
		Message: message,
	}
}

// around is what of a line is shown, in bytes before and behind a place in it.
func around(line string, at int) string {
	const shown = 60
	from, to := max(at-shown, 0), min(at+shown, len(line))
	text := strings.ToValidUTF8(line[min(from, to):to], "")
	text = strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return utf8.RuneError // a terminal might obey it
	}, text)
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// Parse reads a text that holds one JSON value. The error is an *Error.
func Parse(text []byte) (*Node, error) {
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); err != nil {
		return nil, syntaxError(text, err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	p := &parser{text, dec}
	return p.value(), nil
}

func syntaxError(text []byte, err error) error {
	offset := len(text)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && int(syntax.Offset) > 0 && !strings.Contains(err.Error(), "unexpected end") {
		offset = int(syntax.Offset) - 1
	}
	return ErrorAt(text, offset, err.Error())
}

// parser walks a text that is known to be valid.
type parser struct {
	text []byte
	dec  *json.Decoder
}

// token gives the next token and where it begins.
func (p *parser) token() (json.Token, int) {
	start := int(p.dec.InputOffset())
	for start < len(p.text) && strings.IndexByte(" \t\r\n,:", p.text[start]) >= 0 {
		start++
	}
	token, _ := p.dec.Token()
	return token, start
}

func (p *parser) value() *Node {
	token, start := p.token()
	n := &Node{Start: start}
	if delim, ok := token.(json.Delim); ok {
		for p.dec.More() {
			n.Members = append(n.Members, p.member(delim == '{'))
		}
		p.token()
	}
	n.End = int(p.dec.InputOffset())
	return n
}

func (p *parser) member(keyed bool) Member {
	if !keyed {
		v := p.value()
		return Member{Start: v.Start, Value: v}
	}
	key, start := p.token()
	return Member{Key: key.(string), Start: start, Value: p.value()}
}

// IsObject and IsArray tell the containers.
func (n *Node) IsObject(text []byte) bool { return text[n.Start] == '{' }

// IsArray reports whether the value is an array.
func (n *Node) IsArray(text []byte) bool { return text[n.Start] == '[' }

// Raw is the value's text.
func (n *Node) Raw(text []byte) []byte { return text[n.Start:n.End] }

// Index finds the member of that name; -1 if there is none. Of several the last
// counts, as it does for the clients.
func (n *Node) Index(key string) int {
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return i
		}
	}
	return -1
}
