package install

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"gatewright/hooks"
	"gatewright/install/tomltext"
)

// Codex takes an administrator's hooks from its requirements.toml, trusts them
// without being asked, and lets nobody switch them off if the same file says that
// the feature is on.

// requirementsOwner marks what we write there.
const requirementsOwner tomltext.Owner = "gatewright install"

// Keys of requirements.toml.
const (
	featuresTable = "features"
	hooksKey      = "hooks"
)

// registerRequirements gives the text of a requirements.toml in which every event
// calls us by this line, once, and hooks cannot be switched off. With only no other
// hooks run; without it what the file says of that stays.
func registerRequirements(text []byte, c hooks.Client, l Line, only bool) ([]byte, error) {
	before, err := readRequirements(text)
	if err != nil {
		return nil, err
	}
	if before.isRight(c, l) && (!only || before.top[codexOnly] == true) {
		return text, nil
	}
	only = only || strings.Contains(string(text), codexOnly+" = true"+requirementsOwner.Mark())
	if text, err = unregisterRequirements(text); err != nil {
		return nil, err
	}
	rest, err := readRequirements(text)
	if err != nil {
		return nil, err
	}
	if n := len(rest.ours()); n > 0 {
		return nil, fmt.Errorf("it has %d handlers of gatewright that install did not write, the first for %s: take them out and run this again", n, rest.ours()[0].event)
	}
	after, err := rest.add(text, c, l, only)
	if err != nil {
		return nil, err
	}
	return after, rest.proveAdded(after, c, l)
}

// add writes what is missing. The line that goes first is added last, and an empty
// file thereby told from none.
func (r requirements) add(text []byte, c hooks.Client, l Line, only bool) ([]byte, error) {
	block := handlerTables(c, l)
	if r.hasBraces(text, c) {
		return nil, errBraces
	}
	features, isTable := r.top[featuresTable].(map[string]any)
	switch {
	case r.top[featuresTable] != nil && !isTable:
		return nil, fmt.Errorf("%s is not a table", featuresTable)
	case features[hooksKey] == true:
	case features[hooksKey] != nil:
		return nil, errors.New("it switches hooks off ([features] hooks is not true), so that nothing of ours would run: change that and run this again")
	case features != nil:
		var err error
		if text, err = requirementsOwner.AddLine(text, featuresTable, hooksKey+" = true"); err != nil {
			return nil, errBraces
		}
	default:
		block = "[" + featuresTable + "]\n" + hooksKey + " = true\n" + block
	}
	text = requirementsOwner.AddBlock(text, block)
	switch {
	case !only || r.top[codexOnly] == true:
		return text, nil
	case r.top[codexOnly] != nil:
		return nil, fmt.Errorf("it says that %s is not true: change that and run this again", codexOnly)
	}
	return requirementsOwner.AddLine(text, "", codexOnly+" = true")
}

// hasBraces reports tables without a header of their own, which a header further
// down must not add to. The library that we read with would take that, Codex's not.
func (r requirements) hasBraces(text []byte, c hooks.Client) bool {
	if _, isTable := r.top[hooksKey].(map[string]any); r.top[hooksKey] != nil && !isTable {
		return true
	}
	var events []string
	for _, e := range c.Events {
		events = append(events, e.Event)
	}
	key := func(names ...string) string { return `(?m)^\s*["']?(?:` + strings.Join(names, "|") + `)["']?\s*` }
	tables := regexp.MustCompile(key(hooksKey, featuresTable) + `(?:\.|=\s*\{)`)
	return tables.Match(text) || regexp.MustCompile(key(events...)+`[.=]`).Match(text)
}

var errBraces = errors.New("its features or hooks are written in a form that cannot be added to without harm: give them tables with headers of their own, [features] and [[hooks.PreToolUse]], and run this again")

// handlerTables is our handlers as TOML. Text in JSON's form is text in TOML's.
func handlerTables(c hooks.Client, l Line) string {
	var out strings.Builder
	for _, r := range c.Events {
		h := handlerFor(c, r, l)
		fmt.Fprintf(&out, "[[hooks.%s]]\n[[hooks.%s.hooks]]\ntype = %q\ncommand = %s\ntimeout = %d\nstatusMessage = %q\n",
			r.Event, r.Event, h.Type, hooks.EncodeJSON(h.Command), h.Timeout, h.StatusMessage)
	}
	return out.String()
}

// unregisterRequirements takes back what registerRequirements wrote; nil if nothing
// is left of a file that it made.
func unregisterRequirements(text []byte) ([]byte, error) {
	before, err := readRequirements(text)
	if err != nil || text == nil {
		return text, err
	}
	rest, lines, err := requirementsOwner.CutBlock(requirementsOwner.CutLines(text))
	if err != nil {
		return nil, err
	}
	inside, err := readRequirements([]byte(lines))
	_, only := inside.top[codexOnly] // ours stands above them
	if left := inside.withoutOurs(); err != nil || only || len(left) > 0 || hasComment(lines) {
		return nil, fmt.Errorf("between the two lines that name %s somebody has written something else: move it out of there and run this again", requirementsOwner)
	}
	after, err := readRequirements(rest)
	if err != nil || !reflect.DeepEqual(after.withoutOurs(), before.withoutOurs()) {
		return nil, errors.New("what install wrote cannot be taken out without harm: take the lines that name gatewright out yourself")
	}
	return rest, nil
}

// hasComment reports a comment among lines, of which ours have # in quotes only.
func hasComment(lines string) bool {
	return regexp.MustCompile(`(?m)^\s*#|#[^"\n]*$`).MatchString(lines)
}

// requirements is a requirements.toml that is read.
type requirements struct{ top map[string]any }

func readRequirements(text []byte) (requirements, error) {
	top, err := tomltext.Decode(text)
	var place toml.ParseError
	if errors.As(err, &place) {
		return requirements{}, fmt.Errorf("%d:%d: %s", place.Position.Line, place.Position.Col, place.Message)
	}
	return requirements{top}, err
}

// handlers lists all that the file has, as those of a JSON file.
func (r requirements) handlers() []found {
	var list []found
	events, _ := r.top[hooksKey].(map[string]any)
	for event, groups := range events {
		groups, _ := groups.([]map[string]any)
		for i, group := range groups {
			matcher, _ := group["matcher"].(string)
			members, _ := group[hooksKey].([]map[string]any)
			for at, fields := range members {
				fields, _ := decoded(hooks.EncodeJSON(fields)).(map[string]any)
				list = append(list, found{event, i, at, len(members), matcher, false, fields})
			}
		}
	}
	return list
}

func (r requirements) ours() []found {
	return slices.DeleteFunc(r.handlers(), func(f found) bool { return !f.isOurs() })
}

func (r requirements) isRight(c hooks.Client, l Line) bool {
	features, _ := r.top[featuresTable].(map[string]any)
	return features[hooksKey] == true && isRegistered(r.handlers(), c, l)
}

// withoutOurs is the file without our handlers and without what we say beside them.
func (r requirements) withoutOurs() map[string]any {
	events, _ := r.top[hooksKey].(map[string]any)
	for event, groups := range events {
		groups, isGroups := groups.([]map[string]any)
		if !isGroups {
			continue
		}
		groups = slices.DeleteFunc(groups, func(group map[string]any) bool {
			members, _ := group[hooksKey].([]map[string]any)
			left := slices.DeleteFunc(slices.Clone(members), func(fields map[string]any) bool { return found{fields: fields}.isOurs() })
			group[hooksKey] = left
			return len(left) == 0 && len(members) > 0
		})
		if events[event] = groups; len(groups) == 0 {
			delete(events, event)
		}
	}
	features, _ := r.top[featuresTable].(map[string]any)
	if features[hooksKey] == true {
		delete(features, hooksKey)
	}
	for _, table := range []string{hooksKey, featuresTable} {
		if t, isTable := r.top[table].(map[string]any); isTable && len(t) == 0 {
			delete(r.top, table)
		}
	}
	delete(r.top, codexOnly)
	return r.top
}

// proveAdded reads the new text: it must say what we wanted and, beside that, what
// the old one said.
func (r requirements) proveAdded(text []byte, c hooks.Client, l Line) error {
	after, err := readRequirements(text)
	if err != nil || !after.isRight(c, l) || !reflect.DeepEqual(after.withoutOurs(), r.withoutOurs()) {
		return errBraces
	}
	return nil
}
