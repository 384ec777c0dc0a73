package gate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/wildcard"
)

// Presented is what the model is to read of a finished call instead of what the
// tool left, or beside it.
type Presented struct {
	Reply hooks.Reply
	Notes []string // for stderr
	Read  string   // for the audit: as what the end was read; "" = as it was
}

// Help is what Present needs from outside.
type Help struct {
	Now    time.Time
	Digest func(string) string // stands for a value that is to be hidden
	Stop   func() bool         // there is no more time; nil: there is enough
}

// Present gives an end its form.
func Present(set *policy.Set, ctx Context, h Help, ev hooks.Event) Presented {
	c := newCall(ctx, ev)
	c.set, c.facts.Now = set, h.Now
	var p Presented
	changes := c.changesAnywhere()
	if ev.Stopped || len(changes) == 0 && !policy.IsMCP(ev.Tool) && !c.spoken() {
		return p
	}
	shaped, whole := p.normalize(c, h, changes)
	if !whole {
		p.Reply = Withheld(ev)
		return p
	}
	m := c.meaning(narrowest)
	if (m.Failure || m.Empty) && !m.Told && !c.ours(m) {
		p.report(c, m, shaped)
		return p
	}
	if shaped != nil {
		p.Reply.Result = shaped
		p.text(shaped)
	}
	return p
}

// spoken reports a client's own tool of which an [[error]] speaks.
func (c *call) spoken() bool {
	for _, layer := range c.set.Layers {
		if slices.ContainsFunc(layer.Failures, func(f policy.Failure) bool { return policy.AnyRestricts(f.Tools, c.ev.Tool) }) {
			return true
		}
	}
	return false
}

// ours reports a failure of a client's own tool that no table has spoken of: the
// client tells the model what that means.
func (c *call) ours(m meaning) bool { return !policy.IsMCP(c.ev.Tool) && m.Source.ID == builtIn }

// normalize makes the changes to the result, those of broad layers first. It gives nil if nothing changes. whole is false if something is to be hidden
// in what cannot be read.
func (p *Presented) normalize(c *call, h Help, changes []errorsctx.Change) (shaped []byte, whole bool) {
	z := errorsctx.Normalizer{Changes: changes, Glob: wildcard.Match, Digest: h.Digest, Stop: h.Stop}
	if len(z.Changes) == 0 || c.ev.Kind != hooks.PostToolUse {
		return nil, true
	}
	var changed []string
	whole = true
	shaped = errorsctx.Shape(c.ev.Response, func(text string) string {
		d := z.Document(text)
		whole = whole && !d.Unread
		p.Notes, changed = append(p.Notes, d.Left...), append(changed, d.Changed...)
		return d.Text
	}, func(text string) { whole = whole && !z.Mentions(text) })
	if !whole && errorsctx.Hides(z.Changes) {
		return nil, false
	}
	p.Notes = few(p.Notes, maxNotes)
	p.Reply.Beside = besides(c.ev.Tool, changed)
	return shaped, true
}

// Hides reports that a table hides something in results of the event's tool.
func Hides(set *policy.Set, ev hooks.Event) bool {
	c := newCall(Context{}, ev)
	c.set = set
	return ev.Kind == hooks.PostToolUse && errorsctx.Hides(c.changesAnywhere())
}

// Withheld stands for a result in which something is to be hidden and cannot be.
func Withheld(ev hooks.Event) hooks.Reply {
	m := meaning{Source: policy.Source{Layer: ownLayer, ID: ruleWithheld}}
	m.Failure, m.Category, m.Message = true, errorsctx.Business, "The call has ended, but its result is withheld: something in it is to be hidden, and it cannot be read."
	text := m.contract(nil)
	return hooks.Reply{Result: errorsctx.Replace(ev.Response, text), Text: text, Beside: ended(ev, text)}
}

// ended says of which call a contract is that stands beside the result of a program.
func ended(ev hooks.Event, contract string) string {
	return "The call of " + ev.Tool + " ended with " + contract
}

// changes are those that tables make to results of the tool.
func (c *call) changes() []errorsctx.Change {
	var changes []errorsctx.Change
	for _, layer := range c.set.Layers {
		for _, n := range layer.Normalizes {
			if c.ofServer() && policy.AnyRestricts(n.Tools, c.ev.Tool) {
				changes = append(changes, n.Change)
			}
		}
	}
	return changes
}

// changesWithin are those to results of what the call reaches, wherever the envelope has
// them.
func (c *call) changesWithin() []errorsctx.Change {
	if !slices.ContainsFunc(c.set.Layers, func(l *policy.Layer) bool { return len(l.Dispatchers) > 0 }) || policy.IsShell(c.ev.Tool) {
		return nil
	}
	var changes []errorsctx.Change
	for _, reached := range Reach(c.set, c.ctx, c.ev).Calls {
		inner := newCall(c.ctx, reached)
		inner.set = c.set
		for _, change := range inner.changes() {
			changes = append(changes, change.Anywhere())
		}
	}
	return changes
}

// changesAnywhere are all that tables make to the call's result.
func (c *call) changesAnywhere() []errorsctx.Change {
	return append(c.changes(), c.changesWithin()...)
}

const (
	maxNotes  = 10
	maxBeside = 100
)

// few keeps the first n of a list and says how many more there are.
func few(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	return append(list[:n:n], fmt.Sprintf("and %d more", len(list)-n))
}

// besides tells what was changed, for a client in which the result cannot be replaced.
func besides(tool string, changed []string) string {
	if len(changed) == 0 {
		return ""
	}
	return "Read the result of the call of " + tool + " with these changes:\n" + strings.Join(few(changed, maxBeside), "\n")
}

// report puts the contract in the place of a result, or beside what cannot be
// replaced. A result of images is kept.
func (p *Presented) report(c *call, m meaning, shaped []byte) {
	p.Read = string(m.Category)
	if m.Empty {
		p.Read = "EMPTY"
	}
	p.Read += " by " + m.Source.ID
	if c.ev.Kind == hooks.PostToolUseFailure {
		p.Reply.Context = m.contract(nil)
		return
	}
	response := c.ev.Response
	if shaped != nil {
		response = shaped
		m.Message = c.shapedMessage(m, shaped)
	}
	if !errorsctx.OnlyText(response) || !policy.IsMCP(c.ev.Tool) { // a client's own tool has a form of its own
		p.Reply.Context = m.contract(nil)
		p.Reply.Result = shaped
		return
	}
	text := m.contract(original(response))
	p.Reply.Result, p.Reply.Beside = errorsctx.Replace(response, text), ended(c.ev, m.contract(nil))
	p.text(p.Reply.Result)
}

// shapedMessage is the server's message as it stands in a changed result, where
// something may be hidden. A table's own stays.
func (c *call) shapedMessage(m meaning, shaped []byte) string {
	said := errorsctx.Message
	if m.Empty {
		said = errorsctx.EmptyMessage
	}
	if m.Message != said(c.ending()) {
		return m.Message
	}
	ev := c.ev
	ev.Response = shaped
	return said(newCall(c.ctx, ev).ending())
}

// original is what the server said, if it said more than a message.
func original(response []byte) json.RawMessage {
	text := errorsctx.Text(response)
	if hooks.Strict([]byte(text)) != nil || !gjson.Parse(text).IsObject() && !gjson.Parse(text).IsArray() {
		return nil
	}
	return json.RawMessage(text)
}

// contract is the line that the model reads.
func (m meaning) contract(original json.RawMessage) string {
	if m.Empty {
		return string(hooks.EncodeJSON(errorsctx.EmptyReport{IsEmpty: true, Message: m.Message, Rule: m.Source.ID, Layer: m.Source.Layer, Original: original}))
	}
	return string(hooks.EncodeJSON(errorsctx.Report{
		Contract: errorsctx.Contract{IsError: true, Category: m.Category, IsRetryable: m.Retryable, Message: m.Message, Rule: m.Source.ID, Layer: m.Source.Layer},
		Original: original,
	}))
}

// text gives the result to a client that takes only a text.
func (p *Presented) text(result []byte) {
	p.Reply.Text, p.Reply.Lossy = errorsctx.Text(result), !errorsctx.OnlyText(result)
}
