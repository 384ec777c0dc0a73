// Package form writes decoded TOML in a form that is read quickly: texts are not copied,
// and parts can be passed over.
package form

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// What a value begins with.
const (
	isText byte = iota + 1
	isInt
	isFloat
	isTrue
	isFalse
	isList
	isTables // a list of tables, which the decoder gives a type of its own
	isTable
)

// Writer builds a form. Bad is set by a value that has none, such as a date.
type Writer struct {
	Bytes []byte
	Bad   bool
}

// Int writes a number.
func (w *Writer) Int(n int) { w.Bytes = binary.AppendVarint(w.Bytes, int64(n)) }

// Text writes a text.
func (w *Writer) Text(s string) {
	w.Int(len(s))
	w.Bytes = append(w.Bytes, s...)
}

// Part writes something that a reader can pass over.
func (w *Writer) Part(write func(*Writer)) {
	inner := Writer{}
	write(&inner)
	w.Bad = w.Bad || inner.Bad
	w.Text(string(inner.Bytes))
}

// Value writes what the TOML decoder gives.
func (w *Writer) Value(v any) {
	switch v := v.(type) {
	case string:
		w.Bytes = append(w.Bytes, isText)
		w.Text(v)
	case int64:
		w.Bytes = append(w.Bytes, isInt)
		w.Bytes = binary.AppendVarint(w.Bytes, v)
	case float64:
		w.Bytes = append(w.Bytes, isFloat)
		w.Bytes = binary.BigEndian.AppendUint64(w.Bytes, math.Float64bits(v))
	case bool:
		w.Bytes = append(w.Bytes, map[bool]byte{true: isTrue, false: isFalse}[v])
	case []any:
		w.Bytes = append(w.Bytes, isList)
		w.Int(len(v))
		for _, item := range v {
			w.Value(item)
		}
	case []map[string]any:
		w.Bytes = append(w.Bytes, isTables)
		w.Int(len(v))
		for _, item := range v {
			w.Value(item)
		}
	case map[string]any:
		w.Bytes = append(w.Bytes, isTable)
		w.Int(len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.Text(key)
			w.Value(v[key])
		}
	default:
		w.Bad = true
	}
}
