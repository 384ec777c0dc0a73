package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of testdata/events")

// TestEvents feeds the events that the real clients send and compares the
// answers byte for byte with the files beside them.
func TestEvents(t *testing.T) {
	text, err := os.ReadFile("../../testdata/policies/events.toml")
	if err != nil {
		t.Fatal(err)
	}
	eachEvent(t, "../../testdata/events", func(t *testing.T, client, path, event string) {
		p := newPlace(t)
		p.writePolicy(string(text))
		a := p.run(strings.ReplaceAll(event, "@REPO", p.repo), false, "hook", client)
		if a.exit != 0 || a.stderr != "" && client == "claude" {
			t.Fatalf("exit %d, stderr %s", a.exit, a.stderr)
		}
		want := strings.TrimSuffix(path, ".json") + ".out"
		if *update {
			p.must(os.WriteFile(want, []byte(a.stdout), 0o644))
		}
		expected, err := os.ReadFile(want)
		if err != nil || a.stdout != string(expected) {
			t.Errorf("%s %v\ngot  %s\nwant %s", want, err, a.stdout, expected)
		}
	})
}

// TestEventsOtherwise: an empty policy says nothing about any call, and one
// that denies by default denies every call, in a form that the client accepts.
func TestEventsOtherwise(t *testing.T) {
	eachEvent(t, "../../testdata/events", checkOtherwise)
}

// TestRecordedPayloads is TestEventsOtherwise over the unedited recordings, if
// they are beside this repository.
func TestRecordedPayloads(t *testing.T) {
	const dir = "../../../shared/payloads"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: no recorded payloads in ../shared/payloads")
	}
	eachEvent(t, dir, func(t *testing.T, client, path, event string) {
		if gjson.Get(event, "hook_event_name").Exists() {
			checkOtherwise(t, strings.TrimSuffix(client, "-code"), path, event)
		}
	})
}

func checkOtherwise(t *testing.T, client, path, event string) {
	name := gjson.Get(event, "hook_event_name").Str
	isCall := name == "PreToolUse" || name == "PreSkillShellCommand"
	cwd := gjson.Get(event, "cwd").Str
	for _, policy := range []string{"version = 1\n", "version = 1\ndefault = \"deny\"\n"} {
		p := newPlace(t)
		p.writePolicy(policy)
		want := "silence"
		if isCall && strings.Contains(policy, "deny") {
			want = "deny"
		}
		switch name {
		case "SessionStart": // nothing registers us in this place
			want = "notice"
		case "PostToolUseFailure":
			if strings.HasPrefix(gjson.Get(event, "tool_name").Str, "mcp__") {
				want = "context" // as what the failure is read
			}
		}
		a := p.run(strings.ReplaceAll(event, cwd, p.repo), false, "hook", client)
		if got, _ := shapeOf(a); got != want {
			t.Errorf("%s under %q: got %s, want %s: %s %s", path, policy, got, want, a.stdout, a.stderr)
		}
		if want == "deny" && gjson.Get(a.stdout, "hookSpecificOutput.hookEventName").Str != name {
			t.Errorf("%s: the answer names another event: %s", path, a.stdout)
		}
	}
}

func eachEvent(t *testing.T, dir string, run func(t *testing.T, client, path, event string)) {
	files, err := filepath.Glob(dir + "/c*/*.json")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d events, %v", len(files), err)
	}
	for _, path := range files {
		client := filepath.Base(filepath.Dir(path))
		if client == "codex-schemas" {
			continue
		}
		t.Run(client+"/"+filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			event, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			run(t, client, path, string(event))
		})
	}
}
