package wildcard

import (
	"strings"
	"unicode"
)

// Path is a pattern for paths: characters, and what stands for others.
type Path []rune

// What stands for other characters in a Path.
const (
	one  rune = -1 - iota // any character but /
	run                   // any number of them
	any                   // any characters
	deep                  // nothing, or any characters and a /
	// NoLetters is any number of characters of a name, none of them a letter or a dot.
	NoLetters
)

// Glob reads a policy's glob for paths: * and ? stay within a name, ** does not, and **/
// may be no folder.
func Glob(text string) Path {
	parts := strings.Split(text, "**/")
	path := read(parts[0], true)
	for _, part := range parts[1:] {
		path = append(append(path, deep), read(part, true)...)
	}
	return path
}

// Word reads a path as a command line has it. In a part that is not known, of the given
// character, there can be anything.
func Word(text string, unknown rune, glob bool) Path {
	path := read(text, glob)
	for i := range path {
		if path[i] == unknown {
			path[i] = any
		}
	}
	return path
}

func read(text string, glob bool) Path {
	path := make(Path, 0, len(text)+2)
	skip := 0
	for i, c := range text {
		switch {
		case i < skip:
		case !glob:
			path = append(path, c)
		case c == '*' && len(path) > 0 && path[len(path)-1] == run:
			path[len(path)-1] = any
		case c == '*':
			path = append(path, run)
		case c == '?':
			path = append(path, one)
		case c == '[' && classEnd(text[i:]) > 0: // one character of some; more does no harm
			path, skip = append(path, run), i+classEnd(text[i:])
		default:
			path = append(path, c)
		}
	}
	return path
}

// classEnd is where the classes [a-z] of a name end at the latest.
func classEnd(text string) int {
	name, _, _ := strings.Cut(text, "/")
	return strings.LastIndexByte(name, ']') + 1
}

// Below is what lies in a folder that the path names.
func (p Path) Below() Path { return append(p[:len(p):len(p)], '/', any) }

// Takes reports whether a path fits.
func (p Path) Takes(text string) bool {
	if len(p) == 0 || len(text) == 0 {
		return len(p) == 0 && len(text) == 0
	}
	if last := p[len(p)-1]; last >= 0 && !strings.HasSuffix(text, string(last)) { // most differ there
		return false
	}
	return p.Meets(Word(text, -100, false))
}

// Meets reports that some text fits both. Only p may be a Glob.
func (p Path) Meets(q Path) bool {
	if !p.may(q) {
		return false
	}
	// reach[j]: the part of p so far and q[:j] can be the same text.
	reach, next := make([]bool, len(q)+1), make([]bool, len(q)+1)
	reach[0] = true
	q.spread(reach)
	for _, c := range p {
		if c == deep {
			q.step(any, reach, next)
			after := make([]bool, len(q)+1)
			q.step('/', next, after)
			for j := range reach {
				reach[j] = reach[j] || after[j]
			}
			continue
		}
		q.step(c, reach, next)
		reach, next = next, reach
	}
	return reach[len(q)]
}

// step goes on by one of the other pattern's characters.
func (q Path) step(c rune, reach, next []bool) {
	for j := range next {
		if c == run || c == any {
			next[j] = reach[j] || j > 0 && next[j-1] && fits(c, q[j-1])
			continue
		}
		next[j] = j > 0 && (isRun(q[j-1]) && fits(q[j-1], c) && (reach[j] || reach[j-1]) || !isRun(q[j-1]) && isSame(c, q[j-1]) && reach[j-1])
	}
	q.spread(next)
}

// may compares what both begin and end with: most paths differ there.
func (p Path) may(q Path) bool {
	for i := 0; i < len(p) && i < len(q) && p[i] >= 0 && q[i] >= 0; i++ {
		if p[i] != q[i] {
			return false
		}
	}
	for i := 1; i <= len(p) && i <= len(q) && p[len(p)-i] >= 0 && q[len(q)-i] >= 0; i++ {
		if p[len(p)-i] != q[len(q)-i] {
			return false
		}
	}
	return true
}

// spread: a run may be empty.
func (q Path) spread(reach []bool) {
	for j := 1; j < len(reach); j++ {
		reach[j] = reach[j] || isRun(q[j-1]) && reach[j-1]
	}
}

func isRun(c rune) bool { return c == run || c == any || c == NoLetters }

// isSame compares two single characters.
func isSame(a, b rune) bool { return a == b || a == one && b != '/' || b == one && a != '/' }

// fits reports that a run can hold something.
func fits(r, c rune) bool {
	if r == NoLetters {
		return c != '/' && c != '.' && !unicode.IsLetter(c)
	}
	return r == any || c != '/'
}
