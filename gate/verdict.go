// Package gate judges one event against the policy and what the session has
// proved, and learns from finished calls. It is pure: it reads no file, no
// clock and no environment, and what must be written is part of its answer.
package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
)

// Decision orders the verdicts from the loosest to the strictest.
type Decision uint8

// The decisions. The zero Decision is invalid and treated as Deny.
const (
	Approve Decision = iota + 1 // skips the user's prompt
	Pass                        // silence: the client's own flow goes on
	Ask                         // a person must agree
	Deny
)

// String is the word used in the audit and in explanations.
func (d Decision) String() string {
	switch d {
	case Approve:
		return "approve"
	case Pass:
		return "pass"
	case Ask:
		return "ask"
	}
	return "deny"
}

// Finding is one objection to a call.
type Finding struct {
	Decision Decision
	policy.Source
	Broadness int // index of the layer, broad first
	Category  errorsctx.Category
	Retryable bool
	Message   string // for the model or the person
	Detail    string // for the audit only
	Closed    bool   // it denies because something is not proved yet
	Undecided bool   // it asks because a condition has no value
	Redirect  string
	Required  string
}

// Verdict is the judgement of one call.
type Verdict struct {
	Decision Decision
	Findings []Finding     // the leading one first
	Reserve  []Reservation // to be written before the answer, unless Deny
	Uses     []Evidence    // likewise: the calls that proofs have carried
	Reaches  []string      // the tools that the call reaches, for the audit
	Checked  []string      // what the checks of a claim came to, for the audit
}

// combine makes the verdict of all findings: the strictest decision; no finding
// is Pass, and Approve needs every finding to be one. obstacle says why a person
// cannot be asked, if that is so.
func combine(findings []Finding, obstacle func() string) Verdict {
	if len(findings) == 0 {
		return Verdict{Decision: Pass}
	}
	slices.SortStableFunc(findings, leading)
	v := Verdict{Decision: findings[0].Decision, Findings: findings}
	if v.Decision != Ask {
		return v
	}
	if why := obstacle(); why != "" {
		v.Decision = Deny
		v.Findings[0].Message = strings.TrimRight(v.Findings[0].Message, ".") + ". This needs a person's approval, and " + why
		v.Findings[0].Retryable = false
	}
	return v
}

// obstacle says why nobody can be asked about the call, or nothing.
func (c *call) obstacle() string {
	if !c.ev.CanAsk {
		return "this mode cannot ask for it: ask the user to run this in a mode that can prompt."
	}
	if c.ctx.Answerer == nil {
		return ""
	}
	who := c.ctx.Answerer()
	if who == "" {
		return ""
	}
	return "another hook could give it in the person's place: ask the user to take the PermissionRequest hook out of " + who + " and to start a new session."
}

// leading orders findings by what the model should read: the strictest, then
// what no retry can mend, then the broadest layer, then the smallest id.
func leading(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(b.Decision, a.Decision),
		compareBool(a.Retryable, b.Retryable),
		cmp.Compare(a.Broadness, b.Broadness),
		cmp.Compare(a.ID, b.ID),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Reply is the verdict as an answer to the client.
func (v Verdict) Reply() hooks.Reply {
	switch {
	case v.Decision == Pass:
		return hooks.Reply{Answer: hooks.Silence}
	case v.Decision == Approve:
		return hooks.Reply{Answer: hooks.Allow, Reason: v.Findings[0].Message}
	case v.Decision == Ask:
		f := v.Findings[0]
		return hooks.Reply{Answer: hooks.Ask, Reason: fmt.Sprintf("%s (rule %s, %s policy)", f.Message, f.ID, f.Layer)}
	}
	return hooks.Reply{Answer: hooks.Deny, Reason: v.contract()}
}

// contract is the one line of JSON that the model reads on a denial.
func (v Verdict) contract() string {
	if len(v.Findings) == 0 {
		return Broken("no finding explains this denial").contract()
	}
	f := v.Findings[0]
	return string(hooks.EncodeJSON(errorsctx.Contract{
		IsError:      true,
		Category:     f.Category,
		IsRetryable:  f.Retryable,
		Message:      f.Message,
		Rule:         f.ID,
		Layer:        f.Layer,
		RedirectTool: f.Redirect,
		RequiredTool: f.Required,
	}))
}

// Layer and rule names of findings that no policy table makes.
const (
	ownLayer       = "gatewright"
	rulePolicy     = "policy"
	ruleState      = "state"
	ruleToolName   = "tool-name"
	ruleFrozen     = "frozen-session"
	ruleInput      = "input"
	ruleWithheld   = "withheld"
	ruleSettings   = "settings"
	ruleProtection = "self-protection"
)

func own(rule string, category errorsctx.Category, message string) Finding {
	return Finding{
		Decision:  Deny,
		Source:    policy.Source{Layer: ownLayer, ID: rule},
		Broadness: -1,
		Category:  category,
		Message:   message,
	}
}

func alone(f Finding) Verdict { return Verdict{Decision: Deny, Findings: []Finding{f}} }

// Broken is the denial of a call whose policy cannot be used.
func Broken(message string) Verdict {
	return alone(own(rulePolicy, errorsctx.Permission, "Policy error, so nothing is allowed: "+message))
}

// Forgotten is the denial of a call that depends on a memory that cannot be
// read or written.
func Forgotten(detail string) Verdict {
	f := own(ruleState, errorsctx.Transient, "What this session has proved and spent cannot be read or recorded now.")
	f.Retryable, f.Detail = true, detail
	return alone(f)
}

// Unkept is the denial of a call whose verdict depends on a memory that will not come
// back by trying again. message says why, for the model.
func Unkept(message, detail string) Verdict {
	f := own(ruleState, errorsctx.Permission, message)
	f.Detail = detail
	return alone(f)
}

// Disarmed is the denial of what would make the client work with settings under
// which it does not ask us.
func Disarmed(detail string) Verdict {
	return alone(own(ruleSettings, errorsctx.Permission, "Refused, because with the settings as they are now calls would go unjudged: "+detail+". Undo the change, or run: gatewright install"))
}

// Malformed is the denial of input that cannot be judged.
func Malformed(message string) Verdict {
	return alone(own(ruleInput, errorsctx.Validation, message))
}
