package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/hooks"
)

// TestRequirements: what is there stays, what is missing is added, a second time
// nothing changes, and everything comes back.
func TestRequirements(t *testing.T) {
	for name, text := range map[string]string{
		"empty":                "",
		"a comment":            "# the team's\n",
		"no line end":          "[sandbox]\nmode = \"x\" # y",
		"features":             "[features] # ours\nweb = false\n\n[x]\na = 1\n",
		"features, last":       "a = 1\n[ \"features\" ]",
		"features, on":         "[features]\nhooks = true\n",
		"CRLF":                 "# a\r\n[features]\r\nweb = true\r\n",
		"BOM":                  "\ufeffa = 1\n",
		"others' hooks":        "[hooks]\nmanaged_dir = \"/opt\"\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = '''a && b'''\n",
		"only":                 "allow_managed_hooks_only = true\n",
		"what looks like ours": "a = '''\n[features]\n'''\n",
	} {
		for _, only := range []bool{false, true} {
			checkRequirements(t, name, text, only)
		}
	}
	fresh, err := registerRequirements(nil, hooks.Codex(), own(t, "/opt/gatewright"), true)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := unregisterRequirements(fresh); back != nil || err != nil {
		t.Errorf("%q %v", back, err)
	}
}

func checkRequirements(t *testing.T, name, text string, only bool) {
	c, line := hooks.Codex(), own(t, "/opt/a \"b\"/gatewright")
	after, err := registerRequirements([]byte(text), c, line, only)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	r, err := readRequirements(after)
	if err != nil || !r.isRight(c, line) || only && r.top[codexOnly] != true {
		t.Errorf("%s became\n%s\n%v", name, after, err)
	}
	for _, only := range []bool{false, only} {
		if again, err := registerRequirements(after, c, line, only); err != nil || !bytes.Equal(again, after) {
			t.Errorf("%s: a second time\n%s\n%v", name, again, err)
		}
	}
	moved, err := registerRequirements(after, c, own(t, "/usr/bin/gatewright"), false)
	only = bytes.Contains(after, []byte(codexOnly+" = true # g"))
	if err != nil || bytes.Contains(moved, []byte("/opt/a")) || bytes.Contains(moved, []byte(codexOnly+" = true # g")) != only {
		t.Errorf("%s: another program\n%s\n%v", name, moved, err)
	}
	for _, now := range [][]byte{after, moved} {
		if back, err := unregisterRequirements(now); err != nil || string(back) != text || back == nil {
			t.Errorf("%s came back as %q %v", name, back, err)
		}
	}
}

// TestRequirementsRefused: what would be harmed, or would switch us off, is refused.
func TestRequirementsRefused(t *testing.T) {
	c, line := hooks.Codex(), own(t, "/opt/gatewright")
	good, err := registerRequirements(nil, c, line, false)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"a = \n":                             "1:5: ",
		"[features]\nhooks = false\n":        "switches hooks off",
		"features = { web = true }\n":        "headers of their own",
		"features.web = true\n":              "headers of their own",
		"features = 1\n":                     "features is not a table",
		"hooks = { managed_dir = \"x\" }\n":  "headers of their own",
		"hooks.managed_dir = \"x\"\n":        "headers of their own",
		"hooks = []\n":                       "headers of their own",
		"[hooks]\nPreToolUse = []\n":         "headers of their own",
		"allow_managed_hooks_only = false\n": "allow_managed_hooks_only is not true",
		"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype=\"command\"\ncommand=\"gatewright hook codex\"\n":  "1 handlers of gatewright that install did not write, the first for Stop",
		strings.Replace(string(good), "[features]", "# a note\n[features]", 1):                         "somebody has written something else",
		strings.Replace(string(good), "[features]", "[mine]\na = 1\n[features]", 1):                    "somebody has written something else",
		strings.Replace(string(good), "[features]", "allow_managed_hooks_only = true\n[features]", 1):  "somebody has written something else",
		strings.Replace(string(good), "[features]", "allow_managed_hooks_only = false\n[features]", 1): "somebody has written something else",
		strings.Replace(string(good), "hooks = true\n", "hooks = true # why\n", 1):                     "somebody has written something else",
		strings.Replace(string(good), "# gatewright install: end\n", "", 1) + "\n[x]\n":                "no line",
	} {
		if got, err := registerRequirements([]byte(text), c, own(t, "/usr/bin/gatewright"), true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v\n%s", text, err, got)
		}
	}
}

// FuzzRequirements: installing and uninstalling gives every text back.
func FuzzRequirements(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "# a", "[features]\nweb = true", "\ufeff[features]\r\nhooks = true\r\n", "[hooks]\nmanaged_dir = 'x'\n[[hooks.PreToolUse]]\nhooks = []\n",
		"allow_managed_hooks_only = true\n[features]", "a = '''\n[features]\n# gatewright install: end\n'''\n", "[hooks.Stop]\n", "hooks = []",
	} {
		f.Add(seed)
	}
	line, err := Own("/opt/gatewright")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := []byte(text)
		r, err := readRequirements(before)
		if err != nil || strings.Contains(text, "gatewright") {
			return
		}
		for _, only := range []bool{false, true} {
			now, err := registerRequirements(before, hooks.Codex(), line, only)
			if err != nil {
				continue
			}
			after, err := readRequirements(now)
			if err != nil || !after.isRight(hooks.Codex(), line) || len(after.handlers()) != len(r.handlers())+len(hooks.Codex().Events) {
				t.Fatalf("%q became %q %v", text, now, err)
			}
			if back, err := unregisterRequirements(now); err != nil || back == nil || !bytes.Equal(back, before) {
				t.Errorf("%q came back as %q %v", text, back, err)
			}
		}
	})
}

// TestLineEnds: lines keep their ends, new ones get that of most.
func TestLineEnds(t *testing.T) {
	for _, c := range [][3]string{
		{"a\r\nb\n[t]\nx = 1\n", "a\nb\n[t]\nx = 1\nnew = 2\n", "a\r\nb\n[t]\nx = 1\nnew = 2\n"},
		{"a\r\nb\r\n", "a\nnew\nb\n", "a\r\nnew\r\nb\r\n"},
		{"a\r\nb\r\nc", "a\nb\nc", "a\r\nb\r\nc"},
		{"a\r\n\r\nb\n\nc\n", "a\n\nb\n\nc\n", "a\r\n\r\nb\n\nc\n"}, // lines that are alike
	} {
		if got := string(withLineEnds([]byte(c[0]), []byte(c[1]))); got != c[2] {
			t.Errorf("%q then %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// TestKeepFormAfterFailure: a change that fails halfway leaves the form, too.
func TestKeepFormAfterFailure(t *testing.T) {
	path, failure := filepath.Join(t.TempDir(), "config.toml"), errors.New("half of it")
	write := func(text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	if err := write("\ufeffa = 1\r\n"); err != nil {
		t.Fatal(err)
	}
	err := keepForm(path, func() error { return errors.Join(write("a = 1\nb = 2\n"), failure) })
	if text, _ := os.ReadFile(path); !errors.Is(err, failure) || string(text) != "\ufeffa = 1\r\nb = 2\r\n" {
		t.Errorf("%q %v", text, err)
	}
}
