package form

import (
	"encoding/binary"
	"math"
)

// Reader reads a form. Bad is set by whatever is no form; everything is empty then.
type Reader struct {
	Rest string
	Bad  bool
}

func (r *Reader) fail() {
	r.Bad, r.Rest = true, ""
}

// maxVarint is the length of the longest number, in bytes.
const maxVarint = binary.MaxVarintLen64

// Int reads a number.
func (r *Reader) Int() int64 {
	n, size := binary.Varint([]byte(r.Rest[:min(len(r.Rest), maxVarint)]))
	if size <= 0 {
		r.fail()
		return 0
	}
	r.Rest = r.Rest[size:]
	return n
}

// Count reads how many things follow. Each takes at least a byte.
func (r *Reader) Count() int {
	n := r.Int()
	if n < 0 || n > int64(len(r.Rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

// Text reads a text. It shares the memory of the form.
func (r *Reader) Text() string {
	n := r.Count()
	s := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return s
}

// maxDepth is how deep values nest.
const maxDepth = 64

// Value reads what Writer.Value has written.
func (r *Reader) Value() any { return r.value(0) }

func (r *Reader) value(depth int) any {
	if r.Rest == "" || depth > maxDepth {
		r.fail()
		return nil
	}
	kind := r.Rest[0]
	r.Rest = r.Rest[1:]
	switch kind {
	case isText:
		return r.Text()
	case isInt:
		return r.Int()
	case isFloat:
		return r.float()
	case isTrue, isFalse:
		return kind == isTrue
	case isList:
		list := make([]any, r.Count())
		for i := range list {
			list[i] = r.value(depth + 1)
		}
		return list
	case isTables:
		list := make([]map[string]any, r.Count())
		for i := range list {
			if list[i], r.Bad = r.table(depth); r.Bad {
				return list
			}
		}
		return list
	case isTable:
		return r.members(depth)
	}
	r.fail()
	return nil
}

func (r *Reader) table(depth int) (map[string]any, bool) {
	values, ok := r.value(depth + 1).(map[string]any)
	return values, r.Bad || !ok
}

func (r *Reader) members(depth int) map[string]any {
	n := r.Count()
	values := make(map[string]any, n)
	for range n {
		key := r.Text()
		values[key] = r.value(depth + 1)
	}
	return values
}

func (r *Reader) float() float64 {
	if len(r.Rest) < 8 {
		r.fail()
		return 0
	}
	bits := binary.BigEndian.Uint64([]byte(r.Rest[:8]))
	r.Rest = r.Rest[8:]
	return math.Float64frombits(bits)
}
