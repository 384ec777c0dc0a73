package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"gatewright/hooks"
	"gatewright/policy"
)

// fakeCodex stands for Codex: its version, and as much of its app-server as lists hooks
// with their trust and writes config.toml.
func fakeCodex(args []string, stdin io.Reader, stdout io.Writer, env environment) int {
	if len(args) == 1 && args[0] == "--version" {
		fmt.Fprintln(stdout, "codex-cli 0.171.0")
		return 0
	}
	codex := codexServer{home: filepath.Join(env.get("HOME"), ".codex")}
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var call struct {
			ID     int
			Method string
			Params struct {
				Cwds  []string
				Edits []struct {
					KeyPath string
					Value   any
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &call) != nil {
			return 1
		}
		var result any = map[string]any{}
		switch call.Method {
		case "initialized":
			continue
		case "hooks/list":
			result = map[string]any{"data": []any{map[string]any{"hooks": codex.list(call.Params.Cwds[0])}}}
		case "config/batchWrite":
			for _, e := range call.Params.Edits {
				codex.write(e.KeyPath, e.Value)
			}
		}
		fmt.Fprintf(stdout, "%s\n", hooks.EncodeJSON(map[string]any{"id": call.ID, "result": result}))
	}
	return 0
}

type codexServer struct{ home string }

func (c codexServer) config(dir string) map[string]any {
	config := map[string]any{}
	text, err := policy.ReadRegular(filepath.Join(dir, "config.toml"), 1<<20)
	if err != nil || toml.Unmarshal(text, &config) != nil {
		return map[string]any{}
	}
	return config
}

// at follows keys into tables.
func at(config map[string]any, keys ...string) any {
	var value any = config
	for _, key := range keys {
		table, _ := value.(map[string]any)
		value = table[key]
	}
	return value
}

func (c codexServer) write(keyPath string, value any) {
	edit := map[string]any{}
	if _, err := toml.Decode(keyPath+" = "+string(hooks.EncodeJSON(value)), &edit); err != nil {
		panic(err)
	}
	config := c.config(c.home)
	mergeInto(config, edit)
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(config); err != nil {
		panic(err)
	}
	if err := os.MkdirAll(c.home, 0o700); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(c.home, "config.toml"), text.Bytes(), 0o600); err != nil {
		panic(err)
	}
}

func mergeInto(config, edit map[string]any) {
	for key, value := range edit {
		table, isTable := value.(map[string]any)
		if old, ok := config[key].(map[string]any); ok && isTable {
			mergeInto(old, table)
		} else {
			config[key] = value
		}
	}
}

// list gives what is registered in the trusted project and by the user.
func (c codexServer) list(dir string) []any {
	user, project := c.config(c.home), c.config(filepath.Join(dir, ".codex"))
	if at(user, "features", "hooks") == false || at(project, "features", "hooks") == false {
		return nil
	}
	list := c.listFile(filepath.Join(c.home, "hooks.json"), user)
	if at(user, "projects", dir, "trust_level") == "trusted" {
		list = append(list, c.listFile(filepath.Join(dir, ".codex", "hooks.json"), user)...)
	}
	return list
}

func (c codexServer) listFile(path string, config map[string]any) (list []any) {
	text, err := policy.ReadRegular(path, 1<<20)
	if err != nil {
		return nil
	}
	var file struct {
		Hooks map[string][]struct{ Hooks []map[string]any }
	}
	if json.Unmarshal(text, &file) != nil {
		return nil
	}
	for _, event := range slices.Sorted(maps.Keys(file.Hooks)) {
		for i, group := range file.Hooks[event] {
			for j, h := range group.Hooks {
				label := strings.TrimPrefix(snaked(event), "_")
				key := fmt.Sprintf("%s:%s:%d:%d", path, label, i, j)
				if h["async"] == nil {
					h["async"] = false
				}
				sum := sha256.Sum256(hooks.EncodeJSON(map[string]any{"event_name": label, "hooks": []any{h}}))
				hash, trust := fmt.Sprintf("sha256:%x", sum), "untrusted"
				if at(config, "hooks", "state", key, "trusted_hash") == hash {
					trust = "trusted"
				}
				list = append(list, map[string]any{
					"key": key, "eventName": strings.ToLower(event[:1]) + event[1:], "sourcePath": path, "command": h["command"],
					"currentHash": hash, "trustStatus": trust, "enabled": at(config, "hooks", "state", key, "enabled") != false,
				})
			}
		}
	}
	return list
}

func snaked(event string) string {
	var b strings.Builder
	for _, r := range event {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
