package errorsctx

import (
	"regexp"
	"strings"
	"unicode"
)

// stem is a word without what programs add to it.
func stem(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(plain(word), "exception"), "error")
}

// wordCategory knows the words by which interfaces name kinds of errors: gRPC's
// codes, those of the large providers, and what errors are called in HTTP.
func wordCategory(word string) Category {
	word = stem(word)
	if strings.Contains(word, "ratelimit") {
		return Transient
	}
	switch word {
	case "unavailable", "serviceunavailable", "temporarilyunavailable", "deadlineexceeded", "timeout", "timedout", "requesttimeout", "gatewaytimeout", "etimedout", "locktimeout",
		"rateexceeded", "requestlimitexceeded", "toomanyrequests", "throttled", "throttling", "resourceexhausted", "overloaded", "slowdown",
		"econnreset", "econnrefused", "econnaborted", "epipe", "enetunreach", "ehostunreach", "eaiagain", "enotfound", "connection", "connectionreset", "connectionclosed", "network",
		"internal", "internalserver", "servererror", "server", "badgateway", "api", "transient", "abort", "aborted", "deadlock", "serializationfailure":
		return Transient
	case "invalidargument", "outofrange", "invalid", "invalidrequest", "invalidparams", "invalidparameter", "invalidinput", "validation", "validationfailed",
		"badrequest", "badinput", "badparameter", "missingparameter", "parametermissing", "missingrequired", "notfound", "resourcenotfound", "resourcemissing", "nosuchkey", "nosuchentity",
		"doesnotexist", "unsupported", "notsupported", "notimplemented", "unimplemented", "methodnotfound", "methodnotallowed", "unprocessable", "unprocessableentity", "unprocessablecontent",
		"malformed", "parse", "syntax", "sql", "schema", "type", "enoent", "payloadtoolarge":
		return Validation
	case "permissiondenied", "permission", "accessdenied", "unauthenticated", "unauthorized", "notauthorized", "forbidden", "authentication", "authorization", "auth", "invalidauth", "notauthed",
		"invalidapikey", "invalidtoken", "tokenexpired", "expiredtoken", "invalidgrant", "invalidcredentials", "loginrequired", "insufficientscope", "missingscope", "insufficientpermissions", "eacces", "eperm":
		return Permission
	case "quotaexceeded", "insufficientquota", "usagelimitreached", "usagelimitexceeded", "limitexceeded", "limitreached", "billinghardlimitreached", "paymentrequired", "insufficientfunds",
		"insufficientbalance", "carddeclined", "failedprecondition", "preconditionfailed", "policyviolation", "business", "businessrule", "notallowed", "ineligible":
		return Business
	}
	return ""
}

// tooMany says that there were too many requests, and passing that something failed
// for a time, or on the way.
var (
	tooMany = []string{"rate limit", "ratelimit", "too many requests", "throttl", "resource exhausted", "request limit exceeded", "slow down"}
	passing = []string{"timed out", "timeout", "time out", "deadline exceeded", "temporarily", "try again later", "retry later", "please retry", "service unavailable", "currently unavailable",
		"server unavailable", "upstream unavailable", "overloaded", "offline", "econn", "etimedout", "eai again", "epipe", "broken pipe", "socket hang up", "bad gateway", "gateway timeout", "internal server error",
		"internal error", "server error", "connection closed", "connection refused", "connection reset", "connection lost", "connection error", "connection timed", "connection aborted", "connection terminated",
		"disconnected", "fetch failed", "network error", "network is", "unexpected eof", "deadlock", "could not serialize", "serialization failure", "database is locked", "too many clients",
		"too many connections", "getaddrinfo", "server closed", "exited with code", "aborted", "cancelled", "canceled", "interrupted"}
)

// phrases are what failures say in prose. The first list that has one decides; a
// failure that says none of them is a matter of the business behind the tool.
var phrases = []struct {
	category Category
	any      []string
}{
	{Validation, []string{"must be", "must have", "must match", "please correct", "is required", "are required", "validation error", "should match"}},
	{Transient, tooMany},
	{Permission, []string{"insufficient permission", "insufficient scope", "insufficient privilege", "insufficient access"}},
	{Business, []string{"quota", "usage limit", "spending limit", "insufficient", "not enough", "does not add up", "declined"}},
	{Permission, []string{"permission denied", "permissiondenied", "access denied", "access is denied", "not authorized", "unauthorized", "not permitted", "forbidden", "unauthenticated",
		"authentication", "credentials", "token expired", "expired token", "jwt", "session expired", "invalid token", "api key", "log in", "login required", "no access", "lacks permission", "not have permission"}},
	{Transient, passing},
	{Validation, []string{"not found", "does not exist", "no such", "unknown", "invalid", "malformed", "bad request", "missing", "unsupported", "not supported",
		"unexpected token", "unexpected argument", "unexpected parameter", "unexpected field", "cannot parse", "could not parse", "out of range"}},
	{Transient, []string{"try again", "unavailable", "connection", "network"}},
}

// statusInText finds an HTTP status that a failure's text names as one.
var statusInText = func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\bhttp(?:/\d(?:\.\d)?)?|\bstatus(?: ?code)?|^error(?: ?code)?|^)[ :=(]*([45]\d\d)\b`)
}

// fromProse guesses from what a failure says. It is good for the model, and never
// says what was done.
func fromProse(text string) Category {
	all := words(text)
	if status := statusInText().FindStringSubmatch(text); status != nil && !hasAny(all, tooMany) {
		if category := httpCategory(status[1]); category != "" {
			return category
		}
	}
	for _, p := range phrases {
		if hasAny(all, p.any) {
			return p.category
		}
	}
	return ""
}

func hasAny(text string, list []string) bool {
	for _, phrase := range list {
		if strings.Contains(text, phrase) {
			return true
		}
	}
	return false
}

// words is a text in small letters, and once more with the words apart that programs
// write as one: PermissionDenied, RESOURCE_EXHAUSTED, time-out.
func words(text string) string {
	text = clip(text, 10*maxMessage)
	var apart strings.Builder
	before := ' '
	for _, r := range text {
		switch {
		case r == '_' || r == '-':
			apart.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(before):
			apart.WriteByte(' ')
			apart.WriteRune(unicode.ToLower(r))
		default:
			apart.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.ToLower(text) + "\n" + apart.String()
}
