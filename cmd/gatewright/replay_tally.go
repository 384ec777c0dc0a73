package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/gate"
	"gatewright/policy"
)

// The words for what a rule does to a call.
const (
	denies  = "deny"
	closes  = "gate"
	asks    = "ask"
	unknown = "unknown"
)

// wordOf is the word for a finding.
func wordOf(f gate.Finding) string {
	switch {
	case f.Closed:
		return closes
	case f.Undecided:
		return unknown
	case f.Decision == gate.Ask:
		return asks
	case f.Decision == gate.Deny:
		return denies
	}
	return ""
}

// maxExamples is how many calls are shown of each rule.
const maxExamples = 3

// ruleCount is what one rule did.
type ruleCount struct {
	Rule     string         `json:"rule"`
	Layer    string         `json:"layer"`
	Place    string         `json:"place"`
	Judged   int            `json:"judged"`
	Counts   map[string]int `json:"counts"`
	Examples []string       `json:"examples,omitempty"`
}

// sessionCount is how many sessions of one kind had a call with each word.
type sessionCount struct {
	Label    string         `json:"label"`
	Sessions int            `json:"sessions"`
	With     map[string]int `json:"with"`
}

// tally counts what the policy says to recorded sessions.
type tally struct {
	labels map[string]string
	judged int
	rules  map[string]*ruleCount
	order  []string
	kinds  map[string]*sessionCount
	said   map[string]map[string][][2]string // by session and call
}

func newTally(set *policy.Set) *tally {
	t := &tally{rules: map[string]*ruleCount{}, kinds: map[string]*sessionCount{}, said: map[string]map[string][][2]string{}}
	for _, source := range gate.Tables(set) {
		t.rule(source) // one that judges no call is shown, too: perhaps it names no tool that there is
	}
	return t
}

func (t *tally) session(id string, calls []*replayed) {
	kind := t.kind(cmp.Or(t.labels[id], "all"))
	kind.Sessions++
	had := map[string]bool{}
	t.said[id] = map[string][][2]string{}
	for _, call := range calls {
		t.judged++
		for _, said := range t.call(id, call) {
			had[said[1]] = had[said[1]] || !call.made.failed
		}
	}
	for word, yes := range had {
		if yes {
			kind.With[word]++
		}
	}
}

func (t *tally) kind(label string) *sessionCount {
	if t.kinds[label] == nil {
		t.kinds[label] = &sessionCount{Label: label, With: map[string]int{}}
	}
	return t.kinds[label]
}

// call counts what each rule says to one call, once.
func (t *tally) call(session string, call *replayed) [][2]string {
	var said [][2]string
	for _, source := range judgedBy(call) {
		t.rule(source).Judged++
	}
	for _, f := range call.findings {
		pair := [2]string{f.ID, wordOf(f)}
		if pair[1] == "" || slices.Contains(said, pair) {
			continue
		}
		said = append(said, pair)
		r := t.rule(f.Source)
		if r.Counts[pair[1]]++; len(r.Examples) < maxExamples {
			r.Examples = append(r.Examples, fmt.Sprintf("%s: %s %s %s", pair[1], session, call.Tool, short(string(call.Args), 120)))
		}
	}
	if len(said) > 0 {
		t.said[session][call.ToolUseID] = append(t.said[session][call.ToolUseID], said...)
	}
	return said
}

// judgedBy is which rules judged a call, those that no policy says included.
func judgedBy(call *replayed) []policy.Source {
	sources := slices.Clone(call.about)
	for _, f := range call.findings {
		if !slices.Contains(sources, f.Source) {
			sources = append(sources, f.Source)
		}
	}
	return sources
}

func (t *tally) rule(s policy.Source) *ruleCount {
	key := s.Layer + "/" + s.ID + "/" + s.File // two folders can have rules of one name
	if t.rules[key] == nil {
		t.rules[key] = &ruleCount{Rule: s.ID, Layer: s.Layer, Counts: map[string]int{}}
		if s.File != "" { // our own rules are in no file
			t.rules[key].Place = placeOf(s)
		}
		t.order = append(t.order, key)
		slices.Sort(t.order)
	}
	return t.rules[key]
}

func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// readLabels reads what is known of each session: whether it was a success.
func readLabels(path string) (map[string]string, error) {
	labels := map[string]string{}
	if path == "" {
		return labels, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		line := gjson.ParseBytes(lines.Bytes())
		if success := line.Get("success"); success.Exists() {
			labels[line.Get("session_id").Str] = "success " + success.String()
		}
	}
	return labels, lines.Err()
}

func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%d calls judged\n\n%-40s %7s %7s %7s %7s %7s\n", t.judged, "rule", "judged", denies, closes, asks, unknown)
	for _, key := range t.order {
		r := t.rules[key]
		fmt.Fprintf(w, "%-40s %7d %7d %7d %7d %7d\n", r.Rule, r.Judged, r.Counts[denies], r.Counts[closes], r.Counts[asks], r.Counts[unknown])
		for _, example := range r.Examples {
			fmt.Fprintf(w, "    %s\n", example)
		}
	}
	fmt.Fprintf(w, "\n%-40s %7s %7s %7s %7s %7s\n", "sessions", "all", "a deny", "a gate", "an ask", unknown)
	for _, label := range t.labelOrder() {
		k := t.kinds[label]
		fmt.Fprintf(w, "%-40s %7d %7d %7d %7d %7d\n", label, k.Sessions, k.With[denies], k.With[closes], k.With[asks], k.With[unknown])
	}
}

func (t *tally) labelOrder() []string {
	var labels []string
	for label := range t.kinds {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	return labels
}

func (t *tally) printJSON(w io.Writer) {
	report := struct {
		Judged   int             `json:"judged"`
		Rules    []*ruleCount    `json:"rules"`
		Sessions []*sessionCount `json:"sessions"`
	}{Judged: t.judged}
	for _, key := range t.order {
		report.Rules = append(report.Rules, t.rules[key])
	}
	for _, label := range t.labelOrder() {
		report.Sessions = append(report.Sessions, t.kinds[label])
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	_ = out.Encode(report) // plain data; a closed pipe is the reader's wish
}
