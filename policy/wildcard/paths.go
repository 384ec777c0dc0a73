package wildcard

import "strings"

// Path is a pattern for paths: characters, and what stands for others.
type Path []rune

// What stands for other characters in a Path.
const (
	one rune = -1 - iota // any character but /
	run                  // any number of them
	any                  // any characters
)

// Glob reads a policy's glob for paths: * and ? stay within a name, ** does not. The
// paths are what it can mean: **/ may be no folder.
func Glob(text string) []Path {
	before, after, more := strings.Cut(text, "**/")
	if !more {
		return []Path{read(text, true)}
	}
	var out []Path
	for _, rest := range Glob(after) {
		start := read(before, true)
		out = append(out, append(start[:len(start):len(start)], rest...), append(append(start[:len(start):len(start)], any, '/'), rest...))
	}
	return out
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

// Meets reports that some text fits both.
func (p Path) Meets(q Path) bool {
	if !p.may(q) {
		return false
	}
	// reach[j]: the part of p so far and q[:j] can be the same text.
	reach := make([]bool, len(q)+1)
	reach[0] = true
	q.spread(reach)
	for _, c := range p {
		next := make([]bool, len(q)+1)
		for j := range next {
			if c == run || c == any {
				next[j] = reach[j] || j > 0 && next[j-1] && (fits(c, q[j-1]))
			} else if j > 0 {
				next[j] = (q[j-1] == run || q[j-1] == any) && fits(q[j-1], c) && (reach[j] || reach[j-1]) || isOne(q[j-1]) && isSame(c, q[j-1]) && reach[j-1]
			}
		}
		q.spread(next)
		reach = next
	}
	return reach[len(q)]
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
func (p Path) spread(reach []bool) {
	for j := 1; j < len(reach); j++ {
		reach[j] = reach[j] || (p[j-1] == run || p[j-1] == any) && reach[j-1]
	}
}

func isOne(c rune) bool { return c != run && c != any }

// isSame compares two single characters.
func isSame(a, b rune) bool { return a == b || a == one && b != '/' || b == one && a != '/' }

// fits reports that a run can hold something.
func fits(r, c rune) bool { return r == any || c != '/' }
