package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"gatewright/policy"
)

const hideSSN = "[[normalize]]\nid = \"hide\"\ntools = [\"mcp__crm__*\"]\npaths = [\"**.ssn\"]\nredact = true\n"

// TestHidesEverywhere: whatever a server wraps a value in, it is hidden, or the result is
// withheld.
func TestHidesEverywhere(t *testing.T) {
	set := mustParse(t, hideSSN)
	asText := func(text string) string { quoted, _ := json.Marshal(text); return string(quoted) }
	block := func(text string) string { return `[{"type":"text","text":` + asText(text) + `}]` }
	const doc = `{"a":1,"ssn":"078-05-1120"}`
	for _, response := range []string{
		block(doc), asText(doc), doc, `[{"ssn":"078-05-1120"}]`, block("\ufeff" + doc), block("\u00a0" + doc), block("```json\n" + doc + "\n```"), block("Result: " + doc), block(doc + "\n" + doc),
		block(`{"ssn":"078-05-1120","score":NaN}`), block(`{"ssn":"078-05-1120",}`), block("ssn: 078-05-1120"), block("SSN=078-05-1120"),
		`[{"type":"text","text":"{\"ssn\":\"078-05-1120\",\"x\":\"\ud83d\"}"}]`,
		`[{"type":"resource","resource":{"uri":"x:","mimeType":"application/json","text":` + asText(doc) + `}}]`,
		block(`{"inner":` + asText(doc) + `}`), block(asText(doc)), `{"x":` + asText(doc) + `}`,
		`{"type":"customer","ssn":"078-05-1120"}`, `{"ssn":"078-05-1120","content":[]}`, `[{"type":"customer","ssn":"078-05-1120"}]`, `[{"type":"text","text":"x"},` + asText(doc) + `]`,
		`{"content":[],"structuredContent":` + asText(doc) + `}`, `{"content":[{"type":"text","text":"x"}],"structuredContent":` + doc + `}`,
		block(`{"ſſn":"078-05-1120"}`), block(`{"SSN":"078-05-1120"}`), block(`{"\u0073sn":"078-05-1120"}`), block(`{"ssn":"078-05-1120","ssn":"078-05-1120"}`),
		block(`{"ssn":{"parts":["078-05-1120"]}}`), block(`{"ssn":["078-05-1120"]}`),
	} {
		p := Present(set, Context{}, Help{Digest: func(string) string { return "0123456789abcdef" }}, finished("mcp__crm__get", `{}`, response))
		all := string(p.Reply.Result) + p.Reply.Text + p.Reply.Beside + p.Reply.Context + strings.Join(p.Notes, " ") + p.Read
		if p.Reply.Result == nil || strings.Contains(all, "078-05") {
			t.Errorf("%s: %s %+v", response, p.Reply.Result, p)
		}
	}
	for _, response := range []string{block("There is no SSN on file."), block(`{"ssn_type":"none"}`), block("plain"), `[]`, `[{"type":"image","data":"AAAA"}]`} {
		if p := Present(set, Context{}, Help{}, finished("mcp__crm__get", `{}`, response)); p.Reply.Result != nil {
			t.Errorf("nothing is hidden in %s: %s", response, p.Reply.Result)
		}
	}
}

// TestHidesBelow: no table of a narrower layer shows what a broader one hides, and none
// tells of it elsewhere.
func TestHidesBelow(t *testing.T) {
	table := func(lines string) string { return "[[normalize]]\nid = \"n\"\ntools = [\"*\"]\n" + lines + "\n" }
	const doc = `{"customer":{"ssn":"078-05-1120"},"nid":"078-05-1120","when":"078-05-1120","c":{"x":{"ssn":"078-05-1120"}}}`
	for _, narrow := range []string{
		`paths = ["customer"]` + "\nrename = \"d\"\nkeep = true",
		`paths = ["**.ssn"]` + "\nrename = \"d\"\nkeep = true",
		`paths = ["**.ssn"]` + "\nrename = \"d\"",
		`paths = ["**.ssn"]` + "\ntime = \"auto\"",
		`paths = ["**.ssn"]` + "\nmap = { a = \"b\" }",
		`paths = ["when"]` + "\nrename = \"ssn\"",
		`paths = ["customer"]` + "\nrename = \"c\"",
		`paths = ["c"]` + "\nrename = \"customer\"\nkeep = true",
	} {
		broad := parsed(t, "managed", nil, hideSSN+"[[normalize]]\nid = \"nid\"\ntools = [\"mcp__crm__*\"]\npaths = [\"nid\"]\nrename = \"ssn\"\n[[normalize]]\nid = \"map\"\ntools = [\"mcp__crm__*\"]\npaths = [\"nid\"]\nmap = { a = \"b\" }\n")
		set := &policy.Set{Layers: []*policy.Layer{broad, parsed(t, "repo", nil, table(narrow))}}
		p := Present(set, Context{}, Help{Digest: noDigest}, finished("mcp__crm__get", `{}`, doc))
		shown := strings.ReplaceAll(string(p.Reply.Result), `"when":"078-05-1120"`, "")
		if strings.Contains(shown+p.Reply.Beside+strings.Join(p.Notes, " "), "078-05") {
			t.Errorf("%s:\n%s\n%s\n%v", narrow, p.Reply.Result, p.Reply.Beside, p.Notes)
		}
	}
}

// TestHidesInTime: what could not be hidden in time is withheld; anything else is shown
// as it was, and said.
func TestHidesInTime(t *testing.T) {
	doc := `[` + strings.Repeat(`{"t":1},`, 3000) + `{"ssn":"078-05-1120"}]`
	stop := Help{Digest: noDigest, Stop: func() bool { return true }}
	if p := Present(mustParse(t, hideSSN), Context{}, stop, finished("mcp__crm__get", `{}`, doc)); !strings.Contains(string(p.Reply.Result), "withheld") {
		t.Errorf("%.200s", p.Reply.Result)
	}
	times := mustParse(t, strings.NewReplacer("ssn", "t", "redact = true", `time = "auto"`).Replace(hideSSN))
	if p := Present(times, Context{}, stop, finished("mcp__crm__get", `{}`, doc)); p.Reply.Result != nil || len(p.Notes) == 0 {
		t.Errorf("%.200s %v", p.Reply.Result, p.Notes)
	}
}

// TestHidesThroughOwnTool: what may be withheld is hidden where there is time, too.
func TestHidesThroughOwnTool(t *testing.T) {
	set := mustParse(t, "[[dispatcher]]\nid = \"d\"\ntools = [\"Relay\", \"execute\"]\ntarget = \"t\"\nargs = \"a\"\n"+hideSSN)
	ev := finished("Relay", `{"t":"mcp__x__execute","a":{"t":"mcp__crm__get","a":{}}}`, `{"ssn":"123-45"}`)
	if !Hides(set, ev) {
		t.Error("nothing is withheld")
	}
	p := Present(set, Context{}, Help{Digest: func(string) string { return "hidden" }}, ev)
	if strings.Contains(string(p.Reply.Result), "123-45") || !strings.Contains(string(p.Reply.Result), "hidden") {
		t.Errorf("%s", p.Reply.Result)
	}
}
