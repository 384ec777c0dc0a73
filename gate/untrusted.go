package gate

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/gate/claim"
	"gatewright/hooks"
	"gatewright/policy"
)

// untrustedKey is where a source's digest is kept: one for all that it gave, so that
// what a claim has to list stays short.
func untrustedKey(layer *policy.Layer, u policy.Untrusted) string {
	return "untrusted:" + budgetsOf(layer) + strconv.Quote(u.ID)
}

// reads reports an ended call that has brought an untrusted input.
func (c *call) readsUntrusted(u policy.Untrusted) bool {
	if policy.AnyRestricts(u.Tools, c.ev.Tool) {
		return true
	}
	for _, s := range u.Servers {
		if s.Restricts(c.ev.Tool, c.ev.Server) {
			return true
		}
	}
	return u.Files && c.readsOutside()
}

// readsOutside reports a client's own tool that reads outside the project, or where that
// cannot be told.
func (c *call) readsOutside() bool {
	if c.ofServer() {
		return false
	}
	path := ""
	for _, name := range []string{"file_path", "notebook_path", "path"} {
		path = cmp.Or(path, c.args.Get(name).Str)
	}
	if c.ev.Tool == "Glob" || c.ev.Tool == "Grep" {
		path = cmp.Or(path, c.ev.CWD)
	}
	if c.ev.Tool == "Glob" && isAway(c.args.Get("pattern").Str) {
		return true
	}
	if path == "" {
		return false
	}
	if strings.HasPrefix(path, "~") {
		return true
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.ev.CWD, path)
	}
	project := c.ctx.Project
	if c.ctx.Physical != nil {
		path, project = c.ctx.Physical(path), c.ctx.Physical(project)
	}
	rel, err := filepath.Rel(project, path)
	return err != nil || !filepath.IsLocal(rel)
}

// isAway reports a pattern that leads somewhere else.
func isAway(pattern string) bool {
	return strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "~") || strings.Contains(pattern, "..")
}

func wantUntrusted(c *call, w *Wants) {
	for _, u := range c.layer.Untrusted {
		w.Record = w.Record || c.readsUntrusted(u)
	}
}

// learnUntrusted adds what the call gave to its source's digest. A failure's text is an
// input, too.
func learnUntrusted(l *lesson) {
	for _, u := range l.layer.Untrusted {
		if !l.readsUntrusted(u) {
			continue
		}
		key := untrustedKey(l.layer, u)
		before := gjson.ParseBytes(l.facts.record(key))
		content := string(l.ev.Response) + "\x00" + l.ev.Error
		digest := l.ctx.digest(before.Get("digest").Str + "\x00" + l.ev.Tool + "\x00" + content)
		if digest == "" {
			l.Lost = true
			l.note("untrusted input " + u.ID + " not recorded: there is no key")
			continue
		}
		l.Evidence = append(l.Evidence, Evidence{key, hooks.EncodeJSON(map[string]any{"digest": digest, "count": before.Get("count").Int() + 1})})
		l.Cite = append(l.Cite, cited(claim.Source{Name: u.ID, Digest: digest}))
	}
}

// ReadsUntrusted reports an ended call that has brought an untrusted input, by some
// layer.
func ReadsUntrusted(set *policy.Set, ctx Context, ev hooks.Event) bool {
	c := newCall(ctx, ev)
	for _, layer := range set.Layers {
		for _, u := range layer.Untrusted {
			if c.readsUntrusted(u) {
				return true
			}
		}
	}
	return false
}

// seen are the untrusted inputs of the session so far.
func seen(set *policy.Set, facts Facts) []claim.Source {
	var sources []claim.Source
	for _, layer := range set.Layers {
		for _, u := range layer.Untrusted {
			if digest := gjson.GetBytes(facts.record(untrustedKey(layer, u)), "digest").Str; digest != "" {
				sources = append(sources, claim.Source{Name: u.ID, Digest: digest})
			}
		}
	}
	return sources
}

// cited is a source as a claim has to write it.
func cited(s claim.Source) string {
	return fmt.Sprintf(`{"source":%q,"digest":%q}`, s.Name, s.Digest)
}

// citation tells the model what a claim has to cite from now on.
func citation(cite []string) string {
	if len(cite) == 0 {
		return ""
	}
	return "This was untrusted input. In every further claim, untrusted_context must have: " + strings.Join(cite, ", ")
}

// Citations are what claims must cite of what the session has read so far.
func Citations(set *policy.Set, facts Facts) string {
	var cite []string
	for _, source := range seen(set, facts) {
		cite = append(cite, cited(source))
	}
	if len(cite) == 0 {
		return ""
	}
	return "Untrusted input was read. In every further claim, untrusted_context must have: " + strings.Join(cite, ", ")
}
