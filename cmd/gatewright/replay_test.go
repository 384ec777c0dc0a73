package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"gatewright/policy"
)

// The policies whose recorded sessions are in testdata/replay, and the time of the
// recordings.
var (
	replayDomains = []string{"airline", "retail", "banking"}
	replayNow     = "2024-05-15T15:00:00"
)

func ofTestdata(t testing.TB, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"../../testdata"}, parts...)...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func policyOf(t testing.TB, domain string) *policy.Set {
	t.Helper()
	set := &policy.Set{}
	layer, err := policy.ReadBelow(set, ofTestdata(t, "policies", domain+".toml"))
	if err != nil || len(layer.Expressions()) > 0 {
		t.Fatal(err, layer.Expressions())
	}
	return set
}

// replayOf runs the real program on the sessions of a domain.
func (p *place) replayOf(domain string, more ...string) answer {
	argv := []string{"replay", "--policy", ofTestdata(p.t, "policies", domain+".toml"), "--now", replayNow}
	return p.run("", false, append(append(argv, more...), ofTestdata(p.t, "replay", domain+".jsonl"))...)
}

// TestReplayExpected: the program says of every session what is expected, and no
// more.
func TestReplayExpected(t *testing.T) {
	p := newPlace(t)
	for _, domain := range replayDomains {
		a := p.replayOf(domain, "--expect", ofTestdata(t, "replay", "expected.jsonl"))
		if a.exit != 0 || !strings.Contains(a.stdout, "\n0 differences from ") || a.stderr != "" {
			t.Errorf("%s: exit %d\n%s%s", domain, a.exit, a.stdout, a.stderr)
		}
	}
	if _, err := os.Stat(p.stateDir()); err == nil {
		t.Error("replay recorded something")
	}
}

// TestReplayFindsDifferences: an expectation that is wrong, one too many and one
// too few.
func TestReplayFindsDifferences(t *testing.T) {
	text, err := os.ReadFile(ofTestdata(t, "replay", "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	const session = "R5.cancel-reason-enum objects"
	lines := strings.SplitAfter(string(text), "\n")
	for i, line := range lines {
		if strings.Contains(line, session) {
			lines[i] = ""
		}
	}
	others := strings.Join(lines, "")
	line := func(id, verdicts string) string {
		return `{"session_id":"` + session + `","tool_use_id":"` + id + `","verdicts":` + verdicts + "}\n"
	}
	tests := map[string]struct {
		text string
		says []string
	}{
		"another word":  {others + line("3", `[["R5.cancel-reason-enum","ask"]]`), []string{"missing " + session + " 3: R5.cancel-reason-enum ask", "surplus " + session + " 3: R5.cancel-reason-enum deny", "\n2 differences"}},
		"one too few":   {others, []string{"surplus " + session + " 3: R5.cancel-reason-enum deny", "\n1 differences"}},
		"one too many":  {string(text) + line("2", `[["R1.auth-before-write","gate"]]`), []string{"missing " + session + " 2: R1.auth-before-write gate", "\n1 differences"}},
		"no verdict":    {others + line("3", `[]`), []string{"surplus " + session + " 3: R5.cancel-reason-enum deny", "\n1 differences"}},
		"another place": {others + line("9", `[["R5.cancel-reason-enum","deny"]]`), []string{"missing " + session + " 9", "surplus " + session + " 3", "\n2 differences"}},
	}
	p := newPlace(t)
	for name, tt := range tests {
		path := filepath.Join(p.home, "expected.jsonl")
		p.must(os.WriteFile(path, []byte(tt.text), 0o600))
		a := p.replayOf("retail", "--expect", path)
		for _, want := range tt.says {
			if a.exit != 1 || !strings.Contains(a.stdout, want) {
				t.Errorf("%s: exit %d, want %q in\n%s", name, a.exit, want, a.stdout)
			}
		}
		if !strings.Contains(a.stderr, "not those that were expected") {
			t.Errorf("%s: stderr %q", name, a.stderr)
		}
	}
}

// TestReplayJSON: the JSON counts what the text counts, and names places.
func TestReplayJSON(t *testing.T) {
	p := newPlace(t)
	labels := filepath.Join(p.home, "labels.jsonl")
	p.must(os.WriteFile(labels, []byte(`{"session_id":"D2b.single-cap-500 objects","success":true}`+"\n"), 0o600))
	a := p.replayOf("banking", "--json", "--labels", labels)
	out := gjson.Parse(a.stdout)
	if a.exit != 0 || !gjson.Valid(a.stdout) || out.Get("judged").Int() == 0 {
		t.Fatalf("exit %d\n%s%s", a.exit, a.stdout, a.stderr)
	}
	for path, want := range map[string]string{
		`rules.#(rule=="D5.profile-needs-approval").counts.ask`:       "1",
		`rules.#(rule=="D2b.single-cap-500").counts.unknown`:          "1",
		`rules.#(rule=="D2b.single-cap-500").layer`:                   "repo",
		`rules.#(rule=="D2b.single-cap-500").examples.#`:              "3",
		`sessions.#(label=="success true").sessions`:                  "1",
		`sessions.#(label=="success true").with.deny`:                 "1",
		`rules.#(rule=="D4b.password-not-in-user-words").counts.deny`: "1",
	} {
		if got := out.Get(path).String(); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if !strings.Contains(out.Get("rules.0.place").Str, "banking.toml:") {
		t.Errorf("no place: %s", out.Get("rules.0"))
	}
}

// TestReplayBadInput: what cannot be read is named.
func TestReplayBadInput(t *testing.T) {
	p := newPlace(t)
	write := func(name, text string) string {
		path := filepath.Join(p.home, name)
		p.must(os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good, sessions := ofTestdata(t, "policies", "banking.toml"), ofTestdata(t, "replay", "banking.jsonl")
	tests := map[string]struct {
		argv []string
		says string
	}{
		"no file":           {[]string{"--policy", good}, "requires at least 1 arg"},
		"missing file":      {[]string{"--policy", good, "nowhere.jsonl"}, "nowhere.jsonl: no such file"},
		"a folder":          {[]string{"--policy", good, p.repo}, "is a directory"},
		"not JSON":          {[]string{"--policy", good, write("bad.jsonl", "{}\n{\"a\":}\n")}, "bad.jsonl:2: not JSON"},
		"no policy":         {[]string{sessions}, "name one with --policy"},
		"missing policy":    {[]string{"--policy", "nowhere.toml", sessions}, "nowhere.toml: cannot be read: no such file"},
		"broken policy":     {[]string{"--policy", write("bad.toml", "version = 1\noops\n"), sessions}, "bad.toml:2"},
		"broken expression": {[]string{"--policy", write("expr.toml", "version = 1\n[[require]]\nid = \"r\"\ntools = \"x\"\nall = ['nobody.x == 1']\n"), sessions}, `expr.toml:5:9: all: there is no "nobody"`},
		"no time":           {[]string{"--policy", good, "--now", "yesterday", sessions}, `--now cannot be "yesterday"`},
		"no expectation":    {[]string{"--policy", good, "--expect", "nowhere.jsonl", sessions}, "nowhere.jsonl: no such file"},
		"no labels":         {[]string{"--policy", good, "--labels", "nowhere.jsonl", sessions}, "nowhere.jsonl: no such file"},
	}
	for name, tt := range tests {
		a := p.run("", false, append([]string{"replay"}, tt.argv...)...)
		if a.exit != 1 || !strings.Contains(a.stderr, tt.says) || strings.Contains(a.stderr, "goroutine ") {
			t.Errorf("%s: exit %d, want %q in %q", name, a.exit, tt.says, a.stderr)
		}
	}
}
