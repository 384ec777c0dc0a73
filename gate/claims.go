package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"gatewright/errorsctx"
	"gatewright/gate/claim"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// TakeClaim takes the claim out of a call's arguments, for a tool whose calls carry
// one: nothing that judges the call may read it there, and the tool must not get it.
func TakeClaim(set *policy.Set, ev hooks.Event) hooks.Event {
	form, _ := set.Claims()
	if form == nil || len(ev.Args) == 0 || !set.NeedsClaim(policy.Caller{Tool: ev.Tool, Server: ev.Server, Source: ev.ServerSource}) {
		return ev
	}
	rest, taken := errorsctx.Take(string(ev.Args), form.Argument)
	if taken != "" {
		ev.Args, ev.Claim = []byte(rest), []byte(taken)
	}
	return ev
}

// judgeClaims compares a call's claim with what needs no memory. It is done once, with
// the layer that says how claims are written.
func judgeClaims(c *call) {
	form, owner := c.set.Claims()
	if form == nil || owner != c.layer {
		return
	}
	if !c.set.NeedsClaim(c.caller()) {
		if c.ofServer() && !form.PassOthers && !owner.Registers(c.caller()) {
			c.object(form, claim.Check{Name: "registration", Outcome: claim.Review, Reason: claim.NeedReview, Detail: "no [[tool]] speaks of it"})
		}
		return
	}
	if said, ok := c.claim(form); ok {
		c.weigh(form, append(claim.Compare(said, c.claimFacts(owner)), c.checkEvidence(form, said)))
	}
}

// claim reads the claim, and objects to one that is missing or malformed.
func (c *call) claim(form *policy.Claims) (claim.Claim, bool) {
	if c.ev.Claim == nil {
		c.object(form, claim.Check{Name: "claim", Outcome: claim.Deny, Reason: claim.Missing})
		return claim.Claim{}, false
	}
	said, err := claim.Read(c.ev.Claim, form)
	if err != nil {
		c.object(form, claim.Check{Name: "claim", Outcome: claim.Deny, Reason: claim.Malformed, Detail: err.Error()})
		return claim.Claim{}, false
	}
	return said, true
}

func (c *call) claimFacts(owner *policy.Layer) claim.Facts {
	narrow := c.set.Layers[len(c.set.Layers)-1]
	f := claim.Facts{Caller: c.caller(), Args: c.args, Said: narrow.Describe(c.caller()), Known: owner.Describe(c.caller()), IntentKnown: len(owner.Intents) > 0}
	for _, layer := range c.set.Layers {
		if len(layer.Intents) > 0 {
			f.Intents = append(f.Intents, c.openIntents(layer))
		}
	}
	return f
}

// openIntents are those of a layer that the surroundings select, or that a person has
// opened. One of which that cannot be told is closed.
func (c *call) openIntents(layer *policy.Layer) []policy.Intent {
	var open []policy.Intent
	for _, i := range layer.Intents {
		if i.ByGrant && (c.ctx.Granted == nil || !c.ctx.Granted(layer, i)) {
			continue
		}
		if every(c.when(i.When)) == exact.True {
			open = append(open, i)
		}
	}
	return open
}

// weigh objects to what the checks stop, and keeps all of them for the audit.
func (c *call) weigh(form *policy.Claims, checks []claim.Check) {
	var all []string
	for _, check := range checks {
		all = append(all, check.Name+": "+check.Outcome.String())
		if check.Outcome != claim.Allow {
			c.object(form, check)
		}
	}
	c.checked = append(c.checked, form.Version+" "+strings.Join(all, ", "))
}

// object is the finding of a check. What the model reads of it is its reason only.
func (c *call) object(form *policy.Claims, check claim.Check) {
	f := Finding{Source: form.Source, Broadness: c.depth, Decision: Deny, Category: errorsctx.Validation, Retryable: check.Reason.Mendable(), Message: string(check.Reason)}
	if check.Outcome == claim.Review {
		f.Decision = Ask
	}
	f.Detail = strings.TrimSuffix(check.Name+": "+check.Detail, ": ")
	c.findings = append(c.findings, f)
}

// claimed is the form of the call's claim, for the layer that has it; nil if there is
// none to compare.
func (c *call) claimed() *policy.Claims {
	form, owner := c.set.Claims()
	if form == nil || owner != c.layer || c.ev.Claim == nil || !c.set.NeedsClaim(c.caller()) {
		return nil
	}
	return form
}

// needClaims: what the session has read, and what evidence is of, is in the memory.
func needClaims(c *call, n *Needs) {
	if c.claimed() == nil {
		return
	}
	for _, layer := range c.set.Layers {
		n.Any = n.Any || len(layer.Untrusted) > 0
	}
}

// recallClaims compares a claim with what the session has read, and its evidence.
func recallClaims(c *call) {
	form := c.claimed()
	if form == nil {
		return
	}
	said, err := claim.Read(c.ev.Claim, form)
	if err != nil {
		return // objected to already
	}
	r := claim.Remembered{Lost: c.ctx.UnreadLost != nil && c.ctx.UnreadLost(), Seen: seen(c.set, c.facts)}
	c.weigh(form, []claim.Check{claim.Recall(said, r)})
}

// checkEvidence compares what the claim refers to with what that is now.
func (c *call) checkEvidence(form *policy.Claims, said claim.Claim) claim.Check {
	now := map[string]string{}
	for _, e := range said.Evidence {
		now[e.Type] = c.evidence(e.Type)
	}
	return claim.CheckEvidence(said, now, form.Evidence)
}

// evidence is the digest of what a claim can refer to, as it is now.
func (c *call) evidence(kind string) string {
	switch kind {
	case "intent":
		return c.ctx.digest(IntentText(c.set, c.ctx, c.ev))
	case "policy":
		return c.ctx.digest(PolicyText(c.set))
	}
	sum := sha256.Sum256(Canonical(c.ev.Args))
	return hex.EncodeToString(sum[:])
}

// IntentText is what is authorised now, for its digest.
func IntentText(set *policy.Set, ctx Context, ev hooks.Event) string {
	c := newCall(ctx, ev)
	c.set = set
	text := "intent"
	for _, layer := range set.Layers {
		for _, i := range c.openIntents(layer) {
			text += fmt.Sprintf("\n%q %+v", layer.Key(), i)
		}
	}
	return text
}

// PolicyText is the whole policy, for its digest.
func PolicyText(set *policy.Set) string {
	text := "policy"
	for _, layer := range set.Layers {
		text += "\n" + string(layer.Text)
	}
	return text
}

// Digests tells a model at the beginning what it can cite as evidence.
func Digests(set *policy.Set, ctx Context, ev hooks.Event) string {
	if form, _ := set.Claims(); form == nil {
		return ""
	}
	return fmt.Sprintf(`In a claim, cite as evidence_refs: {"type":"intent","digest":%q}, {"type":"policy","digest":%q}.`,
		ctx.digest(IntentText(set, ctx, ev)), ctx.digest(PolicyText(set)))
}

// digest is a keyed digest; nothing without a key.
func (ctx Context) digest(text string) string {
	if ctx.Keyed == nil {
		return ""
	}
	return ctx.Keyed(text)
}
