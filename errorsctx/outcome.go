package errorsctx

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Ending is what a finished call left.
type Ending struct {
	Failed bool   // the server or the client called it a failure
	Text   string // the failure's text, or the result's if it is one text
	// Doc is the text or the result, parsed, if it is JSON; else the zero Result.
	Doc gjson.Result
}

// Outcome is what an ending means.
type Outcome struct {
	Failure bool
	// Empty: nothing was found, which is a valid answer and no failure.
	Empty     bool
	Category  Category
	Retryable bool
	Message   string
	// Known says that something in the failure tells its category; without it that
	// is BUSINESS for want of anything better.
	Known bool
	// Definite says that the call had no effect for certain: what it was to spend
	// was not spent.
	Definite bool
	// Told says that the model has read a contract from the server itself.
	Told bool
}

// Classify reads an ending by what servers commonly send. A failure that tells
// nothing is BUSINESS and not retryable. A result that the server calls a success
// is a failure only if it holds nothing but an error: text that mentions one is
// none.
func Classify(e Ending) Outcome {
	if !e.Failed && !looksFailed(e.Doc) {
		return Outcome{}
	}
	o := Outcome{Failure: true, Category: Business, Message: Message(e)}
	if o.Told = readContract(e.Doc, e.Failed, &o); o.Told {
		return o
	}
	category, sure := fromMembers(e.Doc)
	if category == "" {
		category, sure = fromRPC(e.Text)
	}
	if category == "" || category == Permission && hasAny(words(o.Message), tooMany) {
		category, sure = fromProse(proseOf(o.Message)), false
	}
	if o.Known = category != ""; o.Known {
		o.Category = category
	}
	o.Retryable = o.Category == Transient
	o.obey(e.Doc)
	o.Definite = e.Failed && sure && !o.Retryable && !MayHavePassed(e)
	return o
}

// MayHavePassed reports signs in an ending of something that says nothing of what was
// done: a time that ran out, a connection that was lost, a conflict, more than one
// error, or something besides the error.
func MayHavePassed(e Ending) bool {
	for _, status := range Statuses(e) {
		if c := httpCategory(status); c == Transient || status == "409" {
			return true
		}
	}
	text := words(e.Text)
	if e.Text == "" {
		text = words(e.Doc.Raw)
	}
	return hasAny(text, passing) || hasAny(text, tooMany) || e.Doc.IsObject() && !onlyOneError(e.Doc)
}

// obey takes a server's word for whether a retry can help.
func (o *Outcome) obey(doc gjson.Result) {
	for _, object := range append(errorsIn(doc), doc) {
		for _, name := range []string{"isRetryable", "is_retryable", "retryable"} {
			switch memberOf(object, name).Type {
			case gjson.True:
				o.Category, o.Retryable = Transient, true
			case gjson.False:
				o.Retryable = false
			}
		}
	}
}

// readContract takes a server's own contract at its word.
func readContract(doc gjson.Result, failed bool, o *Outcome) bool {
	category := Category(doc.Get("errorCategory").Str)
	if !doc.IsObject() || !known(category) {
		return false
	}
	o.Category, o.Retryable, o.Known = category, doc.Get("isRetryable").Type == gjson.True, true
	o.Definite = failed && !o.Retryable && category != Transient
	return true
}

func known(category Category) bool {
	for _, c := range Categories {
		if c == category {
			return true
		}
	}
	return false
}

// maxMessage bounds a message, in bytes: the model reads the whole failure beside it.
const maxMessage = 1000

// Message is the text that tells a person what went wrong.
func Message(e Ending) string {
	if text := messageIn(e.Doc); text != "" {
		return clip(text, maxMessage)
	}
	if text := strings.TrimSpace(e.Text); text != "" {
		return clip(text, maxMessage)
	}
	if e.Doc.Exists() {
		return clip(e.Doc.Raw, maxMessage)
	}
	return "The call failed without saying why."
}

// EmptyMessage is what a server says where it has found nothing.
func EmptyMessage(e Ending) string {
	if text := messageIn(e.Doc); text != "" {
		return clip(text, maxMessage)
	}
	if !e.Doc.Exists() && e.Text != "" {
		return clip(e.Text, maxMessage)
	}
	return "Nothing was found. This is a valid answer."
}

// messageNames are the members in which servers put a text for people.
var messageNames = []string{"message", "msg", "error_description", "error_message", "errorMessage", "detail", "error", "title", "reason"}

func messageIn(doc gjson.Result) string {
	for _, inner := range append(errorsIn(doc), doc) {
		for _, name := range messageNames {
			if v := memberOf(inner, name); v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
				return strings.TrimSpace(v.Str)
			}
		}
	}
	return ""
}

// errorsIn are the objects inside a document that describe its error.
func errorsIn(doc gjson.Result) []gjson.Result {
	var inner []gjson.Result
	if e := memberOf(doc, "error"); e.IsObject() {
		inner = append(inner, e)
	}
	if list := memberOf(doc, "errors"); list.IsArray() {
		if first := list.Get("0"); first.IsObject() {
			inner = append(inner, first)
			if more := memberOf(first, "extensions"); more.IsObject() {
				inner = append(inner, more)
			}
		}
	}
	return inner
}

func memberOf(doc gjson.Result, name string) gjson.Result {
	v, _ := memberAt(doc, name)
	return v
}
