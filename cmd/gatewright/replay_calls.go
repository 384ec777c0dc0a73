package main

import (
	"slices"

	"github.com/tidwall/gjson"

	"gatewright/gate"
	"gatewright/hooks"
)

// madeCall is a call that a recording announces.
type madeCall struct {
	hooks.Event
	digest string // of its arguments
	failed bool   // by itself
}

func (m *madeCall) is(tool, digest string) bool {
	return (tool == "" || m.Tool == tool) && (digest == "" || m.digest == digest)
}

// madeCalls joins results to calls. Some model servers use their ids again, and then
// a result belongs to the oldest call that has none yet.
type madeCalls struct {
	open map[callID][]*madeCall
	last map[callID]*madeCall // the last one that ended: one end may be told twice
}

type callID struct{ session, id string }

// announce notes a call. Hooks that are registered twice announce one call twice.
func (c madeCalls) announce(ev hooks.Event) *madeCall {
	key := callID{ev.Session, ev.ToolUseID}
	made := &madeCall{Event: ev, digest: string(gate.Canonical(ev.Args))}
	if i := c.find(key, ev.Tool, made.digest); i >= 0 && ev.ToolUseID != "" {
		return c.open[key][i]
	}
	c.open[key] = append(c.open[key], made)
	return made
}

func (c madeCalls) find(key callID, tool, digest string) int {
	return slices.IndexFunc(c.open[key], func(m *madeCall) bool { return m.is(tool, digest) })
}

// end finds the call that has ended. A result that names its arguments belongs to the
// call with these, if there is one; without it they were changed after the check.
func (c madeCalls) end(key callID, tool, digest string) *madeCall {
	i := c.find(key, tool, digest)
	if i < 0 {
		i = c.find(key, tool, "")
	}
	if i < 0 {
		if last := c.last[key]; last != nil && last.is(tool, "") {
			return last
		}
		return nil
	}
	made := c.open[key][i]
	c.open[key], c.last[key] = slices.Delete(c.open[key], i, i+1), made
	return made
}

// ended is the event of a finished call. What the line says of it counts, and what it
// leaves out is as it was announced. args is nothing if the line does not tell them.
func (l *lineReader) ended(ev hooks.Event, args, response gjson.Result, failed bool) []recorded {
	digest := ""
	if args.Exists() {
		ev.Args = objectOnly(args.Raw)
		digest = string(gate.Canonical(ev.Args))
	}
	made := l.calls.end(callID{ev.Session, ev.ToolUseID}, ev.Tool, digest)
	switch {
	case made == nil && (ev.Tool == "" || !args.Exists()):
		return nil // nobody knows what has ended
	case made != nil:
		made.failed = made.failed || failed
		ev.Tool, ev.Client = made.Tool, made.Client
		if !args.Exists() {
			ev.Args = made.Args
		}
	}
	ev.Kind, ev.Name, ev.Response = hooks.PostToolUse, "PostToolUse", []byte(response.Raw)
	if failed {
		ev.Kind, ev.Name, ev.Error, ev.Response = hooks.PostToolUseFailure, "PostToolUseFailure", response.String(), nil
	}
	return []recorded{{Event: ev, made: made}}
}

// objectOnly is arguments as hooks take them.
func objectOnly(args string) []byte {
	if gjson.Parse(args).IsObject() {
		return []byte(args)
	}
	return nil
}
