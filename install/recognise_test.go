package install

import (
	"bytes"
	"testing"

	"gatewright/hooks"
)

// TestIsOurs: by command, whatever the program's place and version, or by the
// message and a command of our form.
func TestIsOurs(t *testing.T) {
	tests := []struct {
		command, message string
		args             []any
		ours             bool
	}{
		{command: "/opt/gatewright-1.2.3 hook claude", ours: true},
		{command: "/opt/gatewright_v2 hook codex --guarded", ours: true},
		{command: `"C:/Users/A B/bin/gatewright.exe" hook claude`, ours: true},
		{command: `C:\bin\gatewright.exe hook claude`, ours: true},
		{command: "/opt/bin/gatewright", args: []any{"hook", "claude"}, ours: true},
		{command: "/opt/bin/gw hook claude --guarded", message: "gatewright", ours: true},
		{command: "/opt/bin/gw", message: "gatewright", args: []any{"hook", "claude"}, ours: true},
		{command: "/opt/bin/gw hook claude --guarded"},
		{command: "/opt/bin/gatewright", args: []any{"check"}},
		{command: "./notify.sh gatewright", message: "gatewright"},
		{command: "./mygatewright-1.2 hook claude"},
		{command: "gatewright-proxy hook claude"},
		{command: "gatewright check && lint"},
	}
	for _, test := range tests {
		f := found{fields: map[string]any{"command": test.command, "statusMessage": test.message, "args": test.args}}
		if test.args == nil {
			delete(f.fields, "args")
		}
		if got := f.isOurs(); got != test.ours {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

// TestConverge: however often and however changed we are there, in whatever
// groups, one right entry for each event is what comes out, and others' stay.
func TestConverge(t *testing.T) {
	for _, c := range hooks.Clients() {
		right, err := Register(nil, c, Shared())
		if err != nil {
			t.Fatal(err)
		}
		line := string(hooks.EncodeJSON(Shared().Text(c, c.Events[0])))
		theirs := `{"type":"command","command":"./a && ./b","timeout":7}`
		for name, groups := range map[string]string{
			"twice":            `{"hooks":[{"type":"command","command":` + line + `}]},{"hooks":[{"type":"command","command":` + line + `}]}`,
			"other timeout":    `{"hooks":[{"type":"command","command":` + line + `,"timeout":1,"statusMessage":"gatewright"}]}`,
			"a matcher":        `{"matcher":"Bash","hooks":[{"type":"command","command":` + line + `,"timeout":30,"statusMessage":"gatewright"}]}`,
			"more fields":      `{"hooks":[{"type":"command","command":` + line + `,"timeout":30,"statusMessage":"gatewright","async":true}]}`,
			"in others' group": `{"matcher":"Edit","hooks":[` + theirs + `,{"type":"command","command":"/old/gatewright hook ` + c.Name + `"},` + theirs + `]}`,
			"renamed":          `{"hooks":[{"type":"command","command":"/opt/gw-2 hook ` + c.Name + `","statusMessage":"gatewright"}]}`,
		} {
			before := `{"hooks":{"PreToolUse":[` + groups + `],"Stop":[{"hooks":[` + theirs + `]}]}}`
			after, err := Register([]byte(before), c, Shared())
			if err != nil {
				t.Fatal(name, err)
			}
			list, err := handlers(after, c)
			if err != nil || !isRegistered(list, c, Shared()) {
				t.Errorf("%s, %s: %v\n%s", c.Name, name, err, after)
			}
			if had, has := bytes.Count([]byte(before), []byte(theirs)), bytes.Count(after, []byte(theirs)); had != has {
				t.Errorf("%s, %s: %d of %d entries of others are left", c.Name, name, has, had)
			}
			if again, err := Register(after, c, Shared()); err != nil || !bytes.Equal(again, after) {
				t.Errorf("%s, %s: a second time it changes to\n%s\n%v", c.Name, name, again, err)
			}
		}
		if again, err := Register(right, c, Shared()); err != nil || !bytes.Equal(again, right) {
			t.Error(c.Name, err)
		}
	}
}
