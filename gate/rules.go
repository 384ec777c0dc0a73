package gate

import (
	"fmt"
	"slices"
	"strings"

	"gatewright/errorsctx"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// judgeRules applies the plain rules of a layer and its default.
func judgeRules(c *call) {
	admitted := !c.layer.DefaultDeny
	for _, r := range c.layer.Rules {
		if !r.OnCall() {
			continue
		}
		matched := c.matches(r)
		if r.Effect == policy.Allow {
			admitted = admitted || matched == exact.True
			continue
		}
		if decision := effect(r.Effect, matched); decision != Pass {
			c.find(r.Source, ruleFinding(r, decision, matched))
		}
	}
	if !admitted {
		source := policy.Source{Layer: c.layer.Name, ID: policy.DefaultID, File: c.layer.File, Line: c.layer.DefaultLine}
		c.find(source, Finding{
			Decision: Deny,
			Category: errorsctx.Permission,
			Message:  "No rule of the " + c.layer.Name + " policy allows this tool.",
		})
	}
}

// effect is the decision of a rule. What is unknown never admits, and asks
// where it would have restricted.
func effect(e policy.Effect, matched exact.Truth) Decision {
	switch {
	case matched == exact.False:
		return Pass
	case matched == exact.Unknown && e.Admits():
		return Pass
	case matched == exact.Unknown:
		return Ask
	case e == policy.AutoApprove:
		return Approve
	case e == policy.RequireApproval:
		return Ask
	}
	return Deny
}

func ruleFinding(r policy.Rule, d Decision, matched exact.Truth) Finding {
	f := Finding{Decision: d, Category: r.Category, Message: r.Reason}
	if f.Message == "" {
		f.Message = fmt.Sprintf("Rule %q does not let this call through.", r.ID)
		if d == Ask {
			f.Message = fmt.Sprintf("Rule %q wants a person to approve this call.", r.ID)
		}
	}
	if matched == exact.Unknown {
		f.Detail, f.Undecided = "a condition could not be decided", true
	}
	if matched == exact.Unknown && len(r.Match.Paths) > 0 {
		f.Message += " It cannot be told which files this writes: name them by absolute paths."
	}
	return f
}

// matches evaluates match, except and when. except is read the opposite way to
// the rule: what it lets out of a restriction must be named in full.
func (c *call) matches(r policy.Rule) exact.Truth {
	admits := r.Effect.Admits()
	subject := c.as(r.Match, admits)
	t := every(subject.matcher(r.Match, admits))
	if t != exact.False && r.Except != nil {
		t = min(t, every(subject.matcher(*r.Except, !admits)).Not())
	}
	if t != exact.False {
		t = min(t, every(c.when(r.When)))
	}
	return t
}

// as is the call as a match judges it: a command line that writes files is judged as a
// tool that does, where a match that restricts speaks of such a tool and of files.
func (c *call) as(m policy.Match, admits bool) *call {
	about := policy.Match{Tools: m.Tools, Families: m.Families, Categories: m.Categories}
	if admits || len(m.Paths) == 0 || !policy.IsShell(c.ev.Tool) || every(c.matcher(about, false)) == exact.True {
		return c
	}
	c.files()
	for _, tool := range policy.Writers() {
		writer := *c
		writer.ev.Tool, writer.saidBy, writer.writer = tool, nil, true
		if every(writer.matcher(about, false)) == exact.True {
			return &writer
		}
	}
	return c
}

// when evaluates the context. A value that is not there matches no glob.
func (c *call) when(keys []policy.Context) tests {
	return func(yield func(fmt.Stringer, exact.Truth) bool) {
		for _, k := range keys {
			value := c.contextValue(k.Key)
			matched := slices.ContainsFunc(k.Globs, func(glob string) bool {
				return value != "" && wildcard.Match(glob, value)
			})
			if !yield(key(k.Key), exact.Of(matched)) {
				return
			}
		}
	}
}

func (c *call) contextValue(key string) string {
	switch key {
	case "client":
		return c.ev.Client
	case "permission_mode":
		return c.ev.Mode
	case "agent_type":
		return c.ev.AgentType
	case "project":
		return c.ctx.Project
	}
	if name, ok := strings.CutPrefix(key, policy.EnvPrefix); ok && c.ctx.Env != nil {
		return c.ctx.Env(name)
	}
	return ""
}
