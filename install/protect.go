package install

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Protection is what an agent's file tools must not write: whatever decides
// whether we are asked, and what we answer.
type Protection struct {
	Home  Home
	Dirs  []string // folders of ours, with all that is in them
	Files []string // single files of ours
}

// Names of what is protected wherever it lies. Letter case is ignored, as some
// file systems do.
var (
	protectedFolders = []string{".gatewright", ".codex"}
	protectedNames   = []string{".mcp.json", ".claude.json"}
)

// Covers says what of ours a path is, or nothing. A relative path is one from cwd.
// Links are followed, those that are hard included.
func (p Protection) Covers(path, cwd string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	path = filepath.Clean(path)
	for _, form := range []string{path, resolved(path, 0)} {
		if what := p.named(form); what != "" {
			return what
		}
	}
	for _, file := range p.files() {
		if IsSameFile(path, file) {
			return file
		}
	}
	return ""
}

// named judges a path by its names alone.
func (p Protection) named(path string) string {
	parts := strings.Split(strings.ToLower(path), string(filepath.Separator))
	for _, folder := range protectedFolders {
		if slices.Contains(parts, folder) {
			return path
		}
	}
	base, parent := parts[len(parts)-1], ""
	if len(parts) > 1 {
		parent = parts[len(parts)-2]
	}
	settings := strings.HasPrefix(base, "settings") && strings.HasSuffix(base, ".json")
	if slices.Contains(protectedNames, base) || settings && (parent == ".claude" || filepath.Dir(path) == p.Home.Claude) {
		return path
	}
	for _, dir := range p.Dirs {
		if isWithin(path, dir) || isWithin(path, resolved(dir, 0)) {
			return path
		}
	}
	if slices.Contains(p.files(), path) {
		return path
	}
	return ""
}

func isWithin(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, dir+string(filepath.Separator)))
}

// files are the single files, with those of the clients' homes.
func (p Protection) files() []string {
	files := slices.Clone(p.Files)
	if p.Home.Codex != "" {
		files = append(files, filepath.Join(p.Home.Codex, "config.toml"), filepath.Join(p.Home.Codex, "hooks.json"))
	}
	if p.Home.Claude != "" {
		files = append(files, filepath.Join(p.Home.Claude, "settings.json"))
	}
	return files
}

// maxLinks is how many links to nowhere are followed; more of them are a circle.
const maxLinks = 40

// resolved follows the links of a path as far as it exists.
func resolved(path string, links int) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if target, err := os.Readlink(dir); err == nil && links < maxLinks { // a link to nowhere is written through
			if !filepath.IsAbs(target) {
				target = filepath.Join(filepath.Dir(dir), target)
			}
			return resolved(filepath.Join(target, rest), links+1)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
