package form

import (
	"reflect"
	"testing"
)

var sample = map[string]any{
	"text": "é\x00", "none": "", "n": int64(-1 << 62), "f": 0.1, "yes": true, "no": false,
	"list": []any{"a", int64(1), []any{}, map[string]any{"x": "y"}}, "tables": []map[string]any{{"a": "b"}, {}}, "table": map[string]any{},
}

// TestRoundTrip: what is written is read, and values that TOML has besides are refused.
func TestRoundTrip(t *testing.T) {
	w := Writer{}
	w.Value(sample)
	w.Part(func(w *Writer) { w.Text("passed over") })
	w.Int(7)
	r := Reader{Rest: string(w.Bytes)}
	got := r.Value()
	r.Text()
	if n := r.Int(); !reflect.DeepEqual(got, any(sample)) || n != 7 || r.Bad || w.Bad || r.Rest != "" {
		t.Errorf("%v %v %d", got, r, n)
	}
	w.Value([]any{struct{}{}})
	if !w.Bad {
		t.Error("a value without a form was taken")
	}
}

// FuzzRead: no text ends the program, nor makes it take much memory.
func FuzzRead(f *testing.F) {
	w := Writer{}
	w.Value(sample)
	f.Add(string(w.Bytes))
	f.Fuzz(func(t *testing.T, text string) {
		r := Reader{Rest: text}
		first := r.Value()
		if r.Bad {
			return
		}
		again := Writer{}
		again.Value(first)
		second := (&Reader{Rest: string(again.Bytes)}).Value()
		if again.Bad || !reflect.DeepEqual(first, second) && len(text) < 100000 {
			if !hasNaN(first) {
				t.Errorf("%v and %v", first, second)
			}
		}
	})
}

func hasNaN(v any) bool {
	switch v := v.(type) {
	case float64:
		return v != v
	case []any:
		for _, item := range v {
			if hasNaN(item) {
				return true
			}
		}
	case []map[string]any:
		for _, item := range v {
			if hasNaN(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if hasNaN(item) {
				return true
			}
		}
	}
	return false
}
