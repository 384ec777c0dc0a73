package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
)

// maxReach is how many dispatchers deep a call is followed, and maxReached how many
// calls it may make.
const (
	maxReach   = 4
	maxReached = 100
)

// Reached is what a call makes happen besides itself: through a tool that calls others,
// or by a command line.
type Reached struct {
	Calls []hooks.Event
	// Unknown are objections to what cannot be told.
	Unknown []Finding
	list    bool // one call makes several, which share one result
	ctx     Context
	id      string // of the call itself
	seen    map[string]bool
}

// Reach follows a call through the dispatchers that the policy knows. Each call that is
// reached is one of its own, with its own arguments; the envelope's are nothing to it.
func Reach(set *policy.Set, ctx Context, ev hooks.Event) Reached {
	r := Reached{ctx: ctx, id: ev.ToolUseID}
	if !set.Empty() {
		r.follow(set, ev, 0, "")
	}
	if ev.Kind == hooks.PostToolUse || ev.Kind == hooks.PostToolUseFailure {
		r.end()
	}
	return r
}

func (r *Reached) follow(set *policy.Set, ev hooks.Event, depth int, path string) {
	if policy.IsShell(ev.Tool) && set.ReadsCommands() {
		r.runs(set, ev, path)
	}
	for i, layer := range set.Layers {
		for _, d := range layer.Dispatchers {
			if !policy.AnyRestricts(d.Tools, ev.Tool) {
				continue
			}
			if depth == maxReach {
				r.unknown(d, i, "dispatchers are nested too deeply")
				continue
			}
			for n, one := range r.envelopes(d, i, ev) {
				if len(r.Calls) >= maxReached {
					r.unknown(d, i, "it makes too many calls")
					return
				}
				place := fmt.Sprintf("%s#%d", path, n+1)
				if call, ok := r.target(set, d, i, ev, one); ok && r.add(call, place) {
					r.follow(set, call, depth+1, place)
				}
			}
		}
	}
}

// envelopes are the objects that each name one call.
func (r *Reached) envelopes(d policy.Dispatcher, depth int, ev hooks.Event) []gjson.Result {
	args := gjson.ParseBytes(ev.Args)
	if d.Each.Whole() {
		return []gjson.Result{args}
	}
	found, presence := d.Each.Lookup(args)
	if presence != errorsctx.Found || len(found) != 1 || !found[0].IsArray() {
		r.unknown(d, depth, "there is no list of calls")
		return nil
	}
	list := found[0].Array()
	if r.list = r.list || len(list) > 1; len(list) > maxReached {
		r.unknown(d, depth, "the list of calls is too long")
		return nil
	}
	return list
}

// target reads one call.
func (r *Reached) target(set *policy.Set, d policy.Dispatcher, depth int, ev hooks.Event, envelope gjson.Result) (hooks.Event, bool) {
	name, presence := d.Target.Lookup(envelope)
	if presence != errorsctx.Found || len(name) != 1 || name[0].Type != gjson.String || strings.TrimSpace(name[0].Str) == "" {
		r.unknown(d, depth, "the tool that it reaches is not named")
		return hooks.Event{}, false
	}
	args, ok := targetArgs(d, envelope)
	if !ok {
		r.unknown(d, depth, "the arguments of the tool that it reaches cannot be read")
		return hooks.Event{}, false
	}
	call := ev
	call.Tool, call.Args, call.Claim, call.Through = d.Tool(name[0].Str), args, nil, ev.Tool
	call.Server, call.ServerSource = "", ""
	return TakeClaim(set, call), true
}

// add keeps a call that is reached, unless another table has found it in the same place.
func (r *Reached) add(call hooks.Event, place string) bool {
	key := place + "\x00" + call.Tool + "\x00" + string(call.Args)
	if r.seen[key] {
		return false
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[key] = true
	if call.ToolUseID = ""; r.id != "" {
		call.ToolUseID = r.id + place
	}
	r.Calls = append(r.Calls, call)
	return true
}

// targetArgs reads an object, a text that holds one, or nothing.
func targetArgs(d policy.Dispatcher, envelope gjson.Result) ([]byte, bool) {
	found, presence := d.Args.Lookup(envelope)
	switch {
	case presence == errorsctx.Absent, presence == errorsctx.Found && len(found) == 1 && found[0].Type == gjson.Null:
		return []byte("{}"), true
	case presence != errorsctx.Found || len(found) != 1:
		return nil, false
	case found[0].Type == gjson.String:
		text := []byte(found[0].Str)
		return text, hooks.Strict(text) == nil && gjson.ParseBytes(text).IsObject()
	}
	return []byte(found[0].Raw), found[0].IsObject()
}

func (r *Reached) unknown(d policy.Dispatcher, depth int, why string) {
	r.doubt(d.Source, depth, "It cannot be told what this call reaches.", why)
}

// doubt asks about the call. Of many that are the same a bounded number is kept.
func (r *Reached) doubt(source policy.Source, depth int, message, why string) {
	f := Finding{Decision: Ask, Source: source, Broadness: depth, Category: errorsctx.Validation, Undecided: true, Message: message, Detail: why}
	if len(r.Unknown) < maxReached || !slices.Contains(r.Unknown, f) {
		r.Unknown = append(r.Unknown, f)
	}
}

// end makes the calls ended ones. Where several share one result it is the result of
// none of them: they have run, and have shown nothing.
func (r *Reached) end() {
	if !r.list {
		return
	}
	for i := range r.Calls {
		r.Calls[i].Kind, r.Calls[i].Response, r.Calls[i].Error = hooks.PostToolUse, nil, ""
	}
}

// Together is the verdict on a call and on what it reaches: the strictest of all.
func Together(verdicts []Verdict, unknown []Finding, ctx Context, ev hooks.Event) Verdict {
	if len(unknown) > 0 {
		verdicts = append(verdicts, combine(slices.Clone(unknown), newCall(ctx, ev).obstacle))
	}
	all := verdicts[0]
	for _, v := range verdicts[1:] {
		first := v.Decision > all.Decision || v.Decision == all.Decision && len(v.Findings) > 0 && (len(all.Findings) == 0 || leading(v.Findings[0], all.Findings[0]) < 0)
		if first {
			all.Findings = slices.Concat(v.Findings, all.Findings)
		} else {
			all.Findings = slices.Concat(all.Findings, v.Findings)
		}
		all.Decision = max(all.Decision, v.Decision)
		all.Reserve, all.Uses, all.Checked = append(all.Reserve, v.Reserve...), append(all.Uses, v.Uses...), append(all.Checked, v.Checked...)
	}
	return all
}

// ofServer reports a call of a server's tool, or one that such a tool makes.
func (c *call) ofServer() bool {
	if c.ev.Through != "" {
		return policy.IsMCP(c.ev.Through)
	}
	return policy.IsMCP(c.ev.Tool)
}
