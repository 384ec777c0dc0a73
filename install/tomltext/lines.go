package tomltext

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// header is the offset of the line after the table's header, or -1. A line inside
// a text of several lines can look like one; change notices that.
func (p Place) header(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		at += len(line)
		if p.isHeader(string(line)) {
			return at
		}
	}
	return -1
}

func (p Place) isHeader(line string) bool {
	key := func(k string) string {
		return `(?:` + regexp.QuoteMeta(k) + `|"` + regexp.QuoteMeta(k) + `"|'` + regexp.QuoteMeta(k) + `')`
	}
	pattern := `^\s*\[\s*` + key(p.Parent) + `\s*\.\s*` + key(p.Table) + `\s*\]\s*(#.*)?$`
	return regexp.MustCompile(pattern).MatchString(strings.TrimRight(strings.TrimPrefix(line, "\ufeff"), "\r\n"))
}

// find is the offset behind the [ of the list, or -1.
func (p Place) find(text []byte) int {
	at := p.header(text)
	if at < 0 {
		return -1
	}
	key := regexp.MustCompile(`^\s*(?:` + p.Key + `|"` + p.Key + `"|'` + p.Key + `')\s*=\s*\[`)
	for line := range bytes.Lines(text[at:]) {
		if found := key.FindIndex(line); found != nil {
			return at + found[1]
		}
		if bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			return -1 // the next table
		}
		at += len(line)
	}
	return -1
}

func eolOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// insertLine puts a line at the offset at which one begins. At the end of a text
// whose last line is not closed, the new one is not closed either.
func insertLine(text []byte, at int, line string) []byte {
	eol := eolOf(text)
	if at > 0 && text[at-1] != '\n' {
		return slices.Concat(text[:at], []byte(eol+line), text[at:])
	}
	return slices.Concat(text[:at], []byte(line+eol), text[at:])
}

// cutLine takes back what insertLine did.
func cutLine(text []byte, from, to int) []byte {
	if to == len(text) && from > 0 && text[to-1] != '\n' {
		before := bytes.TrimSuffix(bytes.TrimSuffix(text[:from], []byte("\n")), []byte("\r"))
		return slices.Clone(before)
	}
	return slices.Concat(text[:from], text[to:])
}

// made gives the line that holds an offset, and whether Add made it.
func made(text []byte, at int) (from, to int, ours bool) {
	from, to = bytes.LastIndexByte(text[:at], '\n')+1, len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i + 1
	}
	line, marked := bytes.CutSuffix(bytes.TrimRight(text[from:to], "\r\n"), []byte(mark))
	return from, to, marked && bytes.HasSuffix(bytes.TrimRight(line, " "), []byte("]")) // and no comment of somebody's
}

// stretch is a part of a text.
type stretch struct{ from, to int }

// places lists where an item may be written behind an offset.
func places(text []byte, open int, item string) []stretch {
	var list []stretch
	for _, form := range []string{strconv.Quote(item), "'" + item + "'"} {
		for at := open; ; {
			i := bytes.Index(text[at:], []byte(form))
			if i < 0 {
				break
			}
			list = append(list, stretch{at + i, at + i + len(form)})
			at += i + len(form)
		}
	}
	return list
}

// cutItem takes one item, with the comma behind it or else the one before, out of
// a list.
func cutItem(text []byte, from, to int) []byte {
	if rest, comma := bytes.CutPrefix(text[to:], []byte(",")); comma {
		to = len(text) - len(bytes.TrimPrefix(rest, []byte(" ")))
		return slices.Concat(text[:from], text[to:])
	}
	before := bytes.TrimRight(text[:from], " ")
	if bytes.HasSuffix(before, []byte(",")) {
		from = len(before) - 1
	}
	return slices.Concat(text[:from], text[to:])
}
