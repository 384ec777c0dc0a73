package main

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gatewright/policy"
)

// sameMeaning are lines without which a policy means the same.
var sameMeaning = []string{
	"by = 'past.result'", // banking: lists that are known twice are no matter
}

var (
	quotedItem = regexp.MustCompile(`("[^"]*"|'[^']*')(, )?`)
	comparison = regexp.MustCompile(` (<=|>=|==|and|or) `)
	opposite   = map[string]string{"<=": "<", ">=": ">", "==": "!=", "and": "or", "or": "and"}
)

// mutants are the texts of a policy that differ in one thing: an item of a list that
// is gone, a line, a comparison.
func mutants(text string) map[string]string {
	out := map[string]string{}
	lines := strings.Split(text, "\n")
	change := func(i int, line, what string) {
		other := slices.Clone(lines)
		other[i] = line
		out[what+" in "+lines[i]+" of "+ruleAbove(lines, i)] = strings.Join(other, "\n")
	}
	for i, line := range lines {
		key, _, _ := strings.Cut(line, " = ")
		if strings.HasPrefix(line, "#") || slices.Contains(sameMeaning, line) {
			continue
		}
		if slices.Contains([]string{"where", "if", "by", "value", "optional", "invalidated_by", "missing", "else"}, key) && !strings.HasSuffix(line, "'''") {
			change(i, "", "nothing")
		}
		if slices.Contains([]string{"tools", "from", "any"}, key) && strings.Contains(line, ", ") && strings.HasSuffix(line, "]") {
			for _, at := range quotedItem.FindAllStringIndex(line, -1) {
				change(i, strings.Replace(line[:at[0]]+line[at[1]:], ", ]", "]", 1), "no "+line[at[0]:at[1]])
			}
		}
		if key == "reason" {
			continue
		}
		for _, at := range comparison.FindAllStringSubmatchIndex(line, -1) {
			word := line[at[2]:at[3]]
			change(i, line[:at[2]]+opposite[word]+line[at[3]:], opposite[word]+" for "+word)
		}
	}
	return out
}

func ruleAbove(lines []string, i int) string {
	for ; i >= 0; i-- {
		if id, found := strings.CutPrefix(lines[i], "id = "); found {
			return id
		}
	}
	return ""
}

// TestPolicyMutants: whatever is changed in a policy, some session shows it.
func TestPolicyMutants(t *testing.T) {
	for _, domain := range replayDomains {
		text, err := os.ReadFile(ofTestdata(t, "policies", domain+".toml"))
		if err != nil {
			t.Fatal(err)
		}
		rec, _ := recordedSessions(t, domain)
		want, set := map[string][][]string{}, policyOf(t, domain)
		for _, id := range rec.order {
			want[id] = allSaid(t, set, rec, id)
		}
		for what, mutant := range mutants(string(text)) {
			layer, err := policy.Parse(policy.Repo, domain+".toml", []byte(mutant))
			if err != nil || len(layer.Expressions()) > 0 {
				continue // it would be noticed
			}
			t.Run(what, func(t *testing.T) {
				t.Parallel()
				set := &policy.Set{Layers: []*policy.Layer{layer}}
				shows := func(id string) bool { return !reflect.DeepEqual(allSaid(t, set, rec, id), want[id]) }
				if !slices.ContainsFunc(ofRuleFirst(rec.order, what), shows) {
					t.Errorf("no session of testdata/replay/%s.jsonl shows it", domain)
				}
			})
		}
	}
}

// ofRuleFirst orders sessions so that those which are named like the changed rule come
// first: they are the ones that show it.
func ofRuleFirst(sessions []string, what string) []string {
	var first, others []string
	for _, id := range sessions {
		if rule, _, _ := strings.Cut(id, " "); strings.Contains(what, `"`+strings.TrimSuffix(rule, ",")+`"`) {
			first = append(first, id)
		} else {
			others = append(others, id)
		}
	}
	slices.Reverse(others)
	return append(first, others...)
}

// allSaid is what is said to the calls of a session.
func allSaid(t *testing.T, set *policy.Set, rec *recording, id string) [][]string {
	t.Helper()
	var said [][]string
	for _, call := range replaySession(set, recordingTime(t), rec.sessions[id]) {
		said = append(said, saidTo(call))
	}
	return said
}
