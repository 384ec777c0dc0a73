package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// finish reports every key that nobody asked for.
func (t *table) finish() {
	for _, key := range slices.Sorted(maps.Keys(t.values)) {
		if !t.asked[key] {
			t.problem(key, fmt.Sprintf("unknown key %q in %s", key, t.name()), t.suggestion(key))
		}
	}
}

// suggestion names the known key that looks most like the unknown one.
func (t *table) suggestion(key string) string {
	known := slices.Sorted(maps.Keys(t.asked))
	best, distance := "", 3
	for _, k := range known {
		if d := editDistance(key, k); d < distance {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "the keys here are " + strings.Join(known, ", ")
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		previous := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := previous
			if a[i] != b[j] {
				cost++
			}
			previous = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
