package tomltext

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Owner is who writes something into a text: it marks what it wrote.
type Owner string

func (o Owner) begin() string { return "# " + string(o) + ": begin" }
func (o Owner) end() string   { return "# " + string(o) + ": end" }

// Mark ends a line that AddLine made.
func (o Owner) Mark() string { return " # " + string(o) }

// AddBlock puts lines at the end of a text, between two that name the owner. A nil
// text is a file that is not there.
func (o Owner) AddBlock(text []byte, lines string) []byte {
	eol := eolOf(text)
	block := o.begin() + "\n" + strings.TrimSuffix(lines, "\n") + "\n" + o.end()
	block = strings.ReplaceAll(block, "\n", eol)
	if text != nil && len(text) == 0 {
		return []byte(block) // not closed: so CutBlock knows that there was a file
	}
	return insertLine(text, len(text), block)
}

// CutBlock takes back what AddBlock did, and gives the lines; they are empty if
// there are none. The text is nil if nothing is left of a file that AddBlock made.
func (o Owner) CutBlock(text []byte) (rest []byte, lines string, err error) {
	from, inside, found := findLine(text, 0, o.begin())
	if !found {
		return text, "", nil
	}
	until, to, closed := findLine(text, inside, o.end())
	if !closed {
		return nil, "", fmt.Errorf("there is a line %q and no line %q after it", o.begin(), o.end())
	}
	lines = string(text[inside:until])
	if from == 0 && to == len(text) && text[to-1] == '\n' {
		return nil, lines, nil
	}
	return append([]byte{}, cutLine(text, from, to)...), lines, nil
}

// findLine finds a line from an offset on: where it begins and where the next does.
func findLine(text []byte, at int, line string) (from, to int, found bool) {
	for l := range bytes.Lines(text[at:]) {
		if string(bytes.TrimRight(bytes.TrimPrefix(l, []byte("\xef\xbb\xbf")), "\r\n")) == line {
			return at + len(l) - len(bytes.TrimPrefix(l, []byte("\xef\xbb\xbf"))), at + len(l), true
		}
		at += len(l)
	}
	return 0, 0, false
}

// AddLine puts a line first into a table, or first into the text if table is empty.
// It fails with ErrHarm if the table has no header of its own.
func (o Owner) AddLine(text []byte, table, line string) ([]byte, error) {
	line += o.Mark()
	if table == "" {
		bom := len(text) - len(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
		return slices.Concat(text[:bom], []byte(line+eolOf(text)), text[bom:]), nil
	}
	at := headerOf(text, table)
	if at < 0 {
		return nil, fmt.Errorf("[%s]: %w", table, ErrHarm)
	}
	return insertLine(text, at, line), nil
}

// CutLines takes back what AddLine did.
func (o Owner) CutLines(text []byte) []byte {
	for {
		from, to, found := o.markedLine(text)
		if !found {
			return text
		}
		text = cutLine(text, from, to)
	}
}

func (o Owner) markedLine(text []byte) (from, to int, found bool) {
	at := len(text) - len(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	for l := range bytes.Lines(text[at:]) {
		line, marked := strings.CutSuffix(strings.TrimRight(string(l), "\r\n"), o.Mark())
		if marked && !strings.Contains(line, "#") { // not a comment of somebody's
			return at, at + len(l), true
		}
		at += len(l)
	}
	return 0, 0, false
}

// headerOf is the offset of the line after a table's header, or -1.
func headerOf(text []byte, table string) int {
	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		name, _, _ := strings.Cut(strings.TrimPrefix(string(line), "\ufeff"), "#")
		name, opens := strings.CutPrefix(strings.TrimSpace(name), "[")
		name, closes := strings.CutSuffix(name, "]")
		if opens && closes && slices.Contains([]string{table, `"` + table + `"`, "'" + table + "'"}, strings.TrimSpace(name)) {
			return at
		}
	}
	return -1
}
