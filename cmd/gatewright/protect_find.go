package main

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"gatewright/gate/shell"
)

// finds judges find: what it removes or gives to a writer is known by its name
// only.
func (l shellLine) finds(cmd shell.Command) string {
	args := cmd.Args()
	removes, writes := findActions(args)
	tests, but, onlyFolders := findTests(args)
	lists := !removes && !writes
	for _, word := range args {
		if strings.HasPrefix(word.Text, "-") && word.Text != "-P" && word.Text != "-L" && word.Text != "-H" || word.Text == "!" || word.Text == "(" {
			break
		}
		if what := l.covers(cmd, word, word.Text, true); what != "" && !lists {
			return what
		}
		finds := (removes || lists) && len(tests) == 0 && !onlyFolders || l.findsOurs(cmd, word, tests, but)
		what := l.holds(cmd, word.Text)
		switch {
		case what == "" || !finds:
		case lists: // for whoever gets the names
			*l.listed = what
		default:
			return what
		}
	}
	return l.fprints(cmd)
}

// findTest is one test for names or, with whole, for paths. One that we cannot read
// finds anything.
type findTest struct {
	name  string
	whole *regexp.Regexp
	any   bool
}

func newFindTest(kind, pattern string) findTest {
	kind, pattern = strings.TrimPrefix(strings.TrimPrefix(kind, "-"), "i"), strings.ToLower(pattern)
	if kind == "name" {
		return findTest{name: pattern}
	}
	if kind != "regex" {
		pattern = strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	}
	whole, err := regexp.Compile("^(" + pattern + ")$")
	return findTest{whole: whole, any: err != nil || kind != "regex" && strings.Contains(pattern, "[")}
}

// findTests lists the tests for what is found, and those with a ! before them, which
// alone narrow nothing; and says whether only empty folders are found.
func findTests(args []shell.Word) (tests, but []findTest, onlyFolders bool) {
	empty, folders := false, false
	for i := range args[:max(len(args)-1, 0)] {
		negated := i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not")
		switch text := args[i].Text; text {
		case "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex":
			test := newFindTest(text, args[i+1].Text)
			if negated {
				but = append(but, test)
			} else {
				tests = append(tests, test)
			}
		case "-type":
			folders = args[i+1].Text == "d"
		case "-empty":
			empty = !negated
		}
	}
	return tests, but, empty && folders
}

// findsOurs reports that one of the tests can find what is ours below a folder.
func (l shellLine) findsOurs(cmd shell.Command, start shell.Word, tests, but []findTest) bool {
	at := strings.TrimSuffix(strings.ToLower(start.Text), "/")
	return l.inPlaces(cmd, start, func(_ shell.Word, cwd string) string {
		for _, below := range append(l.own.Inside(start.Text, cwd), ".claude/settings.json", ".claude/settings.local.json", ".gatewright/policy.toml",
			".gatewright/local.toml", ".mcp.json", ".claude.json", ".codex/config.toml", ".codex/hooks.json", ".git") {
			finds := func(test findTest) bool { return test.finds(at, strings.ToLower(below)) }
			if slices.ContainsFunc(tests, finds) && !slices.ContainsFunc(but, finds) {
				return below
			}
		}
		return ""
	}) != ""
}

// finds compares a test with a path below the start, and with all folders on the
// way to it.
func (t findTest) finds(start, below string) bool {
	if t.any {
		return true
	}
	if t.whole == nil {
		return slices.ContainsFunc(strings.Split(below, "/"), func(part string) bool {
			match, err := path.Match(t.name, part)
			return match || err != nil
		})
	}
	for p := below; p != "."; p = path.Dir(p) {
		if t.whole.MatchString(start + "/" + p) {
			return true
		}
	}
	return false
}

// findActions says whether find removes or changes what it finds, or lets something
// else than a reader have it.
func findActions(args []shell.Word) (removes, writes bool) {
	for i, word := range args {
		switch {
		case word.Text == "-delete":
			removes = true
		case strings.HasPrefix(word.Text, "-fprint"), word.Text == "-fls":
			writes = true
		case (strings.HasPrefix(word.Text, "-exec") || strings.HasPrefix(word.Text, "-ok")) && i+1 < len(args):
			end := slices.IndexFunc(args[i+1:], func(w shell.Word) bool { return w.Text == ";" || w.Text == "+" })
			if end < 0 {
				end = len(args) - i - 1
			}
			inner := shell.Command{Words: args[i+1 : i+1+end]}
			removes = removes || slices.Contains([]string{"rm", "mv", "shred", "unlink", "truncate", "tee"}, inner.Name()) ||
				inner.Name() == "sed" && shell.HasOption(inner.Args(), "i", "--in-place")
			writes = writes || !inner.Reads()
		}
	}
	return removes, writes
}

func (l shellLine) fprints(cmd shell.Command) string {
	args := cmd.Args()
	for i, word := range args {
		if (strings.HasPrefix(word.Text, "-fprint") || word.Text == "-fls") && i+1 < len(args) {
			if what := l.covers(cmd, args[i+1], args[i+1].Text, true); what != "" {
				return what
			}
		}
	}
	return ""
}
