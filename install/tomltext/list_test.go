package tomltext

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

var disabled = Place{"mcp_servers", "pay", "disabled_tools"}

func TestAdd(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no list", "[mcp_servers.pay]\ncommand = \"x\"\n", "[mcp_servers.pay]\ndisabled_tools = [\"t\"] # gatewright sync\ncommand = \"x\"\n"},
		{"last line open", "a = 1\n[mcp_servers.\"pay\"] # mine", "a = 1\n[mcp_servers.\"pay\"] # mine\ndisabled_tools = [\"t\"] # gatewright sync"},
		{"CRLF", "[mcp_servers.pay]\r\ncommand = \"x\"\r\n", "[mcp_servers.pay]\r\ndisabled_tools = [\"t\"] # gatewright sync\r\ncommand = \"x\"\r\n"},
		{"a list", "[ mcp_servers . pay ]\ncommand = \"x\"\ndisabled_tools = ['u'] # why\n", "[ mcp_servers . pay ]\ncommand = \"x\"\ndisabled_tools = [\"t\", 'u'] # why\n"},
		{"an empty list", "[mcp_servers.pay]\ndisabled_tools = [ ]\n", "[mcp_servers.pay]\ndisabled_tools = [\"t\" ]\n"},
		{"several lines", "[mcp_servers.pay]\ndisabled_tools = [\n  \"u\", # no\n]\n[x]\n", "[mcp_servers.pay]\ndisabled_tools = [\"t\", \n  \"u\", # no\n]\n[x]\n"},
		{"another table's list", "[mcp_servers.pay]\ncommand = \"x\"\n[mcp_servers.crm]\ndisabled_tools = []\n", "[mcp_servers.pay]\ndisabled_tools = [\"t\"] # gatewright sync\ncommand = \"x\"\n[mcp_servers.crm]\ndisabled_tools = []\n"},
	}
	for _, test := range tests {
		got, err := Add([]byte(test.text), disabled, "t")
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %v\n%q\nwant\n%q", test.name, err, got, test.want)
			continue
		}
		if back, err := Remove(got, disabled, "t"); err != nil || string(back) != test.text {
			t.Errorf("%s: came back as %q %v", test.name, back, err)
		}
	}
}

// TestRefused: what cannot be written without a doubt is refused, with its text
// untouched.
func TestRefused(t *testing.T) {
	for name, text := range map[string]string{
		"in braces":      "[mcp_servers]\npay = { command = \"x\" }\n",
		"dotted":         "mcp_servers.pay.command = \"x\"\n",
		"no such table":  "a = 1\n",
		"no TOML":        "[mcp_servers.pay\n",
		"no list":        "[mcp_servers.pay]\ndisabled_tools = \"x\"\n",
		"a false header": "x = '''\n[mcp_servers.pay]\n'''\n[mcp_servers]\npay = { command = \"x\" }\n",
	} {
		if got, err := Add([]byte(text), disabled, "t"); err == nil {
			t.Errorf("%s: became %q", name, got)
		}
	}
	if _, err := Add([]byte("[mcp_servers]\npay = {}\n"), disabled, "t"); !errors.Is(err, ErrHarm) {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	for text, want := range map[string]string{
		"[mcp_servers.pay]\ndisabled_tools = [\"u\", \"t\"]\n":                          "[mcp_servers.pay]\ndisabled_tools = [\"u\"]\n",
		"[mcp_servers.pay]\ndisabled_tools = ['t']\n":                                   "[mcp_servers.pay]\ndisabled_tools = []\n",
		"[mcp_servers.pay]\ndisabled_tools = [\"t\", \"u\"] # gatewright sync\nb = 1\n": "[mcp_servers.pay]\ndisabled_tools = [\"u\"] # gatewright sync\nb = 1\n",
		"[mcp_servers.pay]\ndisabled_tools = [\"u\"]\n":                                 "[mcp_servers.pay]\ndisabled_tools = [\"u\"]\n",
		"a = 1\n": "a = 1\n",
	} {
		if got, err := Remove([]byte(text), disabled, "t"); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}

// FuzzAddRemove: what Add does changes nothing but the list, and Remove takes it
// back byte for byte.
func FuzzAddRemove(f *testing.F) {
	for _, seed := range []string{
		"[mcp_servers.pay]\n", "[mcp_servers.pay]", "[mcp_servers.pay]\ndisabled_tools = [ # x\n \"a\", 'b' ]\n", "\ufeff[mcp_servers.'pay']\ncommand='x'\r\n",
		"[mcp_servers.pay]\ndisabled_tools=[]", "[mcp_servers.pay]\n\"disabled_tools\" = [\"t\"]\n", "[mcp_servers.pay]\n[mcp_servers.pay.env]\ndisabled_tools = []\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := []byte(text)
		had := disabled.list(before)
		if slices.Contains(had, "t") || slices.Contains(had, "s") {
			return
		}
		now := before
		for _, item := range []string{"t", "s"} {
			var err error
			if now, err = Add(now, disabled, item); err != nil {
				return
			}
		}
		if got := disabled.list(now); !slices.Equal(got, append([]string{"s", "t"}, had...)) {
			t.Fatalf("%q became %q: %q", text, now, got)
		}
		for _, item := range []string{"t", "s"} {
			var err error
			if now, err = Remove(now, disabled, item); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(now, before) {
			t.Errorf("%q came back as %q", before, now)
		}
	})
}
