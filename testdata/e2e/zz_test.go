package e2e

import (
	"fmt"
	"strings"
	"testing"
)

func TestZZ(t *testing.T) {
	eachClient(t, func(t *testing.T, c client) {
		var b strings.Builder
		defer func() { t.Log("\n" + b.String()) }()
		show := func(name string, o outcome, thread string, n int) {
			for i := range n { fmt.Fprintf(&b, "%s %s %d: %.1500s\n", name, thread, i, o.Told(thread, i)) }
		}
		modes := []bool{false}
		if c.name == "codex" { modes = []bool{false, true} }
		for _, code := range modes {
			w := newInstalled(t, c)
			w.write(w.policy(), lookupPolicy)
			calls := []Call{lookup("text"), lookup("structured"), lookup("blocks"), lookup("image")}
			o := w.run(play{Script: Script{Main: calls}, CodeMode: code})
			show(fmt.Sprint("normalize code=", code), o, "main", 4)
			fmt.Fprintln(&b, "secret heard:", o.Heard(secret))
			fmt.Fprintln(&b, "in state:", w.do(w.repo, "sh", "-c", "grep -rla 078-05 $HOME/.local/state/gatewright || echo no"))
			if c.name == "codex" {
				last := o.requests[len(o.requests)-1]
				i := strings.Index(last, "Read the result of")
				if i > 0 { fmt.Fprintln(&b, "beside:", last[max(0,i-200):i+300]) }
			}
			w = newInstalled(t, c)
			w.write(w.policy(), endingsPolicy)
			var cs []Call
			for _, e := range endings { cs = append(cs, e.Call) }
			o = w.run(play{Script: Script{Main: cs}, CodeMode: code})
			show(fmt.Sprint("endings code=", code), o, "main", len(cs))
			if c.name == "codex" {
				last := o.requests[len(o.requests)-1]
				for _, s := range strings.SplitAfter(last, `"type":"message"`) { if strings.Contains(s, "errorCategory") || strings.Contains(s, "isEmpty") { fmt.Fprintf(&b, "MSG %.900s\n", s) } }
			}
			w = newInstalled(t, c)
			w.write(w.policy(), retryPolicy)
			cs = []Call{refund("C-refused", 20), refund("C-refused", 20), refund("C-declined", 20), refund("C-declined", 20)}
			o = w.run(play{Script: Script{Main: cs}, CodeMode: code})
			show(fmt.Sprint("retry code=", code), o, "main", len(cs))
			fmt.Fprintln(&b, w.refunds())
		}
		w := newInstalled(t, c)
		w.write(w.policy(), rulesPolicy)
		search := Call{Tool: "ToolSearch", Args: object{"query": "select:mcp__crm__get_rules", "max_results": 5}}
		if c.name == "codex" { search = Call{Tool: "tool_search", Args: object{"query": "rules of this project", "limit": 5}} }
		o := w.run(play{Script: Script{Main: []Call{search, c.shell(), getRules, c.shell()}}, Bypass: true})
		show("rules", o, "main", 4)
		r := o.Read("main", 1)
		i := strings.Index(r, "toolu_main_0"); if i < 0 { i = strings.Index(r, "tool_search_call") }
		fmt.Fprintln(&b, r[max(0,i):min(len(r), max(0,i)+1500)])
		fmt.Fprintln(&b, w.auditOf("PreToolUse"))
	})
}
