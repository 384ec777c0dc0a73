package errorsctx

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// kindNames are the members in which servers name the kind of an error by a word,
// the most telling first.
var kindNames = []string{"error_kind", "errorKind", "error_code", "errorCode", "error_type", "errorType", "code", "__type", "type", "kind", "reason", "status", "error"}

// fromMembers reads the category from a document's members. Words beat numbers, and
// what stands inside beats what stands around it. sure reports that all of them say
// the same, and that there is nothing else that could tell of an effect.
func fromMembers(doc gjson.Result) (category Category, sure bool) {
	if !doc.IsObject() {
		return "", false
	}
	r := kinds{sure: true}
	inner := errorsIn(doc)
	for i, object := range append(inner, doc) {
		r.words(object, i == len(inner))
	}
	for _, object := range append(inner, doc) {
		r.numbers(object)
	}
	if len(r.all) == 0 {
		return "", false
	}
	for _, c := range r.all {
		r.sure = r.sure && c == r.all[0]
	}
	return r.all[0], r.sure
}

// kinds are the categories that members name, the most telling first.
type kinds struct {
	all  []Category
	sure bool
}

func (r *kinds) words(object gjson.Result, outside bool) {
	for _, name := range kindNames {
		v := memberOf(object, name)
		if v.Type != gjson.String || v.Str == "" || isNumber(v.Str) {
			continue
		}
		category := wordCategory(v.Str)
		if category != "" {
			r.all = append(r.all, category)
		}
		switch {
		case category == "" && name == "error": // a text for people
		case category == "" && (name == "status" || name == "type" && strings.Contains(v.Str, ":")):
			r.sure = r.sure && name == "type"
		case category == "", outside && vague(name), loose(v.Str):
			r.sure = false
		}
	}
}

func (r *kinds) numbers(object gjson.Result) {
	object.ForEach(func(k, v gjson.Result) bool {
		category, isCode := numberCategory(plain(k.Str), v, object)
		r.sure = r.sure && isCode == (category != "")
		if category != "" {
			r.all = append(r.all, category)
		}
		return true
	})
}

func isNumber(text string) bool { return strings.Trim(text, "-0123456789") == "" }

// vague reports a name under which a server may also speak of its own things.
func vague(name string) bool {
	return name == "type" || name == "kind" || name == "reason" || name == "status"
}

// loose reports a word that says what went wrong in a program, and not that it did
// nothing before.
func loose(word string) bool {
	return slices.Contains([]string{"type", "syntax", "parse", "sql", "schema", "enoent", "eacces", "eperm", "validation", "validationfailed", "invalid", "auth", "permission",
		"business", "notallowed", "notfound", "resourcenotfound", "doesnotexist", "limitreached", "limitexceeded", "quotaexceeded"}, stem(word))
}

// Statuses lists the HTTP statuses that an ending names: in its members, and a
// failure's in its text.
func Statuses(e Ending) []string {
	var found []string
	for _, object := range append(errorsIn(e.Doc), e.Doc) {
		object.ForEach(func(k, v gjson.Result) bool {
			switch plain(k.Str) {
			case "status", "statuscode", "httpstatus", "httpstatuscode", "httpcode", "code", "errorcode":
				found = append(found, v.String())
			}
			return true
		})
	}
	if status := statusInText().FindStringSubmatch(e.Text); e.Failed && status != nil {
		found = append(found, status[1])
	}
	return found
}

// Codes lists the words and numbers by which an ending names the kind of its error,
// spelt without marks and capitals.
func Codes(e Ending) []string {
	var found []string
	for _, object := range append(errorsIn(e.Doc), e.Doc) {
		for _, name := range kindNames {
			if v := memberOf(object, name); v.Type == gjson.String || v.Type == gjson.Number {
				found = append(found, Code(v.String()))
			}
		}
	}
	if code, isRPC := strings.CutPrefix(e.Text, rpcPrefix); isRPC {
		code, _, _ = strings.Cut(code, ":")
		found = append(found, Code(code))
	}
	return found
}

// Code spells a word or number as Codes does.
func Code(word string) string {
	if minus, isNegative := strings.CutPrefix(strings.TrimSpace(word), "-"); isNegative {
		return "-" + plain(minus)
	}
	return plain(word)
}
