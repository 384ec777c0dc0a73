package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// file is a policy file while it is read.
type file struct {
	layer          *Layer
	lines          []string
	problems       Problems
	lint, warnings Problems
}

func (f *file) at(line int, message, hint string) Problem {
	text := ""
	if line > 0 && line <= len(f.lines) {
		text = f.lines[line-1]
	}
	return Problem{f.layer.File, line, text, message, hint}
}

func (f *file) add(line int, message, hint string) {
	f.problems = append(f.problems, f.at(line, message, hint))
}

// Parse reads the text of one policy file as a layer. A non-nil error is
// Problems with every problem found, and the layer is then nil.
func Parse(layer, path string, text []byte) (*Layer, error) {
	s := strings.TrimPrefix(string(text), "\ufeff")
	f := &file{
		layer: &Layer{Name: layer, File: path, Text: text, real: realPath(path)},
		lines: strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n"),
	}
	values := map[string]any{}
	if _, err := toml.Decode(s, &values); err != nil {
		f.addSyntax(s, err)
		return nil, f.problems
	}
	f.read(values)
	if len(f.problems) > 0 {
		slices.SortStableFunc(f.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		return nil, f.problems
	}
	f.layer.Lint, f.layer.Warnings = f.lint, f.warnings
	return f.layer, nil
}

// addSyntax names the line by the error's offset: the line that the decoder
// names is one too far if it stumbled over the end of a line.
func (f *file) addSyntax(text string, err error) {
	var parse toml.ParseError
	if !errors.As(err, &parse) {
		f.add(0, "not TOML: "+err.Error(), "")
		return
	}
	message := parse.Message
	if message == "" {
		message = strings.TrimPrefix(parse.Error(), "toml: ")
	}
	line := 1 + strings.Count(text[:min(max(parse.Position.Start, 0), len(text))], "\n")
	f.add(line, "not TOML: "+message, "fix the syntax of this line")
}

// read goes through the root table. Facts come before what refers to them.
func (f *file) read(values map[string]any) {
	marks := marksOf(f.lines)
	root := &table{f, "", marks[0], "", values, map[string]bool{}}
	f.readVersion(root)
	f.layer.DefaultDeny = root.word("default", "allow", "deny") == "deny"
	f.layer.DefaultLine = root.mark.lineOf("default")

	l := f.layer
	l.Tools = readAll(root, marks, "tool", readTool)
	l.Facts = readAll(root, marks, "fact", readFact)
	l.Gates = readAll(root, marks, "gate", readGate)
	l.Limits = readAll(root, marks, "limit", readLimit)
	l.Rules = readAll(root, marks, "rule", readRule)
	root.finish()
	f.checkIDs()
	for _, m := range marks {
		for _, line := range m.extended {
			f.add(line, "this adds to a table that is complete in braces", "write it inside the braces")
		}
	}
}

func (f *file) readVersion(root *table) {
	v, ok := root.value("version")
	if n, isInt := v.(int64); !ok || !isInt || n != Version {
		root.problem("version", fmt.Sprintf("version must be %d", Version),
			fmt.Sprintf("begin the file with version = %d", Version))
	}
}

// readAll reads every [[kind]] of the file, each with its place.
func readAll[T any](root *table, marks []mark, kind string, read func(*table) T) []T {
	if !root.has(kind) {
		root.asked[kind] = true
		return nil
	}
	places := placesOf(marks, kind)
	var out []T
	for i, t := range root.subs(kind) {
		t.path = ""
		t.mark = mark{table: kind, line: root.mark.lineOf(kind)}
		if i < len(places) {
			t.mark = places[i]
		}
		out = append(out, read(t))
		t.finish()
	}
	return out
}

func placesOf(marks []mark, kind string) []mark {
	var out []mark
	for _, m := range marks {
		if m.table == kind {
			out = append(out, m)
		}
	}
	return out
}

// source reads the id that every table but [[tool]] has.
func (t *table) source() Source {
	t.need("id")
	id := t.text("id")
	if !PrintableASCII(id) || strings.ContainsAny(id, "\"'`") {
		t.problem("id", "an id is made of printable ASCII without quotes", "rename it, for example "+t.kind+"-1")
	}
	return Source{t.file.layer.Name, id, t.file.layer.File, t.mark.line}
}

// checkIDs: a finding is known by its rule id alone, so no two tables may share
// one.
func (f *file) checkIDs() {
	var all []Source
	for _, x := range f.layer.Facts {
		all = append(all, x.Source)
	}
	for _, x := range f.layer.Gates {
		all = append(all, x.Source)
	}
	for _, x := range f.layer.Limits {
		all = append(all, x.Source)
	}
	for _, x := range f.layer.Rules {
		all = append(all, x.Source)
	}
	lines := map[string]int{}
	for _, s := range all {
		if first, taken := lines[s.ID]; taken && s.ID != "" {
			f.add(s.Line, fmt.Sprintf("the id %q is used twice", s.ID), fmt.Sprintf("line %d has it already", first))
		}
		lines[s.ID] = s.Line
	}
}
