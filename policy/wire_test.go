package policy

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"gatewright/errorsctx"
)

const everyKeyFile = "../testdata/policies/every-key.toml"

func everyKey(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(everyKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parseManaged(t *testing.T, text string) *Layer {
	t.Helper()
	l, err := Parse(Managed, everyKeyFile, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return l
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if _, err := toml.Decode(text, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// TestWireForm: a policy is its values, whatever way TOML has of writing them.
func TestWireForm(t *testing.T) {
	text := everyKey(t)
	var again bytes.Buffer
	if err := toml.NewEncoder(&again).Encode(decoded(t, text)); err != nil {
		t.Fatal(err)
	}
	first, second := parseManaged(t, text), parseManaged(t, again.String())
	if first.DefaultLine != 6 || second.DefaultLine == 0 || first.Facts[0].Line == second.Facts[0].Line {
		t.Errorf("the lines are not those of the texts: %d and %d, %d and %d", first.DefaultLine, second.DefaultLine, first.Facts[0].Line, second.Facts[0].Line)
	}
	for _, l := range []*Layer{first, second} {
		l.Text, l.DefaultLine, l.Warnings, l.expressions = nil, 0, nil, nil
		forgetLines(reflect.ValueOf(l).Elem())
	}
	if !reflect.DeepEqual(first, second) {
		t.Errorf("written anew it is another policy:\n%+v\n%+v", first, second)
	}
}

// forgetLines sets every Source's line to zero.
func forgetLines(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[Source]():
		v.FieldByName("Line").SetInt(0)
	case v.Type() == reflect.TypeFor[*Expression]():
		if e := v.Interface().(*Expression); e != nil {
			v.Set(reflect.ValueOf(&Expression{Text: e.Text, condition: e.condition}))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			forgetLines(v.Index(i))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				forgetLines(v.Field(i))
			}
		}
	}
}

// TestEveryFieldIsUsed: what the language can say is said in the file, so that
// the other tests here are about all of it.
func TestEveryFieldIsUsed(t *testing.T) {
	l := parseManaged(t, everyKey(t))
	if len(l.Lint) > 0 {
		t.Errorf("check would complain: %v", l.Lint)
	}
	used := map[string]bool{}
	noteFields(reflect.ValueOf(*l), used)
	for _, table := range []string{"Tool", "Fact", "Gate", "Limit", "Rule", "Match", "Condition", "Context", "Expression", "Require", "Lookup", "Period", "Failure", "Normalize", "Retry", "Claims", "Intent", "Untrusted", "Dispatcher", "Command", "Shell"} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(field string) bool { return strings.HasPrefix(field, table+".") }) {
			t.Errorf("no %s was seen", table)
		}
	}
	for field, isUsed := range used {
		if !isUsed && field != "Layer.Lint" && field != "Layer.Warnings" && field != "Problem.Column" {
			t.Errorf("%s is nowhere set", field)
		}
	}
}

// noteFields notes for each exported field of this package's types whether it
// has a value somewhere.
func noteFields(v reflect.Value, used map[string]bool) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			noteFields(v.Index(i), used)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			noteFields(v.Elem(), used)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[Layer]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				name := v.Type().Name() + "." + field.Name
				used[name] = used[name] || !v.Field(i).IsZero()
				noteFields(v.Field(i), used)
			}
		}
	}
}

// words are the words that each key can have. Only default has one of its own
// in the file: it stands there once.
func words() map[string][]string {
	categories := slices.Clone(categoryWords)
	for _, c := range errorsctx.Categories {
		categories = append(categories, string(c))
	}
	return map[string][]string{
		"effect":           {"allow", "deny", "hide", "require_approval", "auto_approve"},
		"on":               surfaces,
		"category":         categories,
		"exposure":         exposureWords,
		"operation":        operationWords,
		"risk":             riskWords,
		"risk_at_least":    {"low"},
		"risk_at_most":     {"medium", "high"},
		"family":           families(),
		"type":             jsonTypes,
		"over":             {"deny", "ask"},
		"per":              {"call", "session", "24h"},
		"time":             errorsctx.TimeUnits,
		"schema_version":   {ClaimVersion},
		"opaque":           {"ask"},
		"spelling":         {"camelCase"},
		"unregistered":     {"pass"},
		"files":            {"outside"},
		"operations":       operationWords,
		"require_evidence": EvidenceTypes,
		"number":           errorsctx.NumberForms,
		"default":          {"deny"},
		"client":           contextValues["client"],
		"permission_mode":  {"plan"},
	}
}

// TestEveryWordIsUsed: the words and the operators, too.
func TestEveryWordIsUsed(t *testing.T) {
	said := map[string][]string{}
	noteValues("", decoded(t, everyKey(t)), said)
	for key, list := range words() {
		for _, word := range list {
			if !slices.Contains(said[key], word) {
				t.Errorf("%s = %q is nowhere said", key, word)
			}
		}
	}
	for _, key := range slices.Concat(conditionOps, contextKeys, []string{some, all}) {
		if _, ok := said[key]; !ok {
			t.Errorf("%s is nowhere said", key)
		}
	}
}

// noteValues notes the texts that each key has.
func noteValues(key string, value any, said map[string][]string) {
	said[key] = append(said[key], fmt.Sprint(value))
	switch v := value.(type) {
	case map[string]any:
		for k, inner := range v {
			noteValues(k, inner, said)
		}
	case []map[string]any:
		for _, inner := range v {
			noteValues(key, inner, said)
		}
	case []any:
		for _, inner := range v {
			noteValues(key, inner, said)
		}
	}
}

var (
	keyInText   = regexp.MustCompile(`"?\b([A-Za-z_.]+)\b"? = `)
	tableInText = regexp.MustCompile(`^\[\[?([a-z_.]+)\]`)
	wordInText  = regexp.MustCompile(`\b([a-z_]+) = (\[[^]{}]*\]|"[^"]*")`)
	quoted      = regexp.MustCompile(`"([^"]*)"`)
)

// TestEveryKeyIsChecked misspells each key and each table of the file.
func TestEveryKeyIsChecked(t *testing.T) {
	misspelt := 0
	lines := strings.Split(everyKey(t), "\n")
	for i, line := range lines {
		for n, place := range keyInText.FindAllStringSubmatchIndex(line, -1) {
			if n > 0 && (strings.HasPrefix(line, "table = ") || strings.HasPrefix(line, "names = ") || strings.HasPrefix(line, "args = ") || strings.HasPrefix(line, "scale = ")) {
				break // these keys are the author's own
			}
			wantProblem(t, lines, i, line[:place[3]]+"x"+line[place[3]:], i+1)
			misspelt++
		}
		if table := tableInText.FindStringSubmatchIndex(line); table != nil {
			wantProblem(t, lines, i, line[:table[3]]+"x"+line[table[3]:], anyLine)
		}
	}
	if misspelt < 120 {
		t.Errorf("only %d keys were found", misspelt)
	}
}

// TestEveryWordIsChecked replaces each word of the file by one that is none.
func TestEveryWordIsChecked(t *testing.T) {
	replaced := 0
	lines := strings.Split(everyKey(t), "\n")
	for i, line := range lines {
		for _, place := range wordInText.FindAllStringSubmatchIndex(line, -1) {
			key := line[place[2]:place[3]]
			if words()[key] == nil || contextValues[key] != nil {
				continue
			}
			for _, word := range quoted.FindAllStringSubmatchIndex(line[place[4]:place[5]], -1) {
				end := place[4] + word[3]
				wantProblem(t, lines, i, line[:end]+"x"+line[end:], i+1)
				replaced++
			}
		}
	}
	if replaced < 50 {
		t.Errorf("only %d words were found", replaced)
	}
}

// anyLine stands for a place that is somewhere in the file: what follows a
// misspelt table may be what cannot be read.
const anyLine = 0

// wantProblem replaces a line of the file, which must then be no policy.
func wantProblem(t *testing.T, lines []string, i int, line string, at int) {
	t.Helper()
	changed := slices.Clone(lines)
	changed[i] = line
	_, err := Parse(Managed, everyKeyFile, []byte(strings.Join(changed, "\n")))
	problems, _ := err.(Problems)
	named := func(p Problem) bool {
		return p.File == everyKeyFile && p.Message != "" && (p.Line == at || at == anyLine && p.Line > 0)
	}
	if !slices.ContainsFunc(problems, named) {
		t.Errorf("%s: %v", line, err)
	}
}
