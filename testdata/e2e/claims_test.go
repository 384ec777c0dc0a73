package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

const claimsPolicy = `version = 1

[claims]
intent_classes = ["answer", "advertise"]
resource_types = ["mail"]

[[tool]]
name = "mcp__crm__send_mail"
claim = true
operation = "send"
risk = "low"
resource_type = "mail"
items = "to[]"
destination = ["to[]"]

[[tool]]
name = "mcp__crm__read_mail"
operation = "read"
risk = "low"

[[intent]]
id = "desk"
intent_classes = ["answer"]
operations = ["send"]
tools = ["mcp__crm__send_mail"]

[[untrusted]]
id = "inbox"
tools = ["mcp__crm__read_mail"]
`

// Why claims are refused.
const (
	otherCall   = "claim does not match the call"
	otherIntent = "claim does not match the authorised intent"
	missing     = "claim missing"
	malformed   = "claim malformed"
	undeclared  = "untrusted input not declared"
	stale       = "evidence is stale"
	needsReview = "needs review"
)

// eachMode runs a test in every client: where a person could be asked, where nobody
// is, and where the model writes programs.
func eachMode(t *testing.T, test func(w *world, p play)) {
	eachClient(t, func(t *testing.T, c client) {
		modes := map[string]play{"default": {}, "bypass": {Bypass: true}}
		if c.name == "codex" {
			modes["code"] = play{CodeMode: true}
		}
		for name, p := range modes {
			t.Run(name, func(t *testing.T) {
				test(newClaims(t, c), p)
			})
		}
	})
}

// newClaims is a world in which letters need claims.
func newClaims(t *testing.T, c client) *world {
	t.Helper()
	w := newInstalled(t, c)
	w.write(w.policy(), claimsPolicy)
	return w
}

// TestClaim: a call whose claim fits reaches the server without it, and otherwise as
// the model made it. One whose claim does not fit is refused with a coarse reason.
func TestClaim(t *testing.T) {
	eachMode(t, func(w *world, p play) {
		steps := []step{
			{send(desk), ""},
			{send(stranger), otherCall},
			{Call{Tool: sendMail, Args: letter(desk)}, missing},
			{send(desk), ""},
			{send(desk, with("skip_checks", true)), malformed},
			{send(desk, with("intent_class", "advertise")), otherIntent},
		}
		p.Main = callsOf(steps)
		w.checkLetters(w.checkClaims(w.run(p), "main", steps))
	})
}

// TestUntrusted: once the model has read the inbox, a claim must cite it as the model
// was told last. A failure is an input, too; on Codex no hook hears of it.
func TestUntrusted(t *testing.T) {
	readMail := func(folder string) step {
		return step{Call{Tool: "mcp__crm__read_mail", Args: object{"folder": folder}}, ""}
	}
	eachMode(t, func(w *world, p play) {
		afterFailure := undeclared
		if w.client.name == "codex" {
			afterFailure = ""
		}
		steps := []step{
			{send(desk), ""},
			readMail("inbox"),
			{send(desk), undeclared},
			{send(desk, citing(first)), ""},
			readMail("a stranger"),
			{send(desk, citing(first)), afterFailure},
			{send(desk, citing(last)), ""},
		}
		p.Main = callsOf(steps)
		w.checkLetters(w.checkClaims(w.run(p), "main", steps))
	})
}

// TestEvidence: a session and its agents are told at their beginning what to cite of
// the intent and the policy. After a person has changed the policy that is stale, and
// the session that goes on is told anew.
func TestEvidence(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newClaims(t, c)
		steps := []step{
			{send(desk, evidence("intent", 1), evidence("policy", 2)), ""},
			{send(desk, evidence("intent", 2)), stale},
			{send(desk, evidence("policy", 1)), stale},
		}
		o := w.run(play{Script: Script{Main: append(callsOf(steps), c.delegate()...), Sub: callsOf(steps)}, Bypass: true})
		w.checkLetters(w.checkClaims(o, "main", steps) + w.checkClaims(o, "sub", steps))

		told := canCite.FindStringSubmatch(unescaped(o.Read("main", 0)))
		if told == nil {
			t.Fatal("the model was told no digests")
		}
		w.write(w.policy(), strings.ReplaceAll(claimsPolicy, `"answer"`, `"answer", "ask"`))
		old := func(kind string, which int) amend {
			return with("evidence_refs", []object{{"type": kind, "digest": told[which]}})
		}
		again := []step{{send(desk, old("intent", 1)), stale}, {send(desk, old("policy", 2)), stale}, steps[0]}
		o = w.run(play{Script: Script{Main: callsOf(again)}, Resume: true, Bypass: true})
		w.checkLetters(2 + w.checkClaims(o, "main", again))
	})
}

const (
	desk     = "a@support.example"
	stranger = "eve@elsewhere.example"
	sendMail = "mcp__crm__send_mail"
)

// letter is what the tool is to get.
func letter(to string) object {
	return object{"to": []string{to, to}, "text": "Dear \"A\" & <B>,\n\u2028 1 \\ 2 é"}
}

// amend changes a claim, and may look at what the model has read.
type amend func(claim object, read string)

// send sends a letter with a claim that fits one to the desk, as amended.
func send(to string, amends ...amend) Call {
	return Call{Tool: sendMail, Args: func(conversation []byte) any {
		claim := object{
			"schema_version": "ebte-0.1", "intent_class": "answer", "selected_tool": sendMail,
			"expected_effect": object{"operation": "send", "resource_type": "mail", "resource_ids": []any{}, "max_items": 2, "destination": "support.example"},
			"risk_tier":       "low", "uncertainty": "low", "untrusted_context": []object{}, "evidence_refs": []object{},
		}
		for _, change := range amends {
			change(claim, unescaped(string(conversation)))
		}
		args := letter(to)
		args["claim"] = claim
		return args
	}}
}

func with(member string, value any) amend {
	return func(claim object, _ string) { claim[member] = value }
}

// What the model is told of digests.
var (
	mustCite = regexp.MustCompile(`untrusted_context must have: \{"source":"inbox","digest":"([0-9a-f]{32})"\}`)
	canCite  = regexp.MustCompile(`cite as evidence_refs: \{"type":"intent","digest":"([0-9a-f]{32})"\}, \{"type":"policy","digest":"([0-9a-f]{32})"\}`)
)

// Which of the model's untrusted inputs a claim cites.
const (
	first = "first"
	last  = "last"
)

func citing(which string) amend {
	return func(claim object, read string) {
		told := mustCite.FindAllStringSubmatch(read, -1)
		if which == first {
			told = told[:min(len(told), 1)]
		}
		for _, m := range told[max(0, len(told)-1):] {
			claim["untrusted_context"] = []object{{"source": "inbox", "digest": m[1]}}
		}
	}
}

// evidence cites the first or second digest of those that the model was told last.
func evidence(kind string, which int) amend {
	return func(claim object, read string) {
		told := canCite.FindAllStringSubmatch(read, -1)
		for _, m := range told[max(0, len(told)-1):] {
			claim["evidence_refs"] = append(claim["evidence_refs"].([]object), object{"type": kind, "digest": m[which]})
		}
	}
}

// unescaped is a text as it was before it was put into JSON, however deep.
func unescaped(text string) string { return strings.ReplaceAll(text, `\`, "") }

// step is a call, and why it is refused, if it is.
type step struct {
	Call
	reason string
}

func callsOf(steps []step) []Call {
	var calls []Call
	for _, s := range steps {
		calls = append(calls, s.Call)
	}
	return calls
}

// checkClaims checks what the model was told in a thread, and counts the letters that
// were not refused.
func (w *world) checkClaims(o outcome, thread string, steps []step) (letters int) {
	w.Helper()
	for turn, s := range steps {
		told := unescaped(o.Told(thread, turn))
		switch {
		case s.reason != "":
			w.checkRefusal(told, s.reason)
		case !strings.Contains(told, "taken") && !strings.Contains(told, "Access denied"):
			w.Errorf("%s %d: the model was told %q", thread, turn, told)
		case s.Tool == sendMail:
			letters++
		}
	}
	if o.Heard("goes somewhere else") {
		w.Error("the model was told what was compared")
	}
	return letters
}

// revealing is what a refusal must not tell.
var revealing = regexp.MustCompile(`[0-9a-f]{16}|\.example|destination|digest|max_items`)

// checkRefusal checks that the model read the reason, in our form, and no more.
func (w *world) checkRefusal(told, reason string) {
	w.Helper()
	mendable := reason == missing || reason == malformed
	contract := fmt.Sprintf(`{"isError":true,"errorCategory":"VALIDATION","isRetryable":%t,"message":%q,"rule":"claims","layer":"repo"}`, mendable, reason)
	before, after, found := strings.Cut(told, contract)
	if !found || revealing.MatchString(before+after) {
		w.Errorf("the model was told %q, want %s", told, contract)
	}
}

// checkLetters checks that exactly so many letters to the desk reached the server, and
// nothing with them.
func (w *world) checkLetters(want int) {
	w.Helper()
	letters := w.received("send_mail")
	for _, l := range letters {
		if l != jsonOf(letter(desk)) {
			w.Errorf("the server was sent %s", l)
		}
	}
	if len(letters) != want {
		w.Errorf("%d letters reached the server, want %d", len(letters), want)
	}
}
