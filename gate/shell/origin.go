package shell

import "strings"

// IsTemporary reports a word of which all that is not known comes from mktemp.
func (w Word) IsTemporary() bool {
	for _, begin := range []string{"$(mktemp", "`mktemp", "$( mktemp"} {
		if _, rest, ok := strings.Cut(w.Source, begin); ok && !strings.ContainsAny(rest, ";|&\n") {
			return true
		}
	}
	return false
}

// namers are programs that print a name or a number, in which there is no slash.
var namers = []string{"date", "uname", "hostname", "whoami", "nproc", "wc", "git rev-parse --short", "uuidgen"}

// IsName reports a word of which all that is not known has no slash in it.
func (w Word) IsName() bool {
	text, found := w.Source, false
	for text != "" {
		i := strings.IndexAny(text, "$`")
		if i < 0 {
			return found
		}
		n := nameLength(text[i:])
		if n == 0 {
			return false
		}
		text, found = text[i+n:], true
	}
	return found
}

// nameLength is the length of an expansion that gives a name; 0 for any other.
func nameLength(text string) int {
	for _, number := range []string{"$$", "$?", "$#", "$RANDOM", "$SECONDS", "$UID", "$LINENO", "$EPOCHSECONDS"} {
		if strings.HasPrefix(text, number) {
			return len(number)
		}
	}
	inner, ok := strings.CutPrefix(text, "$(")
	if end := strings.IndexByte(inner, ')'); ok && end > 0 && !strings.ContainsAny(inner[:end], "$`;|&<>(\n/") {
		for _, name := range namers {
			if inner[:end] == name || strings.HasPrefix(inner[:end], name+" ") {
				return len("$(") + end + 1
			}
		}
	}
	return 0
}
