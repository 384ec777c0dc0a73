package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// file is a policy file while it is read.
type file struct {
	layer          *Layer
	path           string
	part           bool // of a policy.d
	fresh          bool // it was decoded from TOML
	root           *table
	marks          []mark
	lines          func() []string // of the file, for messages
	problems       Problems
	lint, warnings Problems
}

func (f *file) at(line int, message, hint string) Problem {
	text := ""
	if lines := f.lines(); line > 0 && line <= len(lines) {
		text = lines[line-1]
	}
	return Problem{File: f.path, Line: line, Text: text, Message: message, Hint: hint}
}

func (f *file) add(line int, message, hint string) {
	f.problems = append(f.problems, f.at(line, message, hint))
}

// Text is a policy file as it was read.
type Text struct {
	Path string
	Text []byte
}

// plain is the text without a byte order mark.
func (t Text) plain() string { return strings.TrimPrefix(string(t.Text), "\ufeff") }

// Parse reads the text of one policy file as a layer. A non-nil error is
// Problems with every problem found, and the layer is then nil.
func Parse(layer, path string, text []byte) (*Layer, error) {
	return parse(layer, nil, []Text{{path, text}}, Reading{})
}

// parse reads a layer's file and those that belong to it, below a broader layer.
// All facts and tools come before what refers to them.
func parse(name string, broader *Layer, texts []Text, how Reading) (*Layer, error) {
	l := &Layer{Name: name, File: texts[0].Path, real: realPath(texts[0].Path), broader: broader, parts: len(texts) > 1}
	var files []*file
	var problems Problems
	for i, text := range texts {
		f := open(l, text, i > 0, how)
		files = append(files, f)
		if len(f.problems) == 0 {
			f.readNouns()
		}
		if i == 0 {
			l.Text = slices.Clip(text.Text)
		} else {
			l.Text = append(l.Text, text.Text...)
		}
	}
	if l.partial && slices.ContainsFunc(files, func(f *file) bool { return f.fresh }) {
		how.Tool = "" // what is new is checked against all rules
		return parse(name, broader, texts, how)
	}
	for _, f := range files {
		if f.root != nil {
			f.readVerbs()
		}
	}
	files[0].checkIDs()
	files[0].checkClaims()
	if slices.ContainsFunc(files, func(f *file) bool { return len(f.problems) > 0 }) {
		addExpressions(files, l.Expressions()) // all that is wrong at once
	}
	for _, f := range files {
		slices.SortStableFunc(f.problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
		problems = append(problems, f.problems...)
		l.Lint, l.Warnings = append(l.Lint, f.lint...), append(l.Warnings, f.warnings...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	for i, f := range files {
		f.keep(texts[i], how)
	}
	return l, nil
}

func addExpressions(files []*file, problems Problems) {
	for _, p := range problems {
		for _, f := range files {
			if f.path == p.File {
				f.problems = append(f.problems, p)
			}
		}
	}
}

// open decodes a file. Its root is nil if that fails.
func open(l *Layer, text Text, part bool, how Reading) *file {
	f := &file{layer: l, path: text.Path, part: part, lines: sync.OnceValue(func() []string {
		return strings.Split(strings.ReplaceAll(text.plain(), "\r\n", "\n"), "\n")
	})}
	d, kept := how.kept(l.Name, text)
	if !kept {
		s := text.plain()
		d, f.fresh = content{values: map[string]any{}}, true
		if _, err := toml.Decode(s, &d.values); err != nil {
			f.addSyntax(s, err)
			return f
		}
		d.marks = marksOf(f.lines())
	}
	f.marks, l.partial = d.marks, l.partial || d.partial
	f.root = &table{f, "", f.marks[0], "", d.values, map[string]bool{}}
	return f
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

// readNouns reads what other tables refer to.
func (f *file) readNouns() {
	l, root := f.layer, f.root
	f.readVersion(root)
	if f.part && root.has("default") {
		root.problem("default", "default belongs into the policy file itself", "move it to "+l.File)
	}
	if deny := root.word("default", "allow", "deny") == "deny"; !f.part {
		l.DefaultDeny, l.DefaultLine = deny, root.mark.lineOf("default")
	}
	if root.has("self_protection") && l.Name != Managed {
		root.problem("self_protection", "self_protection is for an administrator to lift", "only the managed policy can say this")
	}
	l.Unprotected = l.Unprotected || root.word("self_protection", "on", "off") == "off"
	if zone := root.zone("timezone"); zone != nil {
		l.Zone = zone
	}
	l.Claims = append(l.Claims, readAll(root, f.marks, "claims", readClaims)...)
	l.Tools = append(l.Tools, readAll(root, f.marks, "tool", readTool)...)
	l.Facts = append(l.Facts, readAll(root, f.marks, "fact", readFact)...)
	l.Lookups = append(l.Lookups, readAll(root, f.marks, "lookup", readLookup)...)
}

// readVerbs reads the other tables.
func (f *file) readVerbs() {
	l, root, marks := f.layer, f.root, f.marks
	l.Gates = append(l.Gates, readAll(root, marks, "gate", readGate)...)
	l.Limits = append(l.Limits, readAll(root, marks, "limit", readLimit)...)
	l.Rules = append(l.Rules, readAll(root, marks, "rule", readRule)...)
	l.Requires = append(l.Requires, readAll(root, marks, "require", readRequire)...)
	l.Failures = append(l.Failures, readAll(root, marks, "error", readFailure)...)
	l.Normalizes = append(l.Normalizes, readAll(root, marks, "normalize", readNormalize)...)
	l.Retries = append(l.Retries, readAll(root, marks, "retry", readRetry)...)
	l.Intents = append(l.Intents, readAll(root, marks, "intent", readIntent)...)
	l.Dispatchers = append(l.Dispatchers, readAll(root, marks, "dispatcher", readDispatcher)...)
	l.Commands = append(l.Commands, readAll(root, marks, "command", readCommand)...)
	l.Shells = append(l.Shells, readAll(root, marks, "shell", readShell)...)
	l.Untrusted = append(l.Untrusted, readAll(root, marks, "untrusted", readUntrusted)...)
	root.finish()
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
