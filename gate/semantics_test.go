package gate

import (
	"fmt"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/policy"
)

// semantic is one rule of behaviour of the tool rules that this language was
// compared with, and what ours does in the same place.
type semantic struct {
	name, theirs string
	ours         sample
	differs      bool
	why          string // filled exactly if ours differs from theirs
}

// sample is a policy, a call and what comes of it.
type sample struct {
	managed, repo string // the text of each layer; an empty one is not there
	tool, args    string // Read and {} if empty
	change        func(*hooks.Event)
	want          string // "deny unlisted", or "error: " and a part of the message
	says          string // a part of the explanation
}

// rule writes a [[rule]] whose id is its effect.
func rule(effect string, lines ...string) string { return ruleNamed(effect, effect, lines...) }

func ruleNamed(id, effect string, lines ...string) string {
	return fmt.Sprintf("[[rule]]\nid = %q\neffect = %q\n%s\n", id, effect, strings.Join(lines, "\n"))
}

const (
	read      = `match = { tool = "Read" }`
	anything  = `match = { tool = "*" }`
	allowlist = "default = \"deny\"\n"
	payments  = "[[tool]]\nname = \"mcp__pay__refund\"\ntags = [\"money\"]\noperation = \"send\"\nrisk = \"medium\"\nexposure = \"deferred\"\n"
	refund    = "mcp__pay__refund"
)

// arg matches every tool and one argument.
func arg(test string) string { return `match = { tool = "*", arg = [{ ` + test + ` }] }` }

var ruleSemantics = []semantic{
	{name: "a rule needs only an effect", theirs: "id and match are optional",
		ours: sample{repo: "[[rule]]\neffect = \"deny\"\n" + read, want: "error: [[rule]] has no id"}, differs: true,
		why: "A refusal names its rule, and a number changes with every edit."},
	{name: "a rule without match", theirs: "matches every tool",
		ours: sample{repo: rule("deny"), want: "error: [[rule]] has no match"}, differs: true,
		why: "What is left out by mistake must not become everything."},
	{name: "a rule without effect", theirs: "not loaded",
		ours: sample{repo: "[[rule]]\nid = \"r\"\n" + read, want: "error: [[rule]] has no effect"}},
	{name: "unknown key in a rule", theirs: "not loaded",
		ours: sample{repo: rule("deny", read, `resaon = "x"`), want: `error: did you mean "reason"?`}},
	{name: "unknown key in a match", theirs: "not loaded",
		ours: sample{repo: rule("deny", `match = { tool = "Read", nmae = "x" }`), want: `error: unknown key "nmae" in [[rule.match]]`}},
	{name: "unknown key in a layer", theirs: "not loaded",
		ours: sample{repo: "defualt = \"deny\"\n", want: `error: did you mean "default"?`}},
	{name: "unknown key in an arg", theirs: "loaded: a typo passes",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = 1, vlaue = 2`)), want: `error: unknown key "vlaue" in [[rule.match.arg]]`}, differs: true,
		why: "A typo anywhere is a rule that says something else."},
	{name: "unknown effect", theirs: "not loaded",
		ours: sample{repo: rule("forbid", read), want: `error: effect cannot be "forbid"`}},
}

var effectSemantics = []semantic{
	{name: "allow under default deny", theirs: "admits",
		ours: sample{repo: allowlist + rule("allow", read), want: "pass listed"}},
	{name: "allow without default deny", theirs: "says nothing",
		ours: sample{repo: rule("allow", read), tool: "Grep", want: "pass listed"}},
	{name: "deny", theirs: "neither listed nor callable",
		ours: sample{repo: rule("deny", read), want: "deny unlisted"}},
	{name: "deny beats everything", theirs: "deny wins over allow and both approvals",
		ours: sample{managed: rule("auto_approve", read), repo: rule("allow", read) + rule("require_approval", read) + rule("deny", read), want: "deny unlisted"}},
	{name: "hide", theirs: "off the lists, still callable",
		ours: sample{repo: rule("hide", read), want: "deny unlisted"}, differs: true,
		why: "A client does not call what it does not list, so a call that comes all the same was made up."},
	{name: "require_approval", theirs: "listed, approval required",
		ours: sample{repo: rule("require_approval", read), want: "ask listed", says: "approval a person's"}},
	{name: "auto_approve", theirs: "listed, approval waived",
		ours: sample{managed: rule("auto_approve", read), want: "approve listed", says: "approval waived"}},
	{name: "auto_approve loses to require_approval", theirs: "approval required",
		ours: sample{managed: rule("auto_approve", read) + rule("require_approval", read), want: "ask listed"}},
	{name: "auto_approve of any layer", theirs: "any layer may waive",
		ours: sample{repo: rule("auto_approve", read), want: "error: auto_approve is not allowed in this layer"}, differs: true,
		why: "A repository that one has cloned must not switch off the prompts of the person who cloned it."},
}

var surfaceSemantics = []semantic{
	{name: "no on", theirs: "all surfaces",
		ours: sample{repo: rule("deny", read), want: "deny unlisted"}},
	{name: "empty on", theirs: "all surfaces",
		ours: sample{repo: rule("deny", read, "on = []"), want: "error: on is empty"}, differs: true,
		why: "Everywhere else an empty list means nothing; leaving the key out says all."},
	{name: "all surfaces by name", theirs: "as without on",
		ours: sample{repo: rule("deny", read, `on = ["catalog", "search", "call"]`), want: "deny unlisted"}},
	{name: "deny on search only", theirs: "listed and callable",
		ours: sample{repo: rule("deny", read, `on = ["search"]`), want: "pass listed"}},
	{name: "deny on catalog only", theirs: "off the catalog, still found and callable",
		ours: sample{repo: rule("deny", read, `on = ["catalog"]`), want: "pass listed"}, differs: true,
		why: "Clients list a tool in both places or in neither; check warns."},
	{name: "deny on both lists", theirs: "not listed, still callable",
		ours: sample{repo: rule("deny", read, `on = ["catalog", "search"]`), want: "deny unlisted"}, differs: true,
		why: "A client does not call what it does not list."},
	{name: "deny on call", theirs: "listed, not callable",
		ours: sample{repo: rule("deny", read, `on = ["call"]`), want: "deny listed"}},
	{name: "hide on call", theirs: "loaded, does nothing",
		ours: sample{repo: rule("hide", read, `on = ["call"]`), want: "deny listed"}, differs: true,
		why: "Hide refuses the call; check fails, because the tool stays listed."},
	{name: "hide on one list", theirs: "off that list",
		ours: sample{repo: rule("hide", read, `on = ["catalog"]`), want: "deny unlisted"}, differs: true,
		why: "Clients list a tool in both places or in neither; check warns."},
	{name: "require_approval off the call", theirs: "loaded, does nothing",
		ours: sample{repo: rule("require_approval", read, `on = ["search"]`), want: "error: a person approves calls"}, differs: true,
		why: "A rule that can do nothing is a mistake."},
	{name: "unknown surface", theirs: "not loaded",
		ours: sample{repo: rule("deny", read, `on = ["menu"]`), want: `error: on cannot be "menu"`}},
}

var matchSemantics = []semantic{
	{name: "name", theirs: "a glob over the name",
		ours: sample{repo: rule("deny", `match = { tool = "mcp__pay__*" }`), tool: refund, want: "deny unlisted"}},
	{name: "a list of names", theirs: "any of them",
		ours: sample{repo: rule("deny", `match = { tool = ["Grep", "Read"] }`), want: "deny unlisted"}},
	{name: "part of a name", theirs: "the whole name must match",
		ours: sample{repo: rule("deny", `match = { tool = "refund" }`), tool: refund, want: "deny unlisted"}, differs: true,
		why: "A restriction must not depend on what somebody called the server. Admitting rules need the whole name."},
	{name: "part of a name, admitting", theirs: "the whole name must match",
		ours: sample{repo: allowlist + rule("allow", `match = { tool = "refund" }`), tool: refund, want: "deny listed"}},
	{name: "server", theirs: "no such field: a prefix of the name",
		ours: sample{repo: rule("deny", `match = { server = "pay" }`), tool: refund, want: "deny unlisted"}, differs: true,
		why: "The clients spell a server's tools differently, and one of them names the server itself."},
	{name: "family", theirs: "a glob over the family",
		ours: sample{repo: rule("deny", `match = { family = "shell" }`), tool: "Bash", want: "deny unlisted"}},
	{name: "family of a tool without one", theirs: "does not match",
		ours: sample{repo: rule("deny", `match = { family = "shell" }`), tool: refund, want: "pass listed"}},
	{name: "family of an unknown built-in", theirs: "does not match: fail-open for deny",
		ours: sample{repo: rule("deny", `match = { family = "shell" }`), tool: "Fish", want: "ask listed"}, differs: true,
		why: "A tool that came with a client's update may well be a shell."},
	{name: "every family", theirs: `family = "*" matches each tool that has one`,
		ours: sample{repo: rule("deny", `match = { family = "*" }`), want: `error: family cannot be "*"`}, differs: true,
		why: "The families are a fixed list of words, so a glob over them is a typo waiting to happen."},
	{name: "tags", theirs: "any of the tool's tags",
		ours: sample{repo: payments + rule("deny", `match = { tag = ["x", "money"] }`), tool: refund, want: "deny unlisted"}},
	{name: "tags of a tool without any", theirs: "never match",
		ours: sample{repo: payments + rule("deny", `match = { tag = "money" }`), want: "pass listed"}},
	{name: "category", theirs: "system or skill",
		ours: sample{repo: rule("deny", `match = { category = "mcp" }`), tool: refund, want: "deny unlisted"}, differs: true,
		why: "These clients know other sources: builtin, mcp, plugin, agent."},
	{name: "their categories", theirs: "system or skill",
		ours: sample{repo: rule("deny", `match = { category = "skill" }`), want: `error: category cannot be "skill"`}, differs: true,
		why: "No client says that of a tool."},
	{name: "exposure", theirs: "direct, deferred or hidden",
		ours: sample{repo: payments + rule("deny", `match = { exposure = "deferred" }`), tool: refund, want: "deny unlisted"}},
	{name: "hidden exposure", theirs: "direct, deferred or hidden",
		ours: sample{repo: payments + rule("deny", `match = { exposure = "hidden" }`), want: `error: exposure cannot be "hidden"`}, differs: true,
		why: "What a client hides it does not call."},
	{name: "permission_at_least", theirs: "five ordered words, as the tool says of itself",
		ours: sample{repo: payments + rule("deny", `match = { risk_at_least = "low" }`), tool: refund, want: "deny unlisted"}, differs: true,
		why: "Tools of servers say nothing that could be trusted, so the policy's author states a risk."},
	{name: "permission_at_most", theirs: "five ordered words, as the tool says of itself",
		ours: sample{repo: payments + rule("deny", `match = { risk_at_most = "low" }`), tool: refund, want: "pass listed"}, differs: true,
		why: "Tools of servers say nothing that could be trusted, so the policy's author states a risk."},
	{name: "no risk in between", theirs: "loaded, never matches",
		ours: sample{repo: rule("deny", `match = { risk_at_least = "high", risk_at_most = "low" }`), want: "error: no risk is at least high and at most low"}, differs: true,
		why: "A rule that can never match is a mistake."},
	{name: "side_effects", theirs: "any of seven words",
		ours: sample{repo: payments + rule("deny", `match = { operation = ["delete", "send"] }`), tool: refund, want: "deny unlisted"}, differs: true,
		why: "One operation per tool answers what policies ask; tags say the rest."},
	{name: "all fields must match", theirs: "and",
		ours: sample{repo: payments + rule("deny", `match = { tool = "refund", tag = "money", operation = "read" }`), tool: refund, want: "pass listed"}},
	{name: "empty matcher", theirs: "matches every tool",
		ours: sample{repo: rule("deny", "match = {}"), want: "error: an empty matcher would match every tool"}, differs: true,
		why: "What is left out by mistake must not become everything."},
	{name: "empty list of patterns", theirs: "matches nothing",
		ours: sample{repo: rule("deny", "match = { tool = [] }"), want: "error: tool is empty"}, differs: true,
		why: "A rule that can never match is a mistake."},
	{name: "unknown attribute, deny", theirs: "does not match: fail-open",
		ours: sample{repo: rule("deny", `match = { operation = "send" }`), tool: refund, want: "ask listed"}, differs: true,
		why: "What is not known must not silently let a call through."},
	{name: "unknown attribute, allow", theirs: "does not match: fail-closed",
		ours: sample{repo: allowlist + rule("allow", `match = { risk_at_most = "low" }`), tool: refund, want: "deny listed"}},
}

var argSemantics = []semantic{
	{name: "pointer", theirs: "RFC 6901, a missing / is added",
		ours: sample{repo: rule("deny", arg(`path = "a.b", eq = "x"`)), args: `{"a":{"b":"x"}}`, want: "deny listed"}, differs: true,
		why: "A dotted path that can go through arrays reads as people write it."},
	{name: "empty pointer", theirs: "the whole object, never matches",
		ours: sample{repo: rule("deny", arg(`path = "", eq = "x"`)), want: "error: path must be a text that is not empty"}, differs: true,
		why: "A rule that can never match is a mistake."},
	{name: "a text", theirs: "globbed as it is",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "x*z"`)), args: `{"a":"xyz"}`, want: "deny listed"}},
	{name: "an absent argument", theirs: "no match",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "*"`)), want: "pass listed"}},
	{name: "an absent argument, allow", theirs: "no match",
		ours: sample{repo: allowlist + rule("allow", arg(`path = "a", glob = "*"`)), want: "deny listed"}},
	{name: "null", theirs: "no match",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = "x"`)), args: `{"a":null}`, want: "ask listed"}, differs: true,
		why: "The tool may read null as it likes, so it is not decided."},
	{name: "null, allow", theirs: "no match",
		ours: sample{repo: allowlist + rule("allow", arg(`path = "a", ne = "x"`)), args: `{"a":null}`, want: "deny listed"}},
	{name: "an object", theirs: "no match",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = "x"`)), args: `{"a":{"x":1}}`, want: "ask listed"}, differs: true,
		why: "A wrong type is not decided, so that it cannot be used to slip past."},
	{name: "an array", theirs: "no match",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = "x"`)), args: `{"a":["x"]}`, want: "ask listed"}, differs: true,
		why: "A wrong type is not decided, so that it cannot be used to slip past."},
	{name: "elements of an array", theirs: "cannot be said",
		ours: sample{repo: rule("deny", arg(`path = "to[]", any = { glob = "*@evil.example" }`)), args: `{"to":["a@b.example","c@evil.example"]}`, want: "deny listed"}, differs: true,
		why: "Recipients, files and items come in lists."},
	{name: "every element of an array", theirs: "cannot be said",
		ours: sample{repo: allowlist + rule("allow", arg(`path = "to[]", all = { glob = "*@b.example" }`)), args: `{"to":["a@b.example","c@evil.example"]}`, want: "deny listed"}, differs: true,
		why: "Recipients, files and items come in lists."},
	{name: "glob over a number", theirs: "over its JSON text",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "75*"`)), args: `{"a":750}`, want: "ask listed"}, differs: true,
		why: "Equal numbers have several texts. Numbers are compared as numbers."},
	{name: "glob over a bool", theirs: "over its JSON text",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "true"`)), args: `{"a":true}`, want: "ask listed"}, differs: true,
		why: "Conditions are typed; write eq = true."},
	{name: "a bool", theirs: `the glob "true"`,
		ours: sample{repo: rule("deny", arg(`path = "a", eq = true`)), args: `{"a":true}`, want: "deny listed"}, differs: true,
		why: `Conditions are typed: true is not "true".`},
	{name: "750 and 750.0", theirs: "different texts",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = 750`)), args: `{"a":750.0}`, want: "deny listed"}, differs: true,
		why: "They are one number, for us and for the tool."},
	{name: "750.0 in the policy", theirs: "a text",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = 750.0`)), args: `{"a":7.5e2}`, want: "deny listed"}, differs: true,
		why: "They are one number, for us and for the tool."},
	{name: "comparison of numbers", theirs: "cannot be said",
		ours: sample{repo: rule("deny", arg(`path = "a", gt = 500`)), args: `{"a":500.01}`, want: "deny listed"}, differs: true,
		why: "Amounts are what policies are most often about."},
	{name: "a bound itself", theirs: "cannot be said",
		ours: sample{repo: rule("deny", arg(`path = "a", gt = 500`)), args: `{"a":5e2}`, want: "pass listed"}, differs: true,
		why: "Amounts are what policies are most often about."},
	{name: "equality", theirs: "only by glob",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = "x*"`)), args: `{"a":"xyz"}`, want: "pass listed"}, differs: true,
		why: "A text with a star in it must be nameable."},
	{name: "a list of values", theirs: "any of them",
		ours: sample{repo: rule("deny", arg(`path = "a", in = ["x", "y"]`)), args: `{"a":"y"}`, want: "deny listed"}},
	{name: "a second condition", theirs: "cannot be said",
		ours: sample{repo: rule("deny", arg(`path = "a", gt = 500 }, { path = "to", eq = "x"`)), args: `{"a":501,"to":"y"}`, want: "pass listed"}, differs: true,
		why: "All must hold, as everywhere in a match."},
	{name: "no arguments at all", theirs: "satisfy no arg",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = "x"`)), args: "none", want: "pass listed"}},
	{name: "no arguments at all, negated", theirs: "satisfy no arg",
		ours: sample{repo: rule("deny", arg(`path = "a", ne = "x"`)), args: "none", want: "deny listed"}, differs: true,
		why: "An absent argument is not x."},
}

var globSemantics = []semantic{
	{name: "star crosses everything", theirs: "no separators",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "/etc*key"`)), args: `{"a":"/etc/x/y.key"}`, want: "deny listed"}},
	{name: "star matches nothing, too", theirs: "any run",
		ours: sample{repo: rule("deny", `match = { tool = "Re*ad" }`), want: "deny unlisted"}},
	{name: "question mark", theirs: "exactly one character",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "?"`)), args: `{"a":"é"}`, want: "deny listed"}},
	{name: "question mark for none", theirs: "exactly one character",
		ours: sample{repo: rule("deny", `match = { tool = "Read?" }`), want: "pass listed"}},
	{name: "anchored at the start", theirs: "the whole text",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "b*"`)), args: `{"a":"abc"}`, want: "pass listed"}},
	{name: "anchored at the end", theirs: "the whole text",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "*b"`)), args: `{"a":"abc"}`, want: "pass listed"}},
	{name: "letter case of a name", theirs: "ignored",
		ours: sample{repo: rule("deny", `match = { tool = "read" }`), want: "deny unlisted"}},
	{name: "letter case of a name, admitting", theirs: "ignored",
		ours: sample{repo: allowlist + rule("allow", `match = { tool = "mcp__pay__*" }`), tool: "mcp__Pay__refund", want: "deny listed"}, differs: true,
		why: "Two servers' names can differ in case only, and only one of them was meant."},
	{name: "letter case of an argument", theirs: "ignored",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "x*"`)), args: `{"a":"XY"}`, want: "pass listed"}, differs: true,
		why: "Paths and identifiers have a case."},
	{name: "no classes", theirs: "brackets are characters",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = "[ab]"`)), args: `{"a":"[ab]"}`, want: "deny listed"}},
	{name: "brackets in a name", theirs: "characters, so they match no tool",
		ours: sample{repo: rule("deny", `match = { tool = "[RW]ead" }`), want: "error: is not a tool pattern"}, differs: true,
		why: "Who writes them expects a class."},
	{name: "no escape", theirs: "a backslash is a character",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = '\*'`)), args: `{"a":"\\x"}`, want: "deny listed"}},
	{name: "empty pattern", theirs: "matches only the empty text",
		ours: sample{repo: rule("deny", arg(`path = "a", glob = ""`)), want: "error: glob must be a text that is not empty"}, differs: true,
		why: `It is a mistake far more often; eq = "" says it.`},
	{name: "the empty text", theirs: "the empty pattern",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = ""`)), args: `{"a":""}`, want: "deny listed"}, differs: true,
		why: `Said by eq = "".`},
}

var surroundingSemantics = []semantic{
	{name: "except", theirs: "what it matches the rule does not",
		ours: sample{repo: rule("deny", anything, `except = { tool = "Read" }`), want: "pass listed"}},
	{name: "except of another tool", theirs: "what it does not match the rule does",
		ours: sample{repo: rule("deny", anything, `except = { tool = "Read" }`), tool: "Grep", want: "deny unlisted"}},
	{name: "except by a part of the name", theirs: "the whole name",
		ours: sample{repo: rule("deny", anything, `except = { tool = "refund" }`), tool: refund, want: "deny unlisted"}},
	{name: "except of an allow", theirs: "the whole name",
		ours: sample{repo: allowlist + rule("allow", anything, `except = { tool = "refund" }`), tool: refund, want: "deny listed"}, differs: true,
		why: "There it restricts, so a part of the name suffices."},
	{name: "except by an argument", theirs: "carves out such calls",
		ours: sample{repo: rule("deny", read, `except = { arg = [{ path = "a", eq = 1 }] }`), args: `{"a":1}`, want: "pass listed"}},
	{name: "except by an undecided argument", theirs: "carves nothing out",
		ours: sample{repo: rule("deny", read, `except = { arg = [{ path = "a", eq = 1 }] }`), args: `{"a":"1"}`, want: "ask listed"}, differs: true,
		why: "Whether it is carved out is not known, so a person decides."},
	{name: "when", theirs: "the key must match",
		ours: sample{repo: rule("deny", read, `when = { client = ["codex", "cl*"] }`), want: "deny listed"}},
	{name: "when of an absent key", theirs: "no match",
		ours: sample{repo: rule("deny", read, `when = { agent_type = "*" }`), want: "pass listed"}},
	{name: "every key of when", theirs: "must match",
		ours: sample{repo: rule("deny", read, `when = { client = "claude", permission_mode = "plan" }`), want: "pass listed"}},
	{name: "when of a blank value", theirs: "left out, so no match",
		ours: sample{repo: rule("deny", read, `when = { "env.BLANK" = "*" }`), want: "pass listed"}},
	{name: "their context keys", theirs: "channel, agent, origin and any other",
		ours: sample{repo: rule("deny", read, `when = { channel = "slack" }`), want: `error: no client sends "channel"`}, differs: true,
		why: "A key that nobody sends would be a rule that never applies; env.CHANNEL can be set."},
	{name: "environment of an allow", theirs: "any context may admit",
		ours: sample{repo: rule("allow", read, `when = { "env.CHANNEL" = "slack" }`), want: "error: the environment may only narrow"}, differs: true,
		why: "Whoever starts the client sets its environment."},
	{name: "allow by argument, on the lists", theirs: "counts as satisfied: stays listed",
		ours: sample{repo: allowlist + rule("allow", arg(`path = "a", eq = 1`)), args: `{"a":2}`, want: "deny listed"}},
	{name: "deny by argument, on the lists", theirs: "does not apply: stays listed",
		ours: sample{repo: rule("deny", arg(`path = "a", eq = 1`)), args: `{"a":1}`, want: "deny listed"}},
	{name: "deny except by argument, on the lists", theirs: "carves nothing out: hidden although some calls pass",
		ours: sample{repo: rule("deny", read, `except = { arg = [{ path = "a", eq = 1 }] }`), args: `{"a":2}`, want: "deny listed"}, differs: true,
		why: "A tool some of whose calls pass must be found."},
	{name: "deny when, on the lists", theirs: "the context is known, so it is hidden",
		ours: sample{repo: rule("deny", read, `when = { client = "claude" }`), want: "deny listed"}, differs: true,
		why: "A client's lists are settings: they outlive the surroundings of one call."},
}

var layerSemantics = []semantic{
	{name: "order inside a layer", theirs: "free: any deny refuses",
		ours: sample{repo: rule("deny", read) + rule("allow", anything), want: "deny unlisted"}},
	{name: "the other order", theirs: "free: any deny refuses",
		ours: sample{repo: rule("allow", anything) + rule("deny", read), want: "deny unlisted"}},
	{name: "default", theirs: "allow unless set",
		ours: sample{repo: rule("deny", read), tool: "Grep", want: "pass listed"}},
	{name: "default deny", theirs: "refused and not listed",
		ours: sample{repo: allowlist + rule("allow", read), tool: "Grep", want: "deny listed"}, differs: true,
		why: "Clients take the names of tools to leave out, not of those to keep."},
	{name: "default deny and the client's own tools", theirs: "the harness's tools skip the allowlist",
		ours: sample{repo: allowlist, tool: "ToolSearch", want: "deny listed"}, differs: true,
		why: "An allowlist that lets unnamed tools through is none."},
	{name: "unknown default", theirs: "not loaded",
		ours: sample{repo: "default = \"ask\"\n", want: `error: default cannot be "ask"`}},
	{name: "hide and allow", theirs: "off the lists",
		ours: sample{repo: allowlist + rule("allow", read) + rule("hide", read), want: "deny unlisted", says: "visible no, once synced (rule hide, repo policy)"}, differs: true,
		why: "A client does not call what it does not list, so the call is refused as well."},
	{name: "every layer must admit", theirs: "a narrower allow lifts nothing",
		ours: sample{managed: rule("deny", read), repo: allowlist + rule("allow", read), want: "deny unlisted", says: "by deny of managed"}},
	{name: "two allowlists, both", theirs: "intersect",
		ours: sample{managed: allowlist + rule("allow", read), repo: allowlist + rule("allow", anything), want: "pass listed"}},
	{name: "two allowlists, the broader only", theirs: "intersect",
		ours: sample{managed: allowlist + rule("allow", anything), repo: allowlist + rule("allow", read), tool: "Grep", want: "deny listed", says: "by default of repo"}},
	{name: "two allowlists, the narrower only", theirs: "intersect",
		ours: sample{managed: allowlist + rule("allow", read), repo: allowlist + rule("allow", anything), tool: "Grep", want: "deny listed", says: "by default of managed"}},
	{name: "a layer without rules", theirs: "dropped",
		ours: sample{managed: " ", repo: rule("deny", read), want: "deny unlisted", says: "by deny of repo"}},
	{name: "approvals of several layers", theirs: "the strictest counts",
		ours: sample{managed: rule("auto_approve", read), repo: rule("require_approval", read), want: "ask listed"}},
	{name: "waived beats default", theirs: "any layer lifts the host's own approval",
		ours: sample{managed: rule("auto_approve", read), repo: rule("allow", read), want: "approve listed"}, differs: true,
		why: "Only the managed and the user layer can: what asks for a prompt is theirs, too."},
	{name: "a layer's name", theirs: "given by the host, so authors cannot forge it",
		ours: sample{repo: "name = \"managed\"\n", want: `error: unknown key "name" in the policy`}},
	{name: "sub-agents", theirs: "inherit the operator's layers only",
		ours: sample{repo: rule("deny", read), change: func(ev *hooks.Event) { ev.AgentID, ev.AgentType = "a1", "Explore" }, want: "deny unlisted"}, differs: true,
		why: "What a session may not do it may not have done by an agent it starts."},
	{name: "stateful decisions", theirs: "out of scope",
		ours: sample{repo: "[[limit]]\nid = \"cap\"\ntools = \"refund\"\namount = \"a\"\nmax = \"5\"\n", tool: refund, args: `{"a":6}`, want: "deny listed"}, differs: true,
		why: "Limits and gates are what prompts cannot promise."},
}

var answerSemantics = []semantic{
	{name: "decision of a refused call", theirs: "visible, callable, approval, blocked_by",
		ours: sample{repo: rule("deny", read, `on = ["call"]`), want: "deny listed", says: "visible yes; callable no; approval does not help; by deny of repo at /repo:2"}},
	{name: "decision of an admitted call", theirs: "visible, callable, approval default",
		ours: sample{repo: rule("deny", read), tool: "Grep", want: "pass listed", says: "visible yes; callable yes; approval as the client decides"}},
	{name: "blocked_by of several", theirs: "the first refusing layer, its first matching deny",
		ours: sample{repo: ruleNamed("b", "deny", read) + ruleNamed("a", "deny", read), want: "deny unlisted", says: "by a of repo"}, differs: true,
		why: "The smallest id: the order of rules says nothing."},
	{name: "blocked_by of several layers", theirs: "the first refusing layer",
		ours: sample{managed: ruleNamed("z", "deny", read), repo: ruleNamed("a", "deny", read), want: "deny unlisted", says: "by z of managed"}},
	{name: "blocked_by of a default", theirs: "a layer without a rule",
		ours: sample{repo: allowlist, want: "deny listed", says: "by default of repo at /repo:2"}, differs: true,
		why: "It has the name default, and a place in the file."},
	{name: "a hidden tool", theirs: "names the hiding rule on lists",
		ours: sample{repo: rule("hide", read), want: "deny unlisted", says: "visible no, once synced (rule hide, repo policy)"}},
	{name: "refusal text", theirs: "Tool 'T' is not permitted by tool rules (rule 'ID') in 'LAYER': REASON.",
		ours: sample{repo: rule("deny", read, `reason = "Not here."`), want: "deny unlisted",
			says: `{"isError":true,"errorCategory":"PERMISSION","isRetryable":false,"message":"Not here.","rule":"deny","layer":"repo"}`}, differs: true,
		why: "The model reads the same shape as for every other error."},
	{name: "refusal by a default", theirs: "(default deny)",
		ours: sample{repo: allowlist, want: "deny listed", says: `"rule":"default","layer":"repo"`}, differs: true,
		why: "The model reads the same shape as for every other error."},
	{name: "approval text", theirs: "none: the host asks",
		ours: sample{repo: rule("require_approval", read, `reason = "Look first."`), want: "ask listed", says: "Look first. (rule require_approval, repo policy)"}, differs: true,
		why: "A person who is asked should know by whom."},
	{name: "approval where nobody can be asked", theirs: "left to the host",
		ours: sample{repo: rule("require_approval", read), change: func(ev *hooks.Event) { ev.CanAsk = false }, want: "deny listed"}, differs: true,
		why: "A client that cannot ask would run the call."},
}

// TestSemantics goes through everything that the compared language says.
func TestSemantics(t *testing.T) {
	seen := map[string]bool{}
	for _, group := range [][]semantic{ruleSemantics, effectSemantics, surfaceSemantics, matchSemantics, argSemantics,
		globSemantics, surroundingSemantics, layerSemantics, answerSemantics} {
		for _, s := range group {
			if s.name == "" || s.theirs == "" || seen[s.name] {
				t.Errorf("%q has no name of its own or does not say what theirs does", s.name)
			}
			seen[s.name] = true
			t.Run(s.name, s.check)
		}
	}
}

func (s semantic) check(t *testing.T) {
	if s.differs != (s.why != "") {
		t.Errorf("differs is %v and why is %q", s.differs, s.why)
	}
	set, err := s.ours.set()
	if message, ok := strings.CutPrefix(s.ours.want, "error: "); ok || err != nil {
		if !ok || err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("got the error %v, want %q", err, s.ours.want)
		}
		return
	}
	got, said := s.ours.judge(set)
	if got != s.ours.want || !strings.Contains(said, s.ours.says) {
		t.Errorf("got %q, want %q with %q:\n%s", got, s.ours.want, s.ours.says, said)
	}
}

func (s sample) set() (*policy.Set, error) {
	set := &policy.Set{}
	for _, layer := range []struct{ name, text string }{{policy.Managed, s.managed}, {policy.Repo, s.repo}} {
		if layer.text == "" {
			continue
		}
		l, err := policy.Parse(layer.name, "/"+layer.name, []byte("version = 1\n"+layer.text))
		if err != nil {
			return nil, err
		}
		set.Layers = append(set.Layers, l)
	}
	return set, nil
}

func (s sample) event() hooks.Event {
	ev := pre("Read", "{}")
	if s.tool != "" {
		ev.Tool = s.tool
	}
	switch s.args {
	case "":
	case "none":
		ev.Args = nil
	default:
		ev.Args = []byte(s.args)
	}
	if s.change != nil {
		s.change(&ev)
	}
	return ev
}

// judge gives the decision with the tool's visibility, and all that is said of
// it. Nothing here needs memory, so every way of judging must agree.
func (s sample) judge(set *policy.Set) (got, said string) {
	ev, ctx, listed := s.event(), Context{Env: func(string) string { return "" }}, "listed"
	for _, l := range set.Layers {
		if len(Unlisted(l, ev)) > 0 {
			listed = "unlisted"
		}
	}
	e, decided := Explain(set, ctx, Facts{}, ev), Decide(set, ctx, Facts{}, ev)
	got = Screen(set, ctx, ev).Decision.String()
	if decided.Decision.String() != got || e.Verdict.Decision.String() != got || (len(e.Unlist) > 0) != (listed == "unlisted") {
		got += ", and otherwise elsewhere"
	}
	said = "visible " + e.Visible() + "; callable " + e.Callable() + "; approval " + e.Approval()
	for _, f := range e.Verdict.Findings {
		said += fmt.Sprintf("; by %s of %s at %s:%d", f.ID, f.Layer, f.File, f.Line)
	}
	return got + " " + listed, said + "\n" + e.Verdict.Reply().Reason
}
