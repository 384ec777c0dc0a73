package gate

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// meaning is what the end of a call means, and which table says so.
type meaning struct {
	errorsctx.Outcome
	Source policy.Source
	failed bool // the server or the client said so
	doubt  bool // a table could not tell
}

// nothing reports an end that is no evidence.
func (m meaning) nothing() bool { return m.Failure || m.Empty || m.doubt }

// How many layers have a say in what an end means: those down to a depth.
const (
	noLayer   = -1
	narrowest = 1 << 30
)

// builtIn is the rule that failures are read by where no table speaks of them.
const builtIn = "built-in"

// meaning reads the end of the call by the tables of the layers down to a depth,
// broad ones first, and else by what servers commonly send.
func (c *call) meaning(depth int) meaning {
	if m, known := c.meanings[depth]; known {
		return m
	}
	m := c.interpret(c.ending(), depth)
	if c.meanings == nil {
		c.meanings = map[int]meaning{}
	}
	c.meanings[depth] = m
	return m
}

func (c *call) interpret(e errorsctx.Ending, depth int) meaning {
	usual := errorsctx.Classify(e)
	if !e.Failed && !c.ofServer() {
		usual = errorsctx.Outcome{} // a client's own tool says itself when it fails
	}
	m := meaning{Outcome: usual, Source: policy.Source{Layer: ownLayer, ID: builtIn}, failed: e.Failed}
	for i, layer := range c.set.Layers {
		if i > depth {
			break
		}
		for _, f := range layer.Failures {
			switch c.means(layer, f, e, usual) {
			case exact.True:
				m.Outcome, m.Source = said(f, e, usual), f.Source
				return m
			case exact.Unknown:
				m.doubt = true
			}
		}
	}
	return m
}

// result reads the call's result once, and only if somebody asks.
func (c *call) result() hooks.Result {
	if c.ended == nil {
		r := c.ev.Result()
		c.ended = &r
	}
	return *c.ended
}

// ending is what the call left, in the form in which it is classified.
func (c *call) ending() errorsctx.Ending {
	r := c.result()
	if r.Failed {
		e := errorsctx.Ending{Failed: true, Text: r.Error}
		if hooks.Strict([]byte(r.Error)) == nil {
			e.Doc = gjson.Parse(r.Error)
		}
		return e
	}
	v := gjson.ParseBytes(r.Value)
	if v.Type == gjson.String {
		return errorsctx.Ending{Text: strings.TrimSpace(v.Str)}
	}
	return errorsctx.Ending{Doc: v}
}

// means reports whether a table speaks of this end. Its text may stand anywhere in a
// failure. In what the server calls a success it must be all there is: a text that
// only mentions an error is none.
func (c *call) means(layer *policy.Layer, f policy.Failure, e errorsctx.Ending, usual errorsctx.Outcome) exact.Truth {
	failure := usual.Failure
	byMembers := f.Status != nil || f.Codes != nil || f.Unconditional()
	switch {
	case !policy.AnyRestricts(f.Tools, c.ev.Tool) && (c.ev.Through == "" || !policy.AnyRestricts(f.Tools, c.ev.Through)), byMembers && !failure:
		return exact.False // a status or a code may be about anything that was found
	case f.Empty && f.OnlyText() && (usual.Category == errorsctx.Permission || usual.Category == errorsctx.Transient):
		return exact.False // that something is not found is not all that it says
	}
	has := func(globs, found []string) bool {
		return globs == nil || slices.ContainsFunc(globs, func(glob string) bool {
			return slices.ContainsFunc(found, func(s string) bool { return wildcard.Match(glob, s) })
		})
	}
	if !has(f.Status, errorsctx.Statuses(e)) || !has(f.Codes, errorsctx.Codes(e)) {
		return exact.False
	}
	text := e.Text
	if text == "" && failure {
		text = errorsctx.Message(e)
	}
	if f.Text != "" && !f.Regexp(!failure).MatchString(text) {
		return exact.False
	}
	if f.Where == nil {
		return exact.True
	}
	return c.whereOfEnd(layer, f, e)
}

func (c *call) whereOfEnd(layer *policy.Layer, f policy.Failure, e errorsctx.Ending) exact.Truth {
	p, err := f.Where.Program()
	if err != nil {
		return exact.Unknown
	}
	result := e.Doc
	if !result.Exists() {
		result = gjson.ParseBytes(gjson.AppendJSONString(nil, e.Text))
	}
	before := c.layer
	c.layer = layer
	defer func() { c.layer = before }()
	env := c.environment(p)
	env.Names[pastName] = pastOf(c.args, result, gjson.Result{})
	return p.Holds(env)
}

// said is the outcome that a table gives.
func said(f policy.Failure, e errorsctx.Ending, usual errorsctx.Outcome) errorsctx.Outcome {
	o := errorsctx.Outcome{Message: f.Message}
	switch {
	case f.Empty:
		if o.Empty = true; o.Message == "" {
			o.Message = errorsctx.EmptyMessage(e)
		}
	case !f.Success:
		o.Failure, o.Category, o.Retryable = true, f.Category, f.Retryable
		o.Known = true
		o.Definite = usual.Failure && !f.Retryable && f.Category != errorsctx.Transient && (usual.Definite || !f.Unconditional() && !errorsctx.MayHavePassed(e))
		if o.Message == "" {
			o.Message = errorsctx.Message(e)
		}
	}
	return o
}
