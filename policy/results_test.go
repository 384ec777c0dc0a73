package policy

import (
	"strings"
	"testing"
)

// TestResultTables: what is wrong with tables about results, each with its place.
func TestResultTables(t *testing.T) {
	const (
		failure   = "version = 1\n[[error]]\nid = \"e\"\ntools = [\"x\"]\n"
		normalize = "version = 1\n[[normalize]]\nid = \"n\"\ntools = [\"x\"]\npaths = [\"a\"]\n"
		retry     = "version = 1\n[retry]\n"
		fact      = "version = 1\n[[fact]]\nid = \"f\"\nfrom = [\"mcp__a__b\"]\n"
	)
	for text, want := range map[string]string{
		failure: "2: [[error]] must say one thing",
		failure + "category = \"BUSINESS\"\nempty = true":        "2: [[error]] must say one thing",
		failure + "empty = true":                                 "2: [[error]] without a condition",
		failure + "success = true":                               "2: [[error]] without a condition",
		failure + "status = 404\nempty = false":                  "6: empty can only be true",
		failure + "category = \"LOST\"":                          "5: category cannot be",
		failure + "category = \"BUSINESS\"\nstatus = [\"9xx\"]":  "6: \"9xx\" is no HTTP status",
		failure + "category = \"BUSINESS\"\nstatus = [404.5]":    "6: status must be texts or whole numbers",
		failure + "category = \"BUSINESS\"\nstatus = []":         "6: status is empty",
		failure + "category = \"BUSINESS\"\ncode = [\"-\"]":      "6: \"-\" is no code",
		failure + "category = \"BUSINESS\"\ntext = \"(\"":        "6: text is no regular expression",
		failure + "status = 404\nempty = true\nretryable = true": "7: retryable is about a failure",
		normalize: "2: [[normalize]] does nothing",
		normalize + "time = \"auto\"\ndrop = true":                          "7: time and drop cannot both be done",
		normalize + "time = \"days\"":                                       "6: time cannot be \"days\"",
		normalize + "zone = \"Mars\"\ntime = \"s\"":                         "6: there is no time zone \"Mars\"",
		normalize + "layout = \"YYYY\"\ntime = \"s\"":                       "6: \"YYYY\" does not tell the day",
		normalize + "layout = \"02.01.2006\"\ndrop=true":                    "6: layout is about times",
		normalize + "map = {}":                                              "6: map must be a table",
		normalize + "map = { 1 = 1.5 }":                                     "6: a map gives texts, whole numbers",
		normalize + "map = { a = \"b\", b = \"c\" }":                        "6: a becomes",
		normalize + "number = \"1 234\"":                                    "6: number cannot be",
		normalize + "drop = true\nrename = \"b\"":                           "7: what is dropped has no name",
		normalize + "time = \"s\"\nkeep = true":                             "7: keep leaves the member",
		strings.Replace(normalize, `"a"`, `"a["`, 1) + "drop = true":        `5: "a[" is not a path`,
		strings.Replace(normalize, `"a"`, `"a[]"`, 1) + "rename = \"b\"":    `6: "a[]" names elements of an array`,
		strings.Replace(normalize, `["x"]`, `["Bash"]`, 1) + "drop = true":  "4: Bash is a client's own",
		strings.Replace(normalize, `["x"]`, `["@read"]`, 1) + "drop = true": "4: @read is a client's own",
		retry:                              "2: [[retry]] has no tools",
		retry + "tools = [\"x\"]\nmax = 0": "4: max must be a whole number above zero",
		retry + "tools = [\"x\"]\nafter = \"soon\"":                                       "4: after cannot be",
		retry + "tools = [\"x\"]\n[[retry]]\ntools = [\"y\"]":                             "not TOML",
		"version = 1\n[[retry]]\ntools = [\"x\"]\n[[retry]]\ntools = [\"y\"]":             "4: the id \"retry\" is used twice",
		fact + "[[gate]]\nid = \"g\"\ntools = [\"x\"]\nunless = [\"f\"]\nannounce = true": "9: announce names the tool in call",
	} {
		_, err := Parse(Repo, "/p.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}

// TestRetryWarns: what is done to files may be why a command fails.
func TestRetryWarns(t *testing.T) {
	for tools, warned := range map[string]bool{`["@shell"]`: true, `["*"]`: true, `["*"]` + "\nafter = \"1m\"": false, `["@shell"]` + "\nuntil = [\"@write\"]": false} {
		l, err := Parse(Repo, "/p.toml", []byte("version = 1\n[retry]\ntools = "+tools+"\n"))
		if err != nil || (len(l.Warnings) > 0) != warned {
			t.Errorf("%s: %v %v", tools, l.Warnings, err)
		}
	}
}
