package errorsctx

import (
	"regexp"
	"strings"
)

// wordCategory knows the words by which interfaces name kinds of errors: gRPC's
// codes, those of the large providers, and what errors are called in HTTP.
func wordCategory(word string) Category {
	switch strings.TrimSuffix(strings.TrimSuffix(plain(word), "exception"), "error") {
	case "unavailable", "serviceunavailable", "temporarilyunavailable", "deadlineexceeded", "timeout", "timedout", "requesttimeout", "gatewaytimeout", "etimedout",
		"ratelimit", "ratelimited", "ratelimitexceeded", "rateexceeded", "toomanyrequests", "throttled", "throttling", "resourceexhausted", "overloaded", "slowdown",
		"econnreset", "econnrefused", "econnaborted", "epipe", "enetunreach", "ehostunreach", "eaiagain", "connection", "connectionreset", "connectionclosed", "network",
		"internal", "internalserver", "servererror", "server", "badgateway", "transient":
		return Transient
	case "invalidargument", "outofrange", "invalid", "invalidrequest", "invalidparams", "invalidparameter", "invalidinput", "validation", "validationfailed", "validationexception",
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

// phrases are what failures say in prose. The first list that has one decides; a
// failure that says none of them is a matter of the business behind the tool.
var phrases = []struct {
	category Category
	any      []string
}{
	{Business, []string{"quota", "usage limit", "spending limit", "insufficient", "not enough", "does not add up", "declined"}},
	{Permission, []string{"permission denied", "access denied", "access is denied", "not authorized", "unauthorized", "not permitted", "forbidden", "unauthenticated",
		"authentication", "credentials", "token expired", "expired token", "invalid token", "api key", "log in", "login required", "no access", "lacks permission", "do not have permission", "does not have permission"}},
	{Transient, []string{"timed out", "timeout", "time-out", "deadline exceeded", "temporarily", "try again", "retry later", "unavailable", "overloaded", "rate limit", "too many requests",
		"throttl", "offline", "connection", "econn", "etimedout", "socket hang up", "network", "bad gateway", "internal server error", "internal error", "server error"}},
	{Validation, []string{"not found", "does not exist", "no such", "unknown", "invalid", "validation error", "malformed", "bad request", "should match", "must be", "must have", "must match",
		"is required", "are required", "missing", "unsupported", "not supported", "unexpected", "cannot parse", "could not parse", "out of range"}},
}

// statusInText finds an HTTP status that a failure's text names as one.
var statusInText = func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\bhttp(?:/\d(?:\.\d)?)?|\bstatus(?: ?code)?|^error(?: ?code)?|^)[ :=(]*([45]\d\d)\b`)
}

// fromProse guesses from what a failure says. It is good for the model, and never
// says what was done.
func fromProse(text string) Category {
	if status := statusInText().FindStringSubmatch(text); status != nil {
		if category := httpCategory(status[1]); category != "" {
			return category
		}
	}
	text = strings.ToLower(text)
	for _, p := range phrases {
		for _, phrase := range p.any {
			if strings.Contains(text, phrase) {
				return p.category
			}
		}
	}
	return ""
}
