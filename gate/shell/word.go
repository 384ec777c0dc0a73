package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fields collects the words that one word of the line becomes.
type fields struct {
	done []Word
	now  Word
	text strings.Builder
	any  bool // the word exists, if only as ""
}

// maxOrigin is how much is kept of where an unknown text comes from.
const maxOrigin = 2000

func newFields() *fields { return &fields{now: Word{Known: true}} }

func (f *fields) add(text string, known bool) {
	if !known {
		f.origin(Anything)
	}
	f.put(text, known)
}

// origin notes what an unknown part is: what is least known of all of them counts.
func (f *fields) origin(o Origin) {
	switch {
	case o == Temporary && f.text.Len() > 0, !f.now.Known && o < Name:
		f.now.Origin = Anything
	case f.now.Known || o < f.now.Origin:
		f.now.Origin = o
	}
}

func (f *fields) put(text string, known bool) {
	f.text.WriteString(text)
	f.now.Known = f.now.Known && known
	f.any = true
}

// value adds what an expansion gives as one text, with its origin if that is all
// that is known of it.
func (f *fields) value(v Word) {
	if !v.Known {
		f.origin(v.Origin)
	}
	f.put(v.Text, v.Known)
	f.from(v)
}

func (f *fields) from(v Word) {
	f.now.Glob = f.now.Glob || v.Glob
	if !v.Known && v.Source != "" && len(f.now.Source)+len(v.Source) < maxOrigin {
		f.now.Source += " " + v.Source
	}
}

// split adds the value of an unquoted expansion: blanks in it separate words.
func (f *fields) split(v Word) {
	parts := strings.FieldsFunc(v.Text, isBlank)
	if len(parts) == 0 {
		f.now.Known = f.now.Known && v.Known
		if v.Text != "" {
			f.cut()
		}
		return
	}
	if isBlank(rune(v.Text[0])) {
		f.cut()
	}
	for i, part := range parts {
		if i > 0 {
			f.cut()
		}
		f.now.Glob = f.now.Glob || hasGlob(part)
		f.value(Word{Text: part, Known: v.Known, Source: v.Source, Origin: v.Origin})
	}
	if isBlank(rune(v.Text[len(v.Text)-1])) {
		f.cut()
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func hasGlob(text string) bool { return strings.ContainsAny(text, "*?[") }

func (f *fields) cut() {
	if f.any {
		f.now.Text = f.text.String()
		f.done = append(f.done, f.now)
	}
	f.text.Reset()
	f.now, f.any = Word{Known: true}, false
}

// words expands a word as the shell does where it may become several.
func (w *walker) words(word *syntax.Word) []Word {
	if word == nil {
		return nil
	}
	var out []Word
	for _, alternative := range w.braces(word) {
		f := newFields()
		w.parts(f, alternative.Parts, false)
		f.cut()
		out = append(out, f.done...)
	}
	return w.spelled(word, out)
}

// word expands a word that stays one, such as the value of an assignment.
func (w *walker) word(word *syntax.Word) Word {
	if word == nil {
		return Word{Known: true}
	}
	f := newFields()
	w.parts(f, word.Parts, true)
	one := f.now
	one.Text = f.text.String()
	return w.spelled(word, []Word{one})[0]
}

// spelled notes how the line has the words.
func (w *walker) spelled(word *syntax.Word, out []Word) []Word {
	for i := range out {
		if w.list.size += len(out[i].Text) + 1; len(out[i].Text) > maxText {
			out[i] = Word{Text: Unknown, Source: out[i].Source}
		}
	}
	from, to := int(word.Pos().Offset()), int(word.End().Offset())
	if from > to || to > len(w.source) {
		return out
	}
	for i := range out {
		out[i].Source = w.source[from:to] + out[i].Source
	}
	return out
}

// parts adds the parts of a word. A whole one is not split.
func (w *walker) parts(f *fields, parts []syntax.WordPart, whole bool) {
	for i, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text := p.Value
			if i == 0 {
				text = w.tilde(f, text)
			}
			w.literal(f, text)
		case *syntax.SglQuoted:
			f.add(singleQuoted(p), true)
		case *syntax.DblQuoted:
			f.add("", true)
			w.quoted(f, p.Parts)
		case *syntax.ExtGlob: // as one that matches more
			f.now.Glob = true
			f.add("*", true)
		default:
			v := w.expansion(part)
			if whole {
				f.value(v)
			} else {
				f.split(w.cutAt(v))
			}
		}
	}
}

// cutAt is a value whose words are not told by blanks once the line sets IFS.
func (w *walker) cutAt(v Word) Word {
	if _, set := w.vars["IFS"]; set {
		return Word{Text: Unknown}
	}
	return v
}

func (w *walker) quoted(f *fields, parts []syntax.WordPart) {
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			f.add(unescape(lit.Value, "$`\"\\"), true)
			continue
		}
		f.value(w.expansion(part))
	}
}

// literal adds text outside of quotes.
func (w *walker) literal(f *fields, text string) {
	f.now.Glob = f.now.Glob || hasGlob(text)
	f.add(unescape(text, ""), true)
}

// unescape takes backslashes away before the given characters, or before all.
func unescape(text, only string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		next := text[i+1]
		if only != "" && next != '\n' && strings.IndexByte(only, next) < 0 {
			b.WriteByte('\\')
			continue
		}
		if i++; next != '\n' { // a line goes on
			b.WriteByte(next)
		}
	}
	return b.String()
}

// tilde expands a home at the beginning and gives the rest.
func (w *walker) tilde(f *fields, text string) string {
	rest, ok := strings.CutPrefix(text, "~")
	if !ok {
		return text
	}
	user, _, _ := strings.Cut(rest, "/")
	switch home, known := w.value("HOME"); {
	case user != "":
		f.add(Unknown, false)
	case known:
		f.add(home.Text, home.Known)
	default:
		f.add(Unknown, false)
	}
	return rest[len(user):]
}

func (w *walker) hereDocument(r *syntax.Redirect) Word {
	if r.Hdoc == nil {
		return Word{Known: true}
	}
	f := newFields()
	raw := false
	for _, part := range r.Word.Parts {
		lit, ok := part.(*syntax.Lit)
		raw = raw || !ok || strings.Contains(lit.Value, `\`)
	}
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok && raw {
			f.add(lit.Value, true)
			continue
		}
		w.quoted(f, []syntax.WordPart{part})
	}
	return Word{Text: f.text.String(), Known: f.now.Known}
}
