package install

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/hooks"
)

// answering is the event by which another hook can answer a prompt before the
// person does.
const answering = "PermissionRequest"

// Answerer is a file with a hook that could answer in a person's place, or
// nothing. A settings file that cannot be read counts: the client may read it
// otherwise than we do. Codex asks nobody.
func (w Watch) Answerer() string {
	if w.Client.Name == "codex" {
		return ""
	}
	plugins := map[string]bool{}
	for _, s := range append(managedSources(w.Home), claudeSources(w.Dir, w.Repo, w.Home)...) {
		file, err := ReadFile(s.path)
		if err != nil {
			return s.path
		}
		if file.Text == nil {
			continue
		}
		list, err := handlers(file.Text, w.Client)
		if err != nil || slices.ContainsFunc(list, func(f found) bool { return f.event == answering }) {
			return s.path
		}
		maps.Copy(plugins, enabledPlugins(file.Text))
	}
	return w.brought(plugins)
}

// enabledPlugins are the plugins that a settings file switches on, as NAME@MARKET.
func enabledPlugins(text []byte) map[string]bool {
	on := map[string]bool{}
	settings, _ := decoded(hooks.TrimBOM(text)).(map[string]any)
	plugins, _ := settings["enabledPlugins"].(map[string]any)
	for name, value := range plugins {
		if value != false && value != nil {
			on[name] = true
		}
	}
	return on
}

// brought looks into what brings its own hooks along: plugins that are switched
// on, skills, commands and agents.
func (w Watch) brought(plugins map[string]bool) string {
	homes := []string{w.Home.Claude, filepath.Join(w.Dir, ".claude"), filepath.Join(w.Repo.Root, ".claude"), filepath.Join(w.Repo.Main, ".claude")}
	var folders []string
	for _, home := range homes {
		for _, kind := range []string{"skills", "commands", "agents"} {
			folders = append(folders, filepath.Join(home, kind))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		name, market, _ := strings.Cut(id, "@")
		folders = append(folders, filepath.Join(w.Home.Claude, "plugins", "cache", market, name))
	}
	for _, folder := range folders {
		if path := answererIn(folder); path != "" {
			return path
		}
	}
	return ""
}

func answererIn(folder string) (path string) {
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case !d.IsDir() && mentionsAnswer(p, d):
			path = p
			return fs.SkipAll
		}
		return nil
	})
	return path
}

// mentionsAnswer reads the files in which hooks are declared: JSON whole, and of a
// Markdown file its front matter.
func mentionsAnswer(path string, d fs.DirEntry) bool {
	isJSON, isMarkdown := filepath.Ext(path) == ".json", filepath.Ext(path) == ".md"
	info, err := d.Info()
	if err != nil || !isJSON && !isMarkdown || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	if isMarkdown {
		body, begins := bytes.CutPrefix(text, []byte("---"))
		text, _, _ = bytes.Cut(body, []byte("\n---"))
		return begins && bytes.Contains(text, []byte(answering))
	}
	return bytes.Contains(text, []byte(`"`+answering+`"`))
}
