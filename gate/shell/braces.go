package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds how many words one becomes.
const maxBraces = 64

// braces expands {a,b}. A range is some number.
func (w *walker) braces(word *syntax.Word) []*syntax.Word {
	open := 0
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			open += strings.Count(lit.Value, "{")
		}
	}
	switch {
	case open == 0:
		return []*syntax.Word{word}
	case open > maxBraces: // splitting takes its time
		w.list.fail(ErrTooDeep)
		return []*syntax.Word{word}
	}
	plain := &syntax.Word{Parts: slices.Clone(word.Parts)}
	if !syntax.SplitBraces(plain) {
		return []*syntax.Word{word}
	}
	return alternatives(plain)
}

// rangeParam stands for one of a range, which is a name, or for too many alternatives.
func rangeParam(b *syntax.BraceExp) string {
	if b.Sequence {
		return "#"
	}
	return "_"
}

func alternatives(word *syntax.Word) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, part := range word.Parts {
		var ways [][]syntax.WordPart
		if b, ok := part.(*syntax.BraceExp); ok && !b.Sequence && len(out)*len(b.Elems) <= maxBraces {
			for _, elem := range b.Elems {
				for _, alternative := range alternatives(elem) {
					ways = append(ways, alternative.Parts)
				}
			}
		} else if ok {
			ways = [][]syntax.WordPart{{&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: rangeParam(b)}}}}
		} else {
			ways = [][]syntax.WordPart{{part}}
		}
		var next []*syntax.Word
		for _, word := range out {
			for _, way := range ways {
				next = append(next, &syntax.Word{Parts: slices.Concat(word.Parts, way)})
			}
		}
		out = next
	}
	return out
}
