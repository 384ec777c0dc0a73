package main

import (
	"testing"

	"gatewright/policy"
)

// TestMeansOf: a grant is of one intent's text, and lists that only read alike are others.
func TestMeansOf(t *testing.T) {
	seen := map[string]int{}
	for n, i := range []policy.Intent{
		{},
		{Resources: []string{"mail *"}},
		{Resources: []string{"mail", "*"}},
		{Types: []string{"mail", "*"}},
		{Classes: []string{"a] Operations:[] Tools:[] Types:[b"}},
		{Classes: []string{"a"}, Types: []string{"b"}},
	} {
		means := meansOf(i)
		if other, ok := seen[means]; ok {
			t.Errorf("%d and %d are one", other, n)
		}
		seen[means] = n
	}
}
