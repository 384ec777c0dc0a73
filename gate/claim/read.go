package claim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/policy"
)

// maxSummary bounds the one text of a claim, in bytes. Nothing reads it.
const maxSummary = 2000

// maxCount bounds how many items a claim can speak of.
const maxCount = 1_000_000_000

// Read takes a claim apart. Its error says precisely what is wrong with the form, for
// the audit, and never what the claim says.
func Read(raw []byte, form *policy.Claims) (Claim, error) {
	r := &reader{form: form}
	var c Claim
	top := r.object("the claim", gjson.ParseBytes(raw), []string{"schema_version", "intent_class", "selected_tool", "expected_effect", "risk_tier", "uncertainty", "untrusted_context", "evidence_refs"}, "summary")
	r.word("schema_version", top["schema_version"], []string{form.Version})
	c.Class = r.word("intent_class", top["intent_class"], form.Classes)
	c.Tool = r.identifier("selected_tool", top["selected_tool"])
	c.Effect = r.effect(top["expected_effect"])
	c.Risk = r.level("risk_tier", top["risk_tier"])
	c.Uncertain = r.level("uncertainty", top["uncertainty"])
	for _, pair := range r.pairs("untrusted_context", top["untrusted_context"], "source") {
		c.Untrusted = append(c.Untrusted, Source(pair))
	}
	for _, pair := range r.pairs("evidence_refs", top["evidence_refs"], "type") {
		if !slices.Contains(policy.EvidenceTypes, pair.Name) {
			r.fault("evidence_refs has an unknown type")
		}
		c.Evidence = append(c.Evidence, Evidence{pair.Name, pair.Digest})
	}
	if s := top["summary"]; s.Exists() && s.Type != gjson.Null && (s.Type != gjson.String || len(s.Str) > maxSummary) {
		r.fault("summary is no short text")
	}
	return c, r.err
}

// reader keeps the first fault.
type reader struct {
	form *policy.Claims
	err  error
}

func (r *reader) fault(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
	}
}

// spelt is a member's name in the policy's spelling.
func (r *reader) spelt(name string) string {
	if !r.form.CamelCase {
		return name
	}
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// object reads an object that has exactly the named members, and perhaps others.
func (r *reader) object(what string, v gjson.Result, names []string, optional ...string) map[string]gjson.Result {
	members := map[string]gjson.Result{}
	if !v.IsObject() {
		r.fault("%s is no object", what)
		return members
	}
	v.ForEach(func(k, m gjson.Result) bool {
		known := false
		for _, name := range slices.Concat(names, optional) {
			if k.Str == r.spelt(name) {
				_, twice := members[name]
				if known = true; twice {
					r.fault("%s has %s twice", what, name)
				}
				members[name] = m
			}
		}
		if !known {
			r.fault("%s has an unknown member", what)
		}
		return r.err == nil
	})
	for _, name := range names {
		if _, has := members[name]; !has {
			r.fault("%s has no %s", what, r.spelt(name))
		}
	}
	return members
}

func (r *reader) effect(v gjson.Result) Effect {
	members := r.object("expected_effect", v, []string{"operation", "resource_type", "resource_ids", "max_items", "destination"})
	operations := []string{string(policy.Read), string(policy.Create), string(policy.Update), string(policy.Delete), string(policy.Send), string(policy.Execute)}
	e := Effect{Operation: policy.Operation(r.word("operation", members["operation"], operations))}
	if t := members["resource_type"]; t.Type != gjson.Null {
		e.Type = r.word("resource_type", t, r.form.Types)
	}
	for _, id := range r.list("resource_ids", members["resource_ids"]) {
		e.Resources = append(e.Resources, r.identifier("resource_ids", id))
	}
	if d := members["destination"]; d.Type != gjson.Null {
		e.Destination = r.identifier("destination", d)
	}
	count, err := strconv.Atoi(members["max_items"].Raw)
	if err != nil || count < 0 || count > maxCount || members["max_items"].Type != gjson.Number {
		r.fault("max_items is no whole number")
	}
	e.MaxItems = count
	return e
}

// word reads one of a closed set.
func (r *reader) word(name string, v gjson.Result, words []string) string {
	if v.Type != gjson.String || !slices.Contains(words, v.Str) {
		r.fault("%s is none of its words", name)
		return ""
	}
	return v.Str
}

func (r *reader) level(name string, v gjson.Result) policy.Risk {
	for _, risk := range []policy.Risk{policy.Low, policy.Medium, policy.High} {
		if v.Type == gjson.String && v.Str == risk.String() {
			return risk
		}
	}
	r.fault("%s is none of low, medium, high", name)
	return policy.UnknownRisk
}

var errText = errors.New("is no identifier")

// identifier reads what names something. A text in its place could say anything.
func (r *reader) identifier(name string, v gjson.Result) string {
	if v.Type != gjson.String || !policy.IsIdentifier(v.Str) {
		r.fault("%s %w", name, errText)
		return ""
	}
	return v.Str
}

// list reads an array of bounded length.
func (r *reader) list(name string, v gjson.Result) []gjson.Result {
	if !v.IsArray() {
		r.fault("%s is no list", name)
		return nil
	}
	items := v.Array()
	if len(items) > r.form.MaxList {
		r.fault("%s is too long", name)
		return nil
	}
	return items
}

// pair is a name with a digest.
type pair struct{ Name, Digest string }

func (r *reader) pairs(name string, v gjson.Result, key string) []pair {
	var out []pair
	for _, item := range r.list(name, v) {
		members := r.object(name, item, []string{key, "digest"})
		out = append(out, pair{r.identifier(name, members[key]), r.identifier(name, members["digest"])})
	}
	return out
}
