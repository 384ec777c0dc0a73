package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/tidwall/gjson"
)

// compare fails if the verdicts are not those of a file: a line for each call about
// which some rule says something.
func (c *cli) compare(t *tally, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	differences := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := gjson.ParseBytes(lines.Bytes())
		if !gjson.ValidBytes(lines.Bytes()) || !line.Get("verdicts").IsArray() {
			return fmt.Errorf("%s:%d: this is no line of expected verdicts", path, n)
		}
		session, id := line.Get("session_id").Str, line.Get("tool_use_id").Str
		calls, replayed := t.said[session]
		if !replayed {
			continue
		}
		var want [][2]string
		line.Get("verdicts").ForEach(func(_, v gjson.Result) bool {
			want = append(want, [2]string{v.Get("0").Str, v.Get("1").Str})
			return true
		})
		differences += c.differ(session, id, want, calls[id])
		delete(calls, id)
	}
	for _, session := range slices.Sorted(maps.Keys(t.said)) {
		for _, id := range slices.Sorted(maps.Keys(t.said[session])) {
			differences += c.differ(session, id, nil, t.said[session][id])
		}
	}
	fmt.Fprintf(c.stdout, "\n%d differences from %s\n", differences, path)
	if differences > 0 {
		return errors.New("the verdicts are not those that were expected")
	}
	return lines.Err()
}

func (c *cli) differ(session, id string, want, got [][2]string) int {
	n := 0
	report := func(mark string, one, other [][2]string) {
		for _, pair := range one {
			if !slices.Contains(other, pair) {
				fmt.Fprintf(c.stdout, "%s %s %s: %s %s\n", mark, session, id, pair[0], pair[1])
				n++
			}
		}
	}
	report("missing", want, got)
	report("surplus", got, want)
	return n
}
