package claim

import (
	"net/url"
	"strings"
)

// goesTo compares a destination in the arguments with the one that a claim names: the
// same text, or the host of a URL or of one mail address. A text that could be read as
// several destinations goes nowhere.
func goesTo(to, destination string) bool {
	if strings.ContainsFunc(to, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(",;()\\\"", r) }) {
		return false
	}
	if to == destination {
		return true
	}
	if host := hostOfURL(to); host != "" {
		return !strings.Contains(to, " ") && sameHost(host, destination)
	}
	local, host, ok := mailbox(to)
	if !ok {
		return false
	}
	claimedLocal, claimedHost, isMail := mailbox(destination)
	return isMail && local == claimedLocal && strings.EqualFold(host, claimedHost) || !isMail && strings.EqualFold(host, destination)
}

// sameHost compares with a port and without one.
func sameHost(host, destination string) bool {
	name, _, _ := strings.Cut(host, ":")
	return strings.EqualFold(host, destination) || strings.EqualFold(name, destination)
}

// hostOfURL is the host of a text that is a URL, or empty.
func hostOfURL(text string) string {
	if !strings.Contains(text, "//") {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" {
		return ""
	}
	return u.Host
}

// mailbox takes one mail address apart, with a name before it or without one.
func mailbox(text string) (local, host string, ok bool) {
	if name, inner, named := strings.Cut(text, "<"); named {
		if !strings.HasSuffix(inner, ">") || strings.ContainsAny(name, "@:<>") {
			return "", "", false
		}
		text = inner[:len(inner)-1]
	}
	local, host, ok = strings.Cut(text, "@")
	return local, host, ok && local != "" && host != "" && !strings.ContainsAny(text, " :/?#<>[]") && !strings.Contains(host, "@")
}

// forms are what globs over destinations are compared with: an address, and its host;
// the host of a URL; of any other text what stands before a path.
func forms(destination string) []string {
	if strings.Contains(destination, "//") {
		if host := hostOfURL(destination); host != "" {
			name, _, _ := strings.Cut(strings.ToLower(host), ":")
			return []string{strings.ToLower(host), name}
		}
		return nil
	}
	if local, host, ok := mailbox(destination); ok {
		host = strings.ToLower(host)
		return []string{local + "@" + host, host}
	}
	if strings.ContainsAny(destination, "/?#@:") {
		return nil
	}
	return []string{destination, strings.ToLower(destination)}
}
