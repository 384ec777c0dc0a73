package install

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gatewright/hooks"
	"gatewright/install/jsontext"
)

func TestRegister(t *testing.T) {
	for _, c := range hooks.Clients() {
		fresh, err := Register(nil, c, Shared())
		if err != nil {
			t.Fatal(err)
		}
		again, err := Register(fresh, c, Shared())
		if err != nil || !bytes.Equal(fresh, again) {
			t.Errorf("%s: a second time\n%s\n%v", c.Name, again, err)
		}
		if rest, err := Unregister(fresh, c); rest != nil || err != nil {
			t.Errorf("%s: left %s %v", c.Name, rest, err)
		}
		own, err := Own("/opt/gate $wright/gatewright")
		if err != nil {
			t.Fatal(err)
		}
		moved, err := Register(fresh, c, own)
		if err != nil || bytes.Contains(moved, []byte("$HOME")) || bytes.Count(moved, []byte("statusMessage")) != len(c.Events) {
			t.Errorf("%s: the other line\n%s\n%v", c.Name, moved, err)
		}
		for _, r := range c.Events {
			if line, any := Registered(moved, c, r.Event); !any || line != own.Text(c, r) {
				t.Errorf("%s: %s has %q", c.Name, r.Event, line)
			}
		}
	}
}

// TestUpgrade: entries of older versions, doubled, moved and hand-written ones
// become one right entry, and what is not ours stays.
func TestUpgrade(t *testing.T) {
	const old = `{
  "hooks": {
    "PreToolUse": [
      {"hooks": [
        {"type": "command", "command": "gatewright hook claude --require-policy"},
        {"type": "command", "command": "./theirs.sh"},
        {"type": "command", "command": "/opt/gatewright hook claude"}
      ]},
      {"matcher": "Bash", "hooks": [{"type": "command", "command": "'/a b/gatewright' hook claude --guarded", "statusMessage": "gatewright"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "gatewright hook claude", "timeout": 5}]}]
  }
}
`
	c := hooks.Claude()
	text, err := Register([]byte(old), c, Shared())
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(`"statusMessage": "gatewright"`)); n != len(c.Events) || !bytes.Contains(text, []byte("./theirs.sh")) {
		t.Errorf("%d of ours in\n%s", n, text)
	}
	rest, err := Unregister(text, c)
	const want = `{
  "hooks": {
    "PreToolUse": [
      {"hooks": [
        {"type": "command", "command": "./theirs.sh"}
      ]}
    ]
  }
}
`
	if err != nil || string(rest) != want {
		t.Errorf("left\n%s\n%v", rest, err)
	}
}

// TestOthers: what only looks like ours.
func TestOthers(t *testing.T) {
	for command, ours := range map[string]bool{
		"/opt/audit/run --tag gatewright-team hook claude":               false,
		"cd /home/me/gatewright-fork && ./my hook claude-log":            false,
		`echo "before gatewright" | tee log; my-tool hook codex`:         false,
		"gatewright hook claudette":                                      false,
		"notgatewright hook claude":                                      false,
		"gatewright hook claude":                                         true,
		`"/opt/a b/gatewright" hook codex --guarded`:                     true,
		"sh -c 'gatewright hook claude --require-policy || exit 2'":      true,
		Shared().Text(hooks.Codex(), hooks.Codex().Events[0]):            true,
		own(t, "/opt/gw").Text(hooks.Claude(), hooks.Claude().Events[2]): true,
	} {
		if got := callsUs(command); got != ours {
			t.Errorf("%s: %t", command, got)
		}
	}
}

func TestRefused(t *testing.T) {
	claude, codex := hooks.Claude(), hooks.Codex()
	tests := []struct {
		c             hooks.Client
		text, message string
	}{
		{claude, "{\n  // mine\n}", "2:3: invalid character '/'"},
		{claude, `{"hooks":{"PreToolUse":{}}}`, "1:24: hooks.PreToolUse is not an array"},
		{claude, `{"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}}`, "1:29: hooks.Stop has a handler without a command"},
		{claude, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"5"}]}]}}`, "1:29: hooks.Stop has a handler whose timeout"},
		{claude, `{"hooks":{"Stop":[{"matcher":{},"hooks":[]}]}}`, "1:19: hooks.Stop has a matcher"},
		{claude, `{"hooks":{"Stop":[{"matcher":null,"hooks":[]}]}}`, "1:19: hooks.Stop has a matcher"}, // B35e
		{claude, `{"hooks":{"Stop":["x"]}}`, "1:19: hooks.Stop has an element"},
		{claude, `{"hooks":{},"hooks":{}}`, `1:13: the key "hooks" is there twice`},
		{claude, `[]`, "1:1: the document is not an object"},
		{claude, ``, "1:1: unexpected end"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":1.5}]}]}}`, "1:29: hooks.Stop has a handler whose timeout is not a whole number"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"x"}]}]}}`, "1:29: hooks.Stop has a handler of a type that Codex does not know"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","timeout":0}]}]}}`, "1:77: hooks.PreToolUse has a handler in which timeout is not a number above 0"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"prompt"}]}]}}`, "1:35: hooks.PreToolUse has a handler in which it is not an object with prompt"},
		{claude, `{"hooks":{"PermissionRequest":[{"hooks":[{"type":"other","command":"x"}]}]}}`, "1:42: hooks.PermissionRequest has a handler in which it is not one of"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","statusMessage":null}]}]}}`, "1:83: hooks.PreToolUse has a handler in which statusMessage is not a string"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","async":"yes"}]}]}}`, "1:75: hooks.PreToolUse has a handler in which async is not a boolean"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"http","url":"nowhere"}]}]}}`, "1:56: hooks.PreToolUse has a handler in which url is not an address"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","onFailure":"allow"}]}]}}`, "1:79: hooks.PreToolUse has a handler in which onFailure is not one of block, continue"},
		{claude, `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x","command":"y"}]}]}}`, `1:67: the key "command" is there twice`},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":-1}]}]}}`, "1:29: hooks.Stop has a handler whose timeout is not a whole number"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":30.0}]}]}}`, "1:29: hooks.Stop has a handler whose timeout is not a whole number"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","statusMessage":5}]}]}}`, "1:29: hooks.Stop has a handler whose statusMessage is not a text"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","async":"yes"}]}]}}`, "1:29: hooks.Stop has a handler whose async"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\ud800x"}]}]}}`, "1:29: hooks.Stop has a handler whose command has half a character"},
		{codex, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","async":true,"async":true}]}]}}`, `1:74: the key "async" is there twice`},
		{codex, `{"description":5,"hooks":{}}`, "1:16: description is not a text"},
		{codex, "\ufeff{}", "1:1: it begins with a byte order mark"},
		{codex, `{"$schema":"x","hooks":{}}`, `1:2: Codex does not know the key "$schema"`},
	}
	for _, test := range tests {
		_, err := Register([]byte(test.text), test.c, Shared())
		if _, ok := err.(*jsontext.Error); !ok || !strings.HasPrefix(err.Error(), test.message) {
			t.Errorf("%s: %v", test.text, err)
		}
	}
	for _, text := range []string{
		`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x","timeout":null}]}]}}`, `{"hooks":{"Stop":[{"matcher":null,"hooks":[]}]}}`,
		`{"hooks":{"Stop":[{"matcher":"x"}]}}`, `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"\ud83d\ude00 \\ud800"}]}]}}`,
	} {
		if _, err := Register([]byte(text), codex, Shared()); err != nil {
			t.Errorf("%s: %v, but Codex takes it", text, err)
		}
	}
	for _, path := range []string{"gatewright", "./gatewright", "/a\nb"} {
		if _, err := Own(path); err == nil {
			t.Errorf("%q was taken", path)
		}
	}
}

// FuzzUnregister: Register then Unregister is identity for every file without a
// handler of ours, whatever is in it.
func FuzzUnregister(f *testing.F) {
	for _, seed := range []string{
		"{}", "{\n}\n", "\ufeff{ }", `{"hooks":{}}`, "{\n  \"hooks\": null,\n  \"z\": 1\n}\n", `{"hooks":{"PreToolUse":[]},"permissions":{"deny":["Read"]}}`,
		"{\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\":\"command\",\"command\":\"x\"}]}]\r\n\t}\r\n}",
		"{\n  \"description\": \"\\u00e9\",\n  \"hooks\": {\n    \"SessionStart\": [ ]\n  }\n}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range hooks.Clients() {
			before := []byte(text)
			list, err := handlers(before, c)
			if _, ours := lastOfOurs(list); ours || err != nil {
				continue
			}
			now, err := Register(before, c, Shared())
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			if list, err = handlers(now, c); err != nil || !isRegistered(list, c, Shared()) {
				t.Fatalf("%q became %q: %v", text, now, err)
			}
			after, err := Unregister(now, c)
			if err != nil || !bytes.Equal(after, before) {
				t.Errorf("%q came back as %q: %v", before, after, err)
			}
		}
	})
}

// FuzzRegister: whatever of ours is there, in whatever groups, comes to one right
// entry for each event and goes again, and others' handlers stay in their order.
func FuzzRegister(f *testing.F) {
	for _, seed := range []string{
		`{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"gatewright hook claude"},{"type":"command","command":"a"}]},{"matcher":"x","hooks":[{"type":"command","command":"gatewright hook codex"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[]},{"matcher":"gatewright","hooks":[{"type":"command","command":"b","timeout":5},{"type":"command","command":"g hook codex","statusMessage":"gatewright"}]}]}}`,
		`{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"/x/gatewright-1","timeout":1},{"type":"command","command":"/x/gatewright-1 hook claude","timeout":1}]}],"PreToolUse":[]}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range hooks.Clients() {
			list, err := handlers([]byte(text), c)
			if err != nil {
				continue
			}
			now, err := Register([]byte(text), c, Shared())
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			after, err := handlers(now, c)
			if err != nil || !isRegistered(after, c, Shared()) || !slices.Equal(othersOf(after), othersOf(list)) {
				t.Fatalf("%q became %q: %v", text, now, err)
			}
			if again, err := Register(now, c, Shared()); err != nil || !bytes.Equal(again, now) {
				t.Fatalf("%q, a second time %q: %v", now, again, err)
			}
			rest, err := Unregister(now, c)
			if err != nil {
				t.Fatal(err)
			}
			left, err := handlers(rest, c)
			if _, ours := lastOfOurs(left); rest != nil && (err != nil || ours) || !slices.Equal(othersOf(left), othersOf(list)) {
				t.Fatalf("%q became %q: %v", text, rest, err)
			}
		}
	})
}

// othersOf names the handlers that are not ours, by event in the order of a file.
func othersOf(list []found) []string {
	var out []string
	// An event may move behind others, if ours was all that it had.
	slices.SortStableFunc(list, func(a, b found) int { return strings.Compare(a.event, b.event) })
	for _, f := range list {
		if !f.isOurs() {
			out = append(out, f.event+" "+f.matcher+" "+string(hooks.EncodeJSON(f.fields)))
		}
	}
	return out
}

// TestMatcherOfCodex: to Codex a handler with a matcher is another one, which nobody has
// trusted.
func TestMatcherOfCodex(t *testing.T) {
	for _, c := range []hooks.Client{hooks.Claude(), hooks.Codex()} {
		right, err := Register(nil, c, Shared())
		if err != nil {
			t.Fatal(err)
		}
		edited := strings.Replace(string(right), `"hooks": [`, `"matcher": "*", "hooks": [`, 1)
		if edited == string(right) {
			t.Fatal("nothing was edited")
		}
		again, err := Register([]byte(edited), c, Shared())
		if isSame := string(again) == edited; err != nil || isSame != (c.Name == "claude") {
			t.Errorf("%s: %v, %s", c.Name, err, again)
		}
	}
}
