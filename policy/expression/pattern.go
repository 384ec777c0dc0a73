package expression

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// Bounds on regular expressions: their time is that of their states for each
// character of the text.
const (
	maxPattern = 256 // bytes
	maxRepeat  = 100
	maxStates  = 2000
)

// pattern is a regular expression, compiled once for its program.
type pattern struct {
	whole *regexp.Regexp
	// first and next find it from where a text begins, and from one character
	// before a place in it: so ^ and \b see what stands there.
	first, next *regexp.Regexp
	states      int
}

// compilePattern reads one. That of extract is (?m): ^ and $ stand at line ends.
func compilePattern(text string, lines bool) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a regular expression has at most %d bytes", maxPattern)
	}
	if lines {
		text = "(?m)" + text
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if repeats(parsed) > maxRepeat {
		return nil, fmt.Errorf("a regular expression repeats at most %d times", maxRepeat)
	}
	compiled, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(compiled.Inst) > maxStates {
		return nil, errors.New("this regular expression is too large")
	}
	p := &pattern{whole: regexp.MustCompile(text), states: len(compiled.Inst)}
	if lines {
		canonical := parsed.String() // \Q without \E would swallow a bracket
		p.first = regexp.MustCompile(`\A(?s:.*?)(` + canonical + `)`)
		p.next = regexp.MustCompile(`\A(?s:.)(?s:.*?)(` + canonical + `)`)
	}
	return p, nil
}

// repeats is the largest number in {}, those inside one another multiplied.
func repeats(r *syntax.Regexp) int {
	most := 1
	for _, sub := range r.Sub {
		most = max(most, repeats(sub))
	}
	if r.Op == syntax.OpRepeat {
		most *= max(r.Min, r.Max, 1)
	}
	return most
}

// patternKey tells patterns apart, as a program holds them.
type patternKey struct {
	text  string
	lines bool
}

func (p *pattern) cost(size int) int { return 1 + p.states*size/statesTried }

func (e *evaluator) matches(text, source string) Value {
	p := e.program.patterns[patternKey{source, false}]
	if p == nil || !e.spend(p.cost(len(text))) {
		return unknown
	}
	return NewBool(p.whole.MatchString(text))
}

// extract lists what a regular expression finds: its first group, or all of it.
func extract(e *evaluator, args []Value) Value {
	p := e.program.patterns[patternKey{args[1].text, true}]
	if args[0].kind != Text || p == nil {
		return unknown
	}
	text := args[0].text
	var found []Value
	for from, before := 0, -1; from <= len(text); {
		match, ok := e.search(p, text, from)
		if !ok || len(found) > MaxItems {
			return unknown
		}
		if match == nil {
			break
		}
		begin, end := match[0], match[1]
		if end > from || begin != before { // nothing, right after a match, is no match
			found = append(found, group(text, match))
		}
		if before = end; end > from {
			from = end
			continue
		}
		_, width := utf8.DecodeRuneInString(text[from:])
		from += max(width, 1)
	}
	return NewList(found)
}

// search finds the next match from a place on. It pays for what was read, not for
// the rest of the text each time: that would be the square of its length.
func (e *evaluator) search(p *pattern, text string, from int) (match []int, ok bool) {
	start, re := from, p.first
	if from > 0 {
		_, width := utf8.DecodeLastRuneInString(text[:from])
		start, re = from-width, p.next
	}
	if !e.affords(p.cost(len(text) - start)) {
		return nil, e.spend(maxSteps + 1)
	}
	rest := strings.NewReader(text[start:])
	match = re.FindReaderSubmatchIndex(rest)
	ok = e.spend(1 + p.cost(len(text)-start-rest.Len()))
	if match == nil {
		return nil, ok
	}
	for i := range match {
		if match[i] >= 0 {
			match[i] += start
		}
	}
	return match[2:], ok
}

// group is the first one of a match, or all of it. A group that took no part has
// no place.
func group(text string, match []int) Value {
	i := min(2, len(match)-2)
	if match[i] < 0 {
		return NewText("")
	}
	return NewText(text[match[i]:match[i+1]])
}
