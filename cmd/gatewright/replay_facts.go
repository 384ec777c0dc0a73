package main

import (
	"slices"
	"strings"

	"gatewright/gate"
)

// replayFacts are the records of one replayed session. Their keys stay sorted, as
// those of a book on disk do: a fact that counts reads all its records at each call.
type replayFacts struct {
	keys   []string
	values map[string][]byte
}

func (f *replayFacts) record(key string) []byte { return f.values[key] }

func (f *replayFacts) put(records []gate.Evidence) {
	for _, e := range records {
		if i, known := slices.BinarySearch(f.keys, e.Key); !known {
			f.keys = slices.Insert(f.keys, i, e.Key)
		}
		f.values[e.Key] = e.Value
	}
}

// each visits the records whose keys begin with prefix, in the order of the keys.
func (f *replayFacts) each(prefix string, visit func(key string, value []byte)) {
	first, _ := slices.BinarySearch(f.keys, prefix)
	for _, key := range f.keys[first:] {
		if !strings.HasPrefix(key, prefix) {
			return
		}
		visit(key, f.values[key])
	}
}

func (f *replayFacts) drop(prefix string) {
	first, _ := slices.BinarySearch(f.keys, prefix)
	end := first
	for ; end < len(f.keys) && strings.HasPrefix(f.keys[end], prefix); end++ {
		delete(f.values, f.keys[end])
	}
	f.keys = slices.Delete(f.keys, first, end)
}
