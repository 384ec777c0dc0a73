package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

// malformed are values that models write where something else belongs.
var malformed = map[string]string{
	"null":                  `null`,
	"text":                  `"x"`,
	"empty text":            `""`,
	"number":                `7`,
	"huge number":           `1e400`,
	"number as text":        `"7"`,
	"true":                  `true`,
	"object":                `{}`,
	"object with an item":   `{"0":{"payment_id":"credit_card_1","amount":1}}`,
	"list of texts":         `["credit_card_1"]`,
	"list of numbers":       `[1,2]`,
	"list of null":          `[null]`,
	"list of empty objects": `[{}]`,
	"list of lists":         `[[[]]]`,
	"list as text":          `"[{\"payment_id\":\"credit_card_1\"}]"`,
	"nested":                strings.Repeat(`[`, 400) + strings.Repeat(`]`, 400),
	"deep objects":          strings.Repeat(`{"a":`, 400) + `1` + strings.Repeat(`}`, 400),
	"other members":         `[{"id":"credit_card_1","value":"1"}]`,
	"folded members":        `[{"payment_id":"credit_card_1","Payment_ID":"x","amount":1,"AMOUNT":2,"flight_number":"F-1","FLIGHT_NUMBER":"F-9","date":"2024-05-20"}]`,
}

// Groups of malformed values that some rules take for the right form.
var (
	anyText = []string{"text", "empty text", "number as text", "list as text"}
	anyList = []string{"list of texts", "list of numbers", "list of null", "list of empty objects", "list of lists", "nested", "other members", "folded members"}
)

// rightForm are the malformed values that a rule can say yes to, because they have
// the form that it reads: names by "rule/member".
var rightForm = map[string][]string{
	"A5.max-5-passengers/passengers":                    anyList, // it counts
	"A8.bag-fee(book)/passengers":                       anyList,
	"A14.trip-type-kept/flights":                        anyList,
	"A17a.bags-never-removed/total_baggages":            {"number"},
	"A19.passenger-count-kept/passengers":               anyList,
	"A20a.no-certificate-on-update/payment_id":          anyText,
	"R8.same-count/item_ids":                            anyList,
	"R8.same-count/new_item_ids":                        anyList,
	"R9a.new-item-differs/item_ids":                     {"list of texts"},
	"R9a.new-item-differs/new_item_ids":                 {"list of texts"},
	"R11.payment-differs/payment_method_id":             anyText,
	"R12.gift-card-covers-order/payment_method_id":      anyText, // no gift card
	"R13.gift-card-covers-difference/new_item_ids":      {"list of texts"},
	"R13.gift-card-covers-difference/payment_method_id": anyText,
	"D1u.payee-change/recipient":                        {"null", "empty text"},
	"D2.single-cap-2000/amount":                         {"number", "number as text"},
	"D2b.single-cap-500/amount":                         {"number", "number as text"},
	"D3.session-cap-2000/amount":                        {"number", "number as text"},
}

// TestMalformedArguments: what a rule reads of a call's arguments is replaced by
// what does not belong there. The rule says something, and nothing breaks.
func TestMalformedArguments(t *testing.T) {
	for _, domain := range replayDomains {
		set := policyOf(t, domain)
		rec, _ := recordedSessions(t, domain)
		for _, r := range set.Layers[0].Requires {
			t.Run(r.ID, func(t *testing.T) {
				events := rec.sessions[r.ID+objects]
				for _, member := range argumentsRead(t, r) {
					twin := `"` + strings.ToUpper(member) + `":1,"` + member + `":` + lastArgs(events).Get(member).Raw
					if said := rulesOf(t, set, events, withMember(t, events, member, twin)); !slices.Contains(said, r.ID) {
						t.Errorf("silence where %s has a sibling: %q", member, said)
					}
					for name, value := range malformed {
						mayPass := slices.Contains(rightForm[r.ID+"/"+member], name)
						said := rulesOf(t, set, events, withMember(t, events, member, `"`+member+`":`+value))
						if !slices.Contains(said, r.ID) && !mayPass && !anyGate(set, said) {
							t.Errorf("silence where %s is %s: %.60s", member, name, value)
						}
					}
				}
			})
		}
	}
}

// argumentsRead lists the members of the arguments that a requirement reads.
func argumentsRead(t *testing.T, r policy.Require) []string {
	t.Helper()
	read := map[string]bool{}
	for _, list := range [][]*policy.Expression{{r.If}, r.All, r.Any} {
		for _, e := range list {
			if e == nil {
				continue
			}
			p, err := e.Program()
			if err != nil {
				t.Fatal(err)
			}
			for _, member := range p.Reads()["args"] {
				read[member] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(read))
}

// anyGate: a call that cannot be joined to what was seen closes a gate.
func anyGate(set *policy.Set, said []string) bool {
	return slices.ContainsFunc(set.Layers[0].Gates, func(g policy.Gate) bool { return slices.Contains(said, g.ID) })
}

func lastArgs(events []recorded) gjson.Result {
	for _, ev := range slices.Backward(events) {
		if ev.Kind == hooks.PreToolUse {
			return gjson.ParseBytes(ev.Args)
		}
	}
	return gjson.Result{}
}

// withMember is the last call's arguments with other text for a member.
func withMember(t *testing.T, events []recorded, member, text string) []byte {
	t.Helper()
	parts := []string{text}
	lastArgs(events).ForEach(func(k, v gjson.Result) bool {
		if k.Str != member {
			parts = append(parts, k.Raw+":"+v.Raw)
		}
		return true
	})
	args := "{" + strings.Join(parts, ",") + "}"
	if !gjson.Valid(args) {
		t.Fatal(args)
	}
	return []byte(args)
}

// rulesOf are the ids of the rules that say something to the session's last call
// with these arguments.
func rulesOf(t *testing.T, set *policy.Set, events []recorded, args []byte) []string {
	t.Helper()
	end := 0
	for i, ev := range events {
		if ev.Kind == hooks.PreToolUse {
			end = i
		}
	}
	changed := slices.Clone(events[:end+1])
	changed[end].Args = args
	calls := replaySession(set, recordingTime(t), changed)
	var ids []string
	for _, f := range calls[len(calls)-1].findings {
		if f.Decision != gate.Ask && f.Decision != gate.Deny {
			t.Errorf("%s says %v", f.ID, f.Decision)
		}
		ids = append(ids, f.ID)
	}
	return ids
}
