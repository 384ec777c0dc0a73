package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/policy"
)

// The sessions of a rule with the id R are named "R objects" and "R says nothing".
const (
	objects     = " objects"
	saysNothing = " says nothing"
)

// neverAlone are the rules that cannot object alone, with what objects besides them
// in both sessions of their pair, or only where they do.
var neverAlone = map[string]struct{ both, with []string }{
	"D2.single-cap-2000":             {both: []string{"D2b.single-cap-500 deny"}, with: []string{"D3.session-cap-2000 deny"}},
	"D4b.password-not-in-user-words": {both: []string{"D4.password-needs-approval ask"}},
}

// onlyByOtherTool are the rules that object to each call of their tool.
var onlyByOtherTool = []string{"D4.password-needs-approval", "D5.profile-needs-approval"}

// ids are the names of sessions and calls: one that is left out changes the numbers
// of those after it.
var ids = regexp.MustCompile(`"(session|tool_use)_id":"[^"]*",`)

// recordedSessions are the sessions of a domain, and the lines of each without the
// ids.
func recordedSessions(t testing.TB, domain string) (*recording, map[string][]string) {
	t.Helper()
	path := ofTestdata(t, "replay", domain+".jsonl")
	rec, err := readRecordings([]string{path}, "claude", func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		id := gjson.Get(line, "session_id")
		lines[id.Str] = append(lines[id.Str], ids.ReplaceAllString(line, ""))
	}
	return rec, lines
}

func recordingTime(t testing.TB) time.Time {
	t.Helper()
	now, err := replayTime(replayNow)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

// saidTo is what the rules say to a call, sorted.
func saidTo(call *replayed) []string {
	var said []string
	for _, f := range call.findings {
		said = append(said, f.ID+" "+wordOf(f))
	}
	slices.Sort(said)
	return slices.Compact(said)
}

// ruleIDs are the ids of all gates and requirements, with the word they say.
func ruleIDs(set *policy.Set) map[string]string {
	words := map[string]string{}
	for _, layer := range set.Layers {
		for _, g := range layer.Gates {
			words[g.ID] = closes
		}
		for _, r := range layer.Requires {
			words[r.ID] = denies
			if r.ElseAsks {
				words[r.ID] = asks
			}
		}
	}
	return words
}

// TestEveryRuleHasAPair: for each rule of the policies there are two sessions that
// differ in one line. To the last call of the one this rule alone objects, and to
// that of the other none does.
func TestEveryRuleHasAPair(t *testing.T) {
	for _, domain := range replayDomains {
		set, now := policyOf(t, domain), recordingTime(t)
		rec, lines := recordedSessions(t, domain)
		for id, word := range ruleIDs(set) {
			t.Run(id, func(t *testing.T) {
				if lines[id+objects] == nil || lines[id+saysNothing] == nil {
					t.Fatalf("no pair of sessions in testdata/replay/%s.jsonl", domain)
				}
				if !slices.Contains(onlyByOtherTool, id) {
					oneLine(t, lines[id+objects], lines[id+saysNothing])
				}
				others := neverAlone[id]
				bad := slices.Concat([]string{id + " " + word}, others.both, others.with)
				last(t, replaySession(set, now, rec.sessions[id+objects]), bad)
				last(t, replaySession(set, now, rec.sessions[id+saysNothing]), others.both)
			})
		}
	}
}

// last compares what is said to the last call of a session; nothing may be said to
// those before it.
func last(t *testing.T, calls []*replayed, want []string) {
	t.Helper()
	slices.Sort(want)
	for i, call := range calls {
		got := saidTo(call)
		if i < len(calls)-1 && len(got) > 0 {
			t.Errorf("call %d: %q", i+1, got)
		}
		if i == len(calls)-1 && !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// oneLine fails unless two sessions differ in one line, or in one call with its
// result.
func oneLine(t *testing.T, a, b []string) {
	t.Helper()
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if !oneThing(a) || !oneThing(b) || len(a)+len(b) == 0 {
		t.Errorf("the sessions differ in more than one thing, or in nothing:\n%s\n%s", strings.Join(a, ""), strings.Join(b, ""))
	}
}

func oneThing(lines []string) bool {
	return len(lines) < 2 || len(lines) == 2 && strings.Contains(lines[0], `"PreToolUse"`) && strings.Contains(lines[1], `"PostToolUse"`)
}

// TestEveryRuleIsExpected: the file of expectations names each rule, and no rule
// that there is not.
func TestEveryRuleIsExpected(t *testing.T) {
	text, err := os.ReadFile(ofTestdata(t, "replay", "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		for _, verdict := range gjson.Get(line, "verdicts").Array() {
			named[verdict.Get("0").Str+" "+verdict.Get("1").Str] = true
		}
	}
	known := map[string]bool{}
	for _, domain := range replayDomains {
		for id, word := range ruleIDs(policyOf(t, domain)) {
			known[id+" "+word], known[id+" "+unknown] = true, true
			if !named[id+" "+word] {
				t.Errorf("no session of %s expects %s of %s", domain, word, id)
			}
		}
	}
	for name := range named {
		if !known[name] {
			t.Errorf("%q is expected and no policy can say it", name)
		}
	}
}
