package expression

import (
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/policy/exact"
)

// document is an object that came as JSON. Its address tells it apart.
type document struct{ raw string }

// object is a document that an evaluation has taken apart, once: a loop that reads
// args.list again and again converts the list only the first time.
type object struct {
	names  []string          // sorted
	fields map[string]*field // by name, letter case folded
}

type field struct {
	name  string
	clash bool // another name differs only in letter case
	json  gjson.Result
	value *Value // once it is read
}

func (e *evaluator) object(d *document) *object {
	if o, known := e.objects[d]; known {
		return o
	}
	if e.objects == nil {
		e.objects = map[*document]*object{}
	}
	o := &object{fields: map[string]*field{}}
	e.objects[d] = o
	e.spend(len(d.raw) / bytesWritten)
	gjson.Result{Type: gjson.JSON, Raw: d.raw}.ForEach(func(k, v gjson.Result) bool {
		o.add(k.Str, v)
		return e.spend(2 + len(k.Str)/bytesWritten)
	})
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	return o
}

// add keeps the last of members with one name.
func (o *object) add(name string, v gjson.Result) {
	folded := exact.Fold(name)
	f := o.fields[folded]
	switch {
	case f == nil:
		o.fields[folded] = &field{name: name, json: v}
		o.names = append(o.names, name)
	case f.name == name:
		f.json = v
	default:
		f.clash = true
		o.names = append(o.names, name)
	}
}

// member reads a member by its exact name. A sibling that differs only in letter
// case makes it unknown, and so does a value that has no members.
func (e *evaluator) member(v Value, name string) Value {
	switch {
	case v.kind != Object || v.isHidden(name) || !e.spend(1):
		return unknown
	case v.json == nil:
		return v.members[name]
	}
	f := e.object(v.json).fields[exact.Fold(name)]
	switch {
	case f == nil:
		return Value{}
	case f.clash || f.name != name:
		return unknown
	case f.value == nil:
		read := e.fromJSON(f.json)
		f.value = &read
	}
	return *f.value
}

// keys lists the names of an object's members, sorted.
func (e *evaluator) keys(v Value) []string {
	var names []string
	if v.json != nil {
		names = e.object(v.json).names
	} else {
		names = slices.Sorted(maps.Keys(v.members))
	}
	e.spend(len(names))
	return names
}

// fromJSON converts a value. Only the members of objects wait until they are read.
func (e *evaluator) fromJSON(v gjson.Result) Value {
	if !e.spend(1 + len(v.Raw)/bytesRead) {
		return unknown
	}
	switch v.Type {
	case gjson.True, gjson.False:
		return NewBool(v.Type == gjson.True)
	case gjson.String:
		return NewText(v.Str)
	case gjson.Number:
		return numberFrom(v.Raw)
	case gjson.JSON:
		if strings.HasPrefix(v.Raw, "{") {
			return Value{kind: Object, json: &document{v.Raw}}
		}
		return e.listFrom(v)
	}
	return Value{}
}

func numberFrom(text string) Value {
	d, err := exact.ParseDecimal(text)
	if err != nil {
		return unknown
	}
	return NewNumber(d)
}

// listFrom converts all of a list. A list inside a list is read once for each of
// those around it.
func (e *evaluator) listFrom(v gjson.Result) Value {
	if !e.spend(len(v.Raw) / bytesWritten) {
		return unknown
	}
	var items []Value
	v.ForEach(func(_, item gjson.Result) bool {
		items = append(items, e.fromJSON(item))
		return len(items) <= MaxItems && e.spend(0)
	})
	if !e.spend(0) {
		return unknown
	}
	return NewList(items)
}
