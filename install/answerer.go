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
	homes := []string{w.Home.Claude, filepath.Join(w.Repo.Main, ".claude")}
	for dir := w.Dir; ; dir = filepath.Dir(dir) {
		homes = append(homes, filepath.Join(dir, ".claude"))
		if dir == w.Repo.Root || dir == filepath.Dir(dir) {
			break
		}
	}
	var folders []string
	for _, home := range homes {
		for _, kind := range []string{"skills", "commands", "agents"} {
			folders = append(folders, filepath.Join(home, kind))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(plugins)) {
		name, market, _ := strings.Cut(id, "@")
		for _, place := range []string{"cache", "marketplaces"} {
			for _, below := range []string{"", "plugins"} {
				folders = append(folders, filepath.Join(w.Home.Claude, "plugins", place, market, below, name))
			}
		}
	}
	for _, folder := range folders {
		if path := answererIn(folder, 0); path != "" {
			return path
		}
	}
	return ""
}

// maxFollowed is how deep links to folders are followed.
const maxFollowed = 4

func answererIn(folder string, followed int) (path string) {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	_ = filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.Type() == fs.ModeSymlink && IsFolder(p) && followed < maxFollowed:
			path = answererIn(p, followed+1)
		case !d.IsDir() && mentionsAnswer(p):
			path = p
		}
		if path != "" {
			return fs.SkipAll
		}
		return nil
	})
	return path
}

// IsFolder tells a folder, also behind a link, from what stands for none, such as /dev/null.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// maxDeclared is the size beyond which a file counts as one that declares a hook.
const maxDeclared = 4 << 20

// mentionsAnswer reads the files in which hooks are declared: JSON whole, and of a
// Markdown file its front matter. A name that is written with escapes is one that
// we cannot read.
func mentionsAnswer(path string) bool {
	kind := strings.ToLower(filepath.Ext(path))
	info, err := os.Stat(path)
	if err != nil || kind != ".json" && kind != ".md" || !info.Mode().IsRegular() {
		return false
	}
	if info.Size() > maxDeclared {
		return true
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return true
	}
	text = hooks.TrimBOM(text)
	if kind == ".md" {
		text = frontMatter(text)
	}
	return bytes.Contains(text, []byte(answering)) || bytes.Contains(text, []byte("hooks")) && (bytes.Contains(text, []byte(`\u00`)) || bytes.Contains(text, []byte(`\x`)))
}

// frontMatter is what stands between the first two lines of three dashes.
func frontMatter(text []byte) []byte {
	body, begins := bytes.CutPrefix(text, []byte("---"))
	if !begins {
		return nil
	}
	for at := 0; ; {
		i := bytes.Index(body[at:], []byte("\n---"))
		if i < 0 {
			return body
		}
		end := at + i + len("\n---")
		if rest := bytes.TrimLeft(body[end:], " \t\r"); len(rest) == 0 || rest[0] == '\n' {
			return body[:at+i]
		}
		at = end
	}
}
