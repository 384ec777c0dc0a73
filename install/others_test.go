package install

import (
	"reflect"
	"testing"
)

// TestMoved: what Codex remembered of others' handlers goes where they go, the same
// as before and for nobody else.
func TestMoved(t *testing.T) {
	hook := func(place, hash, status string, enabled bool) codexHook {
		return codexHook{Key: "f:" + place, EventName: "preToolUse", CurrentHash: hash, TrustStatus: status, Enabled: enabled}
	}
	o := Others{list: []codexHook{
		hook("pre_tool_use:1:0", "a", "trusted", true),
		hook("pre_tool_use:2:0", "b", "untrusted", true),
		hook("pre_tool_use:3:0", "c", "trusted", false),
		hook("pre_tool_use:4:0", "same", "trusted", true),
		hook("pre_tool_use:5:0", "same", "untrusted", true),
		hook("stop:0:0", "d", "trusted", true),
	}}
	now := []codexHook{
		hook("pre_tool_use:0:0", "a", "untrusted", true),
		hook("pre_tool_use:1:0", "b", "modified", true),
		hook("pre_tool_use:2:0", "c", "untrusted", true),
		hook("pre_tool_use:3:0", "same", "modified", true),
		hook("pre_tool_use:4:0", "same", "trusted", true),
		hook("pre_tool_use:5:0", "new", "untrusted", true),
		hook("stop:0:0", "d", "trusted", true),
	}
	at := func(place, what string) string { return `hooks.state."f:` + place + `".` + what }
	want := map[string]any{
		at("pre_tool_use:0:0", "trusted_hash"): "a",
		at("pre_tool_use:2:0", "trusted_hash"): "c",
		at("pre_tool_use:2:0", "enabled"):      false,
		at("pre_tool_use:3:0", "trusted_hash"): "same",
	}
	if got := o.moved(now); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	last := Others{list: []codexHook{hook("pre_tool_use:1:0", "a", "trusted", true)}}
	want = map[string]any{at("pre_tool_use:0:0", "trusted_hash"): "a", `hooks.state."f:pre_tool_use:1:0"`: nil}
	if got := last.moved(now[:1]); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestSplitKey: a key of Codex's is a path, an event and two numbers.
func TestSplitKey(t *testing.T) {
	for key, want := range map[string][2]string{
		"/a:b/hooks.json:pre_tool_use:0:12": {"/a:b/hooks.json", ":pre_tool_use:0:12"},
		"short:0":                           {"short:0", ""},
	} {
		if path, place := splitKey(key); path != want[0] || place != want[1] {
			t.Errorf("%s: %q %q", key, path, place)
		}
	}
}
