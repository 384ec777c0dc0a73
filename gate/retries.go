package gate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
)

// failedCall is what is kept of a call that failed, for when it comes again.
type failedCall struct {
	At        int64              `json:"at"` // Unix nanoseconds
	Call      string             `json:"call,omitempty"`
	Tries     int                `json:"tries"`
	Category  errorsctx.Category `json:"category"`
	Retryable bool               `json:"retryable,omitempty"`
	Message   string             `json:"message"`
}

// triedPrefix begins the keys of a table's failed calls.
func triedPrefix(layer *policy.Layer, r policy.Retry) string {
	return "retry:" + budgetsOf(layer) + strconv.Quote(r.ID) + " "
}

// triedKey names a call by its tool and its arguments.
func (c *call) triedKey(r policy.Retry, digest string) string {
	return triedPrefix(c.layer, r) + shortKey(c.ev.Tool) + " " + digest
}

// tried finds the same call's failure, if it still counts.
func (c *call) tried(r policy.Retry, digest string) (failedCall, bool) {
	record := c.facts.record(c.triedKey(r, digest))
	if len(record) == 0 {
		return failedCall{}, false
	}
	var f failedCall
	if json.Unmarshal(record, &f) != nil {
		return failedCall{Tries: 1, Category: errorsctx.Business, Message: "The call failed"}, true
	}
	old := r.After > 0 && c.facts.Now.Sub(time.Unix(0, f.At)) >= r.After
	return f, !old
}

// needRetries: whether a call failed before is in the memory.
func needRetries(c *call, n *Needs) {
	for _, r := range c.layer.Retries {
		n.Any = n.Any || r.Covers(c.ev.Tool)
	}
}

// judgeRetries denies a call that failed before, for a reason that has not passed.
// What is denied is not counted.
func judgeRetries(c *call) {
	for _, r := range c.layer.Retries {
		f, known := c.tried(r, c.facts.Digest)
		if !known || !r.Covers(c.ev.Tool) || f.Retryable && f.Tries < r.Max {
			continue
		}
		c.find(r.Source, Finding{Decision: Deny, Category: f.Category, Message: f.again(r), Redirect: r.Redirect})
	}
}

// again is what the model is told when it repeats the call.
func (f failedCall) again(r policy.Retry) string {
	text := strings.TrimRight(f.Message, ". \n") + ". This same call has failed with that before"
	if f.Tries > 1 {
		text += fmt.Sprintf(", %d times", f.Tries)
	}
	text += ": a retry does not help until something changes"
	var after []string
	for _, p := range r.Until {
		after = append(after, p.String())
	}
	if len(after) > 0 {
		text += " (by " + strings.Join(after, ", ") + ", or what the user says)"
	}
	return text + "."
}

// wantRetries looks for a table that counts the finished call, or that takes it for
// a change.
func wantRetries(c *call, w *Wants) {
	for _, r := range c.layer.Retries {
		w.Record = w.Record || r.Covers(c.ev.Tool) || policy.AnyRestricts(r.Until, c.ev.Tool)
	}
}

// learnRetries keeps that the call failed, or forgets it when it worked.
func learnRetries(l *lesson) {
	m := l.meaning(l.depth) // what a narrower layer says must not undo it
	for _, r := range l.layer.Retries {
		switch {
		case m.Failure && r.Covers(l.ev.Tool) && !l.ev.Stopped:
			l.countTry(r, m)
		case m.Failure:
		case policy.AnyRestricts(r.Until, l.ev.Tool):
			l.Stale = append(l.Stale, triedPrefix(l.layer, r))
		case r.Covers(l.ev.Tool):
			l.Stale = append(l.Stale, l.triedKey(r, l.digest))
		}
	}
}

func (l *lesson) countTry(r policy.Retry, m meaning) {
	before, known := l.tried(r, l.digest)
	f := failedCall{At: l.now.UnixNano(), Tries: 1, Category: m.Category, Retryable: m.Retryable, Message: m.Message}
	if l.ev.Kind == hooks.PostToolUse && (l.ev.Through != "" || len(l.changesAnywhere()) > 0) {
		f.Message = "The call failed" // something of the result may be hidden
	}
	if l.ev.ToolUseID != "" {
		f.Call = l.id()
	}
	if known {
		f.Tries += before.Tries
		if l.toldAgain(l.triedKey(r, l.digest), f.Call) {
			return
		}
	}
	l.Evidence = append(l.Evidence, Evidence{l.triedKey(r, l.digest), hooks.EncodeJSON(f)})
}

// tryAnew forgets what failed: a person has said something.
func (l *lesson) tryAnew() {
	for _, layer := range l.set.Layers {
		for _, r := range layer.Retries {
			l.Stale = append(l.Stale, triedPrefix(layer, r))
		}
	}
}

func explainRetries(c *call) []Explained {
	var out []Explained
	for _, r := range c.layer.Retries {
		if !r.Covers(c.ev.Tool) {
			continue
		}
		f, known := c.tried(r, c.facts.Digest)
		x := Explained{Source: r.Source, Kind: "retry", Says: "refuses", Matched: exact.Of(known && (!f.Retryable || f.Tries >= r.Max))}
		if known {
			x.Tests = []Test{{"failed before", fmt.Sprintf("%d times, %s", f.Tries, f.Category)}}
		}
		out = append(out, x)
	}
	return out
}
