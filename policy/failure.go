package policy

import (
	"fmt"
	"regexp"
	"strings"

	"gatewright/errorsctx"
)

// Failure says what a result of some tools means: an [[error]].
type Failure struct {
	Source
	Tools  []Pattern   // restricting
	Status []string    // HTTP statuses, as globs of three characters
	Codes  []string    // kinds of errors, as errorsctx.Code spells them
	Text   string      // a regular expression; see Regexp
	Where  *Expression // over past.result and past.args

	Category  errorsctx.Category // "" if it is no failure
	Retryable bool
	Empty     bool   // nothing was found, which is a valid answer
	Success   bool   // no failure at all, whatever it looks like
	Message   string // instead of the server's; "" = that one
}

// Unconditional reports an entry for every failure of its tools.
func (f Failure) Unconditional() bool {
	return f.Status == nil && f.Codes == nil && f.Text == "" && f.Where == nil
}

// OnlyText reports an entry that goes by what is said alone.
func (f Failure) OnlyText() bool {
	return f.Status == nil && f.Codes == nil && f.Where == nil
}

// Regexp is the entry's expression for texts. It was checked when it was read.
func (f Failure) Regexp(whole bool) *regexp.Regexp {
	if whole {
		return regexp.MustCompile(`(?is)\A(?:` + f.Text + `)\z`)
	}
	return regexp.MustCompile(`(?is)` + f.Text)
}

// readFailure reads an [[error]].
func readFailure(t *table) Failure {
	t.need("tools")
	f := Failure{
		Source:   t.source(),
		Tools:    t.patterns("tools", false),
		Status:   t.statuses("status"),
		Codes:    t.codes("code"),
		Text:     t.regexp("text"),
		Where:    t.expression("where", true, pastOnly),
		Category: t.category(""),
		Empty:    t.yes("empty"),
		Success:  t.yes("success"),
		Message:  t.text("message"),
	}
	meanings := 0
	for _, said := range []bool{f.Category != "", f.Empty, f.Success} {
		if said {
			meanings++
		}
	}
	if meanings != 1 {
		t.problem("", "[[error]] must say one thing: category, empty or success",
			`add category = "TRANSIENT" (or VALIDATION, PERMISSION, BUSINESS), empty = true or success = true`)
	}
	if (f.Empty || f.Success) && f.Unconditional() {
		t.problem("", "[[error]] without a condition would take every failure of its tools for a success", "add status, code, text or where")
	}
	if f.Retryable = t.flag("retryable"); !t.has("retryable") {
		f.Retryable = f.Category == errorsctx.Transient
	}
	if t.has("retryable") && f.Category == "" {
		t.problem("retryable", "retryable is about a failure", "add a category, or remove the line")
	}
	return f
}

// pastOnly is what expressions about a single result can use.
func pastOnly() []string { return []string{"past"} }

// statuses reads HTTP statuses: 404, or "5xx" for all that begin with a 5.
func (t *table) statuses(key string) []string {
	var out []string
	for _, text := range t.scalars(key) {
		glob := strings.ReplaceAll(strings.ToLower(text), "x", "?")
		if len(glob) != 3 || glob[0] < '1' || glob[0] > '5' || strings.Trim(glob[1:], "0123456789?") != "" {
			t.problem(key, fmt.Sprintf("%q is no HTTP status", text), `write [404, "5xx"]`)
			continue
		}
		out = append(out, glob)
	}
	return out
}

func (t *table) codes(key string) []string {
	var out []string
	for _, text := range t.scalars(key) {
		code := errorsctx.Code(text)
		if code == "" || code == "-" || strings.ContainsAny(text, "*?") {
			t.problem(key, fmt.Sprintf("%q is no code", text), `write ["UNAVAILABLE", "rate_limit_error", -32001]`)
			continue
		}
		out = append(out, code)
	}
	return out
}

// scalars reads texts and whole numbers, one or a list.
func (t *table) scalars(key string) []string {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	var out []string
	for _, item := range list {
		switch item := item.(type) {
		case string:
			out = append(out, item)
		case int64:
			out = append(out, fmt.Sprint(item))
		default:
			t.problem(key, key+" must be texts or whole numbers", "")
		}
	}
	if len(list) == 0 {
		t.problem(key, key+" is empty, so it would match nothing", "name at least one, or remove the line")
	}
	return out
}

// regexp reads a regular expression (RE2). Letter case does not count.
func (t *table) regexp(key string) string {
	text := t.text(key)
	for _, form := range []string{`(?is)` + text, `(?is)\A(?:` + text + `)\z`} {
		if _, err := regexp.Compile(form); err != nil {
			t.problem(key, fmt.Sprintf("%s is no regular expression: %v", key, err), "a text that stands for itself needs a backslash before . ( ) [ ] * + ? ^ $ |")
			return ""
		}
	}
	return text
}

// yes reads a key that can only be true: its absence says the rest.
func (t *table) yes(key string) bool {
	said := t.flag(key)
	if t.has(key) && !said {
		t.problem(key, key+" can only be true", "remove the line")
	}
	return said
}
