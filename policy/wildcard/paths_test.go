package wildcard

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func anyOf(glob, path string) bool {
	return Glob(glob).Takes(path)
}

// TestGlob: what stays within a name and what does not.
func TestGlob(t *testing.T) {
	for glob, paths := range map[string]struct{ yes, no string }{
		"/a/*.go":       {"/a/x.go /a/.go", "/a/b/x.go /a/x.gos /b/x.go"},
		"/a/**/x":       {"/a/x /a/b/x /a/b/c/x", "/a/bx /ax /a/x/y"},
		"/a/**":         {"/a/ /a/b /a/b/c", "/a /ab"},
		"**/x":          {"x /x /a/b/x", "/ax /a/x/y"},
		"/a?c":          {"/abc", "/a/c /ac /abbc"},
		"/**/b/**/c":    {"/b/c /a/b/c /b/x/y/c", "/bc /b/xc"},
		"/a/[b]":        {"", "/a/[b]"}, // a policy cannot have it; nothing else is let through for it
		"/a/é?":         {"/a/éx /a/éü", "/a/é"},
		"/repo/sub*/**": {"/repo/sub/ /repo/sub1/x", "/repo/su/x /repo/a/sub/x"},
	} {
		for _, path := range strings.Fields(paths.yes) {
			if !anyOf(glob, path) {
				t.Errorf("%s does not take %s", glob, path)
			}
		}
		for _, path := range strings.Fields(paths.no) {
			if glob != "/a/[b]" && anyOf(glob, path) {
				t.Errorf("%s takes %s", glob, path)
			}
		}
	}
}

// TestMeets: two patterns meet if and only if some short text fits both.
func TestMeets(t *testing.T) {
	texts := []string{""}
	for i := 0; len(texts) < 2000; i++ {
		for _, c := range "ab/" {
			texts = append(texts, texts[i]+string(c))
		}
	}
	const symbols = "ab/*?\x00"
	for range 3000 {
		p, q := Word(some(symbols), 0, true), Word(some(symbols), 0, true)
		fits := slices.ContainsFunc(texts, func(text string) bool {
			word := Word(text, 0, false)
			return word.Meets(p) && word.Meets(q) && slow(p, text) && slow(q, text)
		})
		if got := p.Meets(q); got != fits || q.Meets(p) != got {
			t.Fatalf("%q and %q: %v, a text that fits both: %v", string(p), string(q), got, fits)
		}
	}
}

func some(symbols string) string {
	var b strings.Builder
	for range rand.IntN(5) {
		b.WriteByte(symbols[rand.IntN(len(symbols))])
	}
	return b.String()
}

// slow matches one text by trying everything.
func slow(p Path, text string) bool {
	switch {
	case len(p) == 0:
		return text == ""
	case p[0] == run || p[0] == any:
		if slow(p[1:], text) {
			return true
		}
		return text != "" && (p[0] == any || text[0] != '/') && slow(p, text[1:])
	}
	return text != "" && (p[0] == one && text[0] != '/' || p[0] == rune(text[0])) && slow(p[1:], text[1:])
}

// TestClasses: a shell's class is taken for any run of characters of a name.
func TestClasses(t *testing.T) {
	for word, path := range map[string]string{"/a/[x-z]*": "/a/y1", "/a/[]b]c": "/a/bc", "/a/[!x]": "/a/y", "/a/[[:alpha:]]1": "/a/q1", "/a[b": "/a[b"} {
		if !Word(word, 0, true).Meets(Word(path, 0, false)) {
			t.Errorf("%s does not meet %s", word, path)
		}
	}
	if Word("/a/[x]", 0, true).Meets(Word("/a/b/c", 0, false)) {
		t.Error("a class does not cross folders")
	}
}
