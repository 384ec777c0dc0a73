package policy

import (
	"encoding/json"

	"gatewright/policy/expression"
)

// Lookup is a small table of constants for expressions: lookup("id", key, …).
type Lookup struct {
	Source
	Table expression.Value
}

// readLookup reads a [[lookup]].
func readLookup(t *table) Lookup {
	t.need("table")
	l := Lookup{Source: t.source()}
	v, ok := t.value("table")
	if !ok {
		return l
	}
	table, isTable := v.(map[string]any)
	text, err := json.Marshal(table)
	if !isTable || err != nil || holdsFloat(table) {
		t.problem("table", "table must be a table of texts, whole numbers, lists and tables", `write numbers with a point as texts and read them with decimal(…)`)
		return l
	}
	l.Table = expression.ParseJSON(text)
	return l
}

// holdsFloat finds a binary number: it is not the one that the author wrote.
func holdsFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return true
	case map[string]any:
		for _, item := range v {
			if holdsFloat(item) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if holdsFloat(item) {
				return true
			}
		}
	}
	return false
}

// Tables are the lookups of this layer and of the broader ones, by id. A narrower
// layer's do not reach a broader one's expressions.
func (l *Layer) Tables() map[string]expression.Value {
	if l.tables != nil {
		return l.tables
	}
	l.tables = map[string]expression.Value{}
	for from := l; from != nil; from = from.broader {
		for _, lookup := range from.Lookups {
			if _, nearer := l.tables[lookup.ID]; !nearer {
				l.tables[lookup.ID] = lookup.Table
			}
		}
	}
	return l.tables
}
