package gate

import (
	"reflect"
	"slices"
	"testing"

	"gatewright/policy"
)

// TestEveryTableIsEnforced: a table that is decoded must be in the table of
// kinds. Problems is a slice too, but not a policy table.
func TestEveryTableIsEnforced(t *testing.T) {
	var enforced []string
	for _, k := range kinds() {
		enforced = append(enforced, k.tables)
	}
	layer := reflect.TypeFor[policy.Layer]()
	for i := range layer.NumField() {
		field := layer.Field(i)
		if !field.IsExported() || field.Type.Kind() != reflect.Slice || field.Type.Elem().Kind() != reflect.Struct || field.Type == reflect.TypeFor[policy.Problems]() {
			continue
		}
		if !slices.Contains(enforced, field.Name) {
			t.Errorf("policy tables %s are decoded but not enforced", field.Name)
		}
	}
	for _, name := range enforced {
		if _, ok := layer.FieldByName(name); !ok {
			t.Errorf("kind %s names no tables of a layer", name)
		}
	}
}
