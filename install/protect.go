package install

import (
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
	// Gits are the .git of the repositories whose policies count: without it they
	// count no longer. What is inside them is not ours.
	Gits []string

	resolver *resolver // nil until it is prepared
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
	p = p.Prepared()
	path = absolute(path, cwd)
	if what := p.named(path); what != "" || len(path) > maxPath {
		return what
	}
	real := p.resolver.place(path)
	if real.path != path {
		if what := p.named(real.path); what != "" {
			return what
		}
	}
	return p.resolver.isOurs(real.info)
}

// Replaces names the .git that is lost when a path is removed or written, or
// nothing.
func (p Protection) Replaces(path, cwd string) string {
	if len(p.Gits) == 0 {
		return ""
	}
	p = p.Prepared()
	path = absolute(path, cwd)
	inFolder := filepath.Join(p.resolver.place(filepath.Dir(path)).path, filepath.Base(path))
	for _, git := range p.Gits {
		if strings.EqualFold(path, git) || strings.EqualFold(inFolder, git) || p.resolver.place(path).path == git {
			return git
		}
	}
	return ""
}

// IsProgram reports whether a path is our own program.
func (p Protection) IsProgram(path, cwd string) bool {
	p = p.Prepared()
	what := p.resolver.isOurs(p.resolver.place(absolute(path, cwd)).info)
	return what != "" && slices.Contains(p.Files[:min(2, len(p.Files))], what)
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
	for _, dir := range p.resolver.dirs {
		if isWithin(path, dir) {
			return path
		}
	}
	if slices.Contains(p.resolver.files, path) {
		return path
	}
	return ""
}

func isWithin(path, dir string) bool {
	if dir == string(filepath.Separator) {
		return filepath.IsAbs(path)
	}
	return dir != "" && (path == dir || len(path) > len(dir) && path[len(dir)] == filepath.Separator && path[:len(dir)] == dir)
}

// files are the single files, with those of the clients' homes.
func (p Protection) files() []string {
	files := slices.DeleteFunc(slices.Clone(p.Files), func(file string) bool { return file == "" })
	if p.Home.Codex != "" {
		files = append(files, filepath.Join(p.Home.Codex, "config.toml"), filepath.Join(p.Home.Codex, "hooks.json"))
	}
	if p.Home.Claude != "" {
		files = append(files, filepath.Join(p.Home.Claude, "settings.json"))
	}
	return files
}
