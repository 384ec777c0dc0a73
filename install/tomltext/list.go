// Package tomltext changes lists of texts in TOML files in place. Every byte that
// it is not asked to change stays, and what Add did Remove takes back.
package tomltext

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Lists reads key of every table below parent: for [mcp_servers.crm] it gives
// the list of "crm", nil if it has none.
func Lists(text []byte, parent, key string) (map[string][]string, error) {
	doc, err := Decode(text)
	if err != nil {
		return nil, err
	}
	lists := map[string][]string{}
	tables, _ := doc[parent].(map[string]any)
	for name, value := range tables {
		table, _ := value.(map[string]any)
		lists[name] = texts(table[key])
	}
	return lists, nil
}

// Decode reads a whole text, with or without a byte order mark.
func Decode(text []byte) (map[string]any, error) {
	doc := map[string]any{}
	_, err := toml.Decode(string(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))), &doc)
	return doc, err
}

func texts(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, item := range list {
		if s, isText := item.(string); isText {
			out = append(out, s)
		}
	}
	return out
}

// Place is a list: key of the table [Parent.Table].
type Place struct{ Parent, Table, Key string }

// mark ends the lines that Add makes.
const mark = " # gatewright sync"

// ErrHarm is the error of a change that cannot be made without changing something
// else: of a table in braces, for one.
var ErrHarm = errors.New("it cannot be changed without harm")

// Add puts an item first in the list, which is made if it is not there. The table
// must be: one without its other keys can keep a client from starting.
func Add(text []byte, p Place, item string) ([]byte, error) {
	return p.change(text, func(list []string) []string { return slices.Insert(list, 0, item) }, func() ([]byte, error) {
		if open := p.find(text); open >= 0 {
			next := strings.TrimLeft(string(text[open:]), " \t\r\n")
			separator := ", "
			if strings.HasPrefix(next, "]") || strings.HasPrefix(next, "#") && len(p.list(text)) == 0 {
				separator = ""
			}
			return slices.Concat(text[:open], []byte(strconv.Quote(item)+separator), text[open:]), nil
		}
		line := p.Key + " = [" + strconv.Quote(item) + "]" + mark
		if at := p.header(text); at >= 0 {
			return insertLine(text, at, line), nil
		}
		return nil, fmt.Errorf("[%s.%s]: %w", p.Parent, p.Table, ErrHarm)
	})
}

// Remove takes an item out of the list, and what Add made for it. An item that is
// not there is no error.
func Remove(text []byte, p Place, item string) ([]byte, error) {
	list := p.list(text)
	i := slices.Index(list, item)
	open := p.find(text)
	if i < 0 || open < 0 {
		return text, nil
	}
	if from, to, ours := made(text, open); ours && len(list) == 1 {
		return p.change(text, func([]string) []string { return nil }, func() ([]byte, error) {
			return cutLine(text, from, to), nil
		})
	}
	err := ErrHarm
	for _, at := range places(text, open, item) { // one of them may be in a comment
		var changed []byte
		changed, err = p.change(text, func(l []string) []string { return slices.Delete(l, i, i+1) }, func() ([]byte, error) {
			return cutItem(text, at.from, at.to), nil
		})
		if err == nil {
			return changed, nil
		}
	}
	return nil, err
}

// change makes an edit and proves by reading both texts that the list is as it
// should be and nothing else has changed.
func (p Place) change(text []byte, want func([]string) []string, edit func() ([]byte, error)) ([]byte, error) {
	before, err := Decode(text)
	if err != nil {
		return nil, err
	}
	changed, err := edit()
	if err != nil {
		return nil, err
	}
	after, err := Decode(changed)
	if err != nil {
		return nil, fmt.Errorf("%s of [%s.%s]: %w: %w", p.Key, p.Parent, p.Table, ErrHarm, err)
	}
	wanted := want(slices.Clone(p.list(text)))
	if !slices.Equal(p.list(changed), wanted) || !reflect.DeepEqual(p.without(before), p.without(after)) {
		return nil, fmt.Errorf("%s of [%s.%s]: %w", p.Key, p.Parent, p.Table, ErrHarm)
	}
	return changed, nil
}

func (p Place) list(text []byte) []string {
	lists, err := Lists(text, p.Parent, p.Key)
	if err != nil {
		return nil
	}
	return lists[p.Table]
}

// without drops the list from a document.
func (p Place) without(doc map[string]any) map[string]any {
	tables, _ := doc[p.Parent].(map[string]any)
	table, _ := tables[p.Table].(map[string]any)
	delete(table, p.Key)
	return doc
}

// Has lists the tables below parent that have a key.
func Has(text []byte, parent, key string) ([]string, error) {
	doc, err := Decode(text)
	if err != nil {
		return nil, err
	}
	var names []string
	tables, _ := doc[parent].(map[string]any)
	for name, value := range tables {
		table, _ := value.(map[string]any)
		if _, has := table[key]; has {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
