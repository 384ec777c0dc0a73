package gate

import (
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/policy"
)

// call is one event while it is judged.
type call struct {
	ev    hooks.Event
	ctx   Context
	args  gjson.Result
	layer *policy.Layer
	depth int // index of the layer
	facts Facts

	said   []policy.Description // of the tool, by the layer saidBy
	saidBy *policy.Layer

	read map[string]factValue // of facts, for this call
	set  *policy.Set

	line     *commandLine    // of a shell's call, once it was read
	effects  *effects        // likewise: the files that the call writes
	writer   bool            // a line that is judged as a tool which writes files
	ended    *hooks.Result   // of a finished call
	meanings map[int]meaning // of its end, by depth

	findings []Finding
	reserve  []Reservation
	uses     []string // keys of proofs that this call would use
	checked  []string // what the checks of a claim came to, for the audit
}

// Context is what surrounds a call besides the event: values for `when`.
type Context struct {
	Project string              // the directory that the policy belongs to
	Env     func(string) string // reads GATEWRIGHT_CONTEXT_NAME by its NAME
	// Commands takes a command line apart, as shell.List does in the environment where it
	// runs; nil: nothing is known of that.
	Commands func(line string) ([]shell.Command, error)
	// Home is the user's home folder, if it is known.
	Home string
	// IsFolder and Below look at files: Below lists what is in a folder and below it, by
	// paths from there, and says whether that is all. nil: nothing can be looked at.
	IsFolder func(path string) bool
	Below    func(folder string) (files []string, all bool)
	// Granted reports an intent that a person has opened; nil: none is.
	Granted func(*policy.Layer, policy.Intent) bool
	// Keyed gives digests that only this installation can make; nil: there are none.
	Keyed func(text string) string
	// Physical resolves the links of a path; nil: there are none.
	Physical func(path string) string
	// UnreadLost: an untrusted input of this session could not be recorded.
	UnreadLost func() bool
	// Compacted is when the conversation was shortened, if what it held then may still
	// be in the memory.
	Compacted time.Time
	// Answerer names what could answer a question in the person's place, or gives
	// nothing. It is called only if a person would be asked; nil is nobody.
	Answerer func() string
	// Protected is one of our own files that the call would write, or empty.
	Protected string
	// Evades says what a command line would do to us besides that, or is empty:
	// "stops gatewright".
	Evades string
}

// kind is how one sort of policy table is enforced. Phase 1 needs no memory and
// phase 2 does; needs says what memory a matching table reads.
type kind struct {
	tables string // the field of policy.Layer
	first  func(*call)
	needs  func(*call, *Needs)
	second func(*call)
	learn  func(*lesson)       // from a finished call
	wants  func(*call, *Wants) // what learn needs
	// explain shows how the matching tables judged.
	explain func(*call) []Explained
}

// kinds lists every sort of table. A table that is not here is not enforced;
// a test compares it with policy.Layer.
func kinds() []kind {
	return []kind{
		{tables: "Tools"}, // read by the matchers of rules
		{tables: "Claims", first: judgeClaims, needs: needClaims, second: recallClaims},
		{tables: "Intents"},     // read with the claims
		{tables: "Dispatchers"}, // read by Reach
		{tables: "Commands"},    // likewise
		{tables: "Shells"},      // likewise
		{tables: "Untrusted", wants: wantUntrusted, learn: learnUntrusted},
		{tables: "Rules", first: judgeRules, explain: explainRules},
		{tables: "Facts", wants: wantFacts, learn: learnFacts},
		{tables: "Gates", needs: needGates, second: judgeGates, explain: explainGates},
		{tables: "Lookups"},    // read by expressions
		{tables: "Failures"},   // read by whoever asks what an ending means
		{tables: "Normalizes"}, // read by Present
		{tables: "Retries", needs: needRetries, second: judgeRetries, wants: wantRetries, learn: learnRetries, explain: explainRetries},
		{tables: "Requires", first: checkRequires, needs: needRequires, second: judgeRequires, explain: explainRequires},
		{tables: "Limits", first: checkLimits, needs: needLimits, second: judgeLimits, wants: wantBudget, explain: explainLimits},
	}
}

// Screen judges the tables that need no memory. Its Deny is final; anything
// else must still go through Decide if Required reports a need.
func Screen(set *policy.Set, ctx Context, ev hooks.Event) Verdict {
	return newCall(ctx, ev).screen(set)
}

func (c *call) screen(set *policy.Set) Verdict {
	if !set.Empty() && !policy.PrintableASCII(c.ev.Tool) {
		c.findings = append(c.findings, own(ruleToolName, errorsctx.Validation,
			"The tool's name has characters other than printable ASCII."))
	}
	if !set.Empty() && !set.Unprotected() {
		c.protectOurs()
	}
	c.each(set, func(k kind) func(*call) { return k.first })
	v := combine(slices.Clone(c.findings), c.obstacle)
	v.Checked = c.checked
	return v
}

// protectOurs objects to what would change what decides about agents.
func (c *call) protectOurs() {
	if c.ctx.Protected != "" {
		c.findings = append(c.findings, own(ruleProtection, errorsctx.Permission,
			"What decides which calls are allowed is changed by people only. Ask the user to change "+c.ctx.Protected+"."))
	}
	if c.ctx.Evades != "" {
		c.findings = append(c.findings, own(ruleProtection, errorsctx.Permission,
			"A command line that "+c.ctx.Evades+" is for people only. Ask the user to run it."))
	}
}

// Decide judges a call by all tables. Within a phase it collects every finding
// before it combines them, so that the audit shows each objection and the
// verdict does not depend on the order of tables.
func Decide(set *policy.Set, ctx Context, facts Facts, ev hooks.Event) Verdict {
	c := newCall(ctx, ev)
	c.facts = facts
	if v := c.screen(set); v.Decision == Deny {
		return v
	}
	c.each(set, func(k kind) func(*call) { return k.second })
	if facts.Frozen != "" && !Required(set, ctx, ev).Empty() {
		c.findings = append(c.findings, frozen(facts.Frozen))
	}
	v := combine(c.findings, c.obstacle)
	v.Checked = c.checked
	if v.Decision != Deny {
		v.Reserve, v.Uses = c.reserve, c.useProofs()
	}
	return v
}

// Required says what memory the verdict depends on. Nothing is read for a call
// that no stateful table matches.
func Required(set *policy.Set, ctx Context, ev hooks.Event) Needs {
	c := newCall(ctx, ev)
	var n Needs
	c.each(set, func(k kind) func(*call) {
		if k.needs == nil {
			return nil
		}
		return func(c *call) { k.needs(c, &n) }
	})
	return n
}

func newCall(ctx Context, ev hooks.Event) *call {
	return &call{ev: ev, ctx: ctx, args: gjson.ParseBytes(ev.Args)}
}

// each runs one step of every kind on every layer.
func (c *call) each(set *policy.Set, step func(kind) func(*call)) {
	if set.Empty() {
		return
	}
	c.set = set
	for c.depth, c.layer = range set.Layers {
		for _, k := range kinds() {
			if run := step(k); run != nil {
				run(c)
			}
		}
	}
}

// find records an objection of a table of the present layer.
func (c *call) find(source policy.Source, f Finding) {
	f.Source, f.Broadness = source, c.depth
	c.findings = append(c.findings, f)
}
