package e2e

import "testing"

const rulesPolicy = `version = 1

[[fact]]
id = "rules"
from = ["mcp__crm__get_rules"]
reset_on = ["compact"]
scope = "agent"

[[gate]]
id = "rules-first"
tools = ["*"]
needs = ["rules"]
announce = true
reason = "Read the rules of this project first."
`

const (
	needsRules = `"requiredTool":"mcp__crm__get_rules"`
	announced  = "Call mcp__crm__get_rules first: until it has succeeded, every other tool call is refused. Read the rules of this project first."
)

var getRules = Call{Tool: "mcp__crm__get_rules", Args: object{}}

// shell runs a command that prints "through".
func (c client) shell() Call {
	if c.name == "claude" {
		return Call{Tool: "Bash", Args: object{"command": "printf 'thr%s' ough"}}
	}
	return Call{Tool: "exec_command", Args: object{"cmd": "printf 'thr%s' ough"}}
}

// search looks for the tool that opens the gate, in each client's way. Where all
// tools are shown there is no such search.
func (c client) search() Call {
	if c.name == "claude" {
		return Call{Tool: "ToolSearch", Args: object{"query": "select:" + getRules.Tool, "max_results": 5}}
	}
	return Call{Tool: "tool_search", Args: object{"query": "the rules of this project", "limit": 5}}
}

// checkRules checks which of a thread's calls were refused for want of the rules and
// which went through, and that the model had been told before it called anything.
func (w *world) checkRules(o outcome, thread string, refused, through []int) {
	w.Helper()
	for _, turn := range refused {
		if told := o.Told(thread, turn); !says(told, needsRules) || !says(told, "Read the rules of this project first.") {
			w.Errorf("%s %d, without the rules: %q", thread, turn, told)
		}
	}
	for _, turn := range through {
		if told := o.Told(thread, turn); told == "" || says(told, needsRules) || !says(told, "through") && !says(told, "verified") {
			w.Errorf("%s %d, with the rules: %q", thread, turn, told)
		}
	}
	if !says(o.Read(thread, 0), announced) {
		w.Errorf("%s was not told what to call first", thread)
	}
}

// TestRules: nothing runs before the rules are read, and the model is told so before
// it calls anything. A sub-agent reads them for itself.
func TestRules(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(w.policy(), rulesPolicy)
		main := []Call{verify("crm", "C-1", "good"), c.shell(), c.delegate()[0], c.search(), getRules, verify("crm", "C-1", "good"), c.shell()}
		sub := []Call{c.shell(), verify("crm", "C-1", "good"), getRules, c.shell(), verify("crm", "C-1", "good")}
		o := w.run(play{Script: Script{Main: append(main, c.delegate()...), Sub: sub}, Bypass: true})
		w.checkRules(o, "main", []int{0, 1, 2}, []int{5, 6})
		if told := o.Told("main", 3); says(told, needsRules) {
			t.Errorf("the search was refused: %q", told)
		}
		w.checkRules(o, "sub", []int{0, 1}, []int{3, 4})
	})
}

// TestRulesInCode: the same for calls from programs.
func TestRulesInCode(t *testing.T) {
	t.Parallel()
	w := newInstalled(t, clients[2])
	w.write(w.policy(), rulesPolicy)
	good := verify("crm", "C-1", "good")
	w.checkRules(w.run(play{Script: Script{Main: []Call{good, getRules, good}}, CodeMode: true}), "main", []int{0}, []int{2})
}

// TestRulesAfterCompaction: a session that goes on has read them, and one whose
// conversation was shortened reads them again.
func TestRulesAfterCompaction(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		w := newInstalled(t, c)
		w.write(w.policy(), rulesPolicy)
		w.checkRules(w.run(play{Script: Script{Main: []Call{c.shell(), getRules, c.shell()}}, Bypass: true}), "main", []int{0}, []int{2})
		w.checkRules(w.run(play{Script: Script{Main: []Call{c.shell()}}, Resume: true, Bypass: true}), "main", nil, []int{0})
		w.compact()
		o := w.run(play{Script: Script{Main: []Call{c.shell(), verify("crm", "C-1", "good"), getRules, c.shell()}}, Resume: true, Bypass: true})
		w.checkRules(o, "main", []int{0, 1}, []int{3})
	})
}
