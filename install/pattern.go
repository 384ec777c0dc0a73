package install

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Hidden stands in a path for a part that is not known.
const Hidden = "\x00"

// settingsFolder is where Claude Code has its settings, besides what is not ours.
const settingsFolder = ".claude"

// Holds names what of ours is in a folder, or nothing.
func (p Protection) Holds(folder, cwd string) string {
	p = p.Prepared()
	folder = absolute(folder, cwd)
	if IsSettingsFolder(folder) {
		return folder
	}
	forms := []string{folder, p.resolver.place(folder).path}
	for _, form := range slices.Compact(forms) {
		for _, ours := range p.resolver.all {
			if isWithin(ours, form) {
				return ours
			}
		}
	}
	return ""
}

// IsSettingsFolder tells a folder that has a client's settings among other things.
func IsSettingsFolder(folder string) bool {
	return strings.EqualFold(filepath.Base(folder), settingsFolder)
}

func absolute(path, cwd string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return filepath.Clean(path)
}

// Pattern says which characters of a path stand for others.
type Pattern int

// A plain path has none, besides what is Hidden. Where files are hidden from no
// pattern, * stands for a dot at the beginning, too.
const (
	Plain Pattern = iota
	Glob
	GlobDots
)

// CoversPattern says what of ours a path can be that has parts which are Hidden
// or pattern characters. A hidden part that is a whole name is taken
// for ours only where everything around it says so.
func (p Protection) CoversPattern(pattern, cwd string, glob Pattern) string {
	p = p.Prepared()
	parts := strings.Split(strings.ToLower(absolute(pattern, cwd)), string(filepath.Separator))
	for _, part := range parts {
		if canBeAny(part, protectedFolders, glob) {
			return shown(pattern)
		}
	}
	base, parent := parts[len(parts)-1], ""
	if len(parts) > 1 {
		parent = parts[len(parts)-2]
	}
	settings := base == Hidden || canBeAny(base, []string{"settings.json", "settings.local.json"}, glob)
	if canBeAny(base, protectedNames, glob) || settings && canBe(parent, settingsFolder, glob) {
		return shown(pattern)
	}
	for i, ours := range p.resolver.parts {
		file := i < len(p.resolver.files)
		if (!file || len(parts) <= len(ours)) && canBePath(parts, ours, glob) {
			return strings.Join(ours, string(filepath.Separator))
		}
	}
	return ""
}

// ReplacesPattern is Replaces for a path with unknown parts: they are taken for a
// .git only where a pattern says so.
func (p Protection) ReplacesPattern(pattern, cwd string, glob Pattern) string {
	parts := strings.Split(strings.ToLower(absolute(pattern, cwd)), string(filepath.Separator))
	for _, git := range p.Gits {
		ours := strings.Split(strings.ToLower(git), string(filepath.Separator))
		if len(parts) == len(ours) && canBePath(parts, ours, glob) {
			return git
		}
	}
	return ""
}

// shown is a pattern as a person reads it.
func shown(pattern string) string { return strings.ReplaceAll(pattern, Hidden, "…") }

// canBePath compares a path with one of ours, as far as the shorter goes: it may
// name a folder above ours or something in it.
func canBePath(parts, ours []string, glob Pattern) bool {
	if len(parts) < len(ours) && glob == Plain {
		return false
	}
	for i := range min(len(parts), len(ours)) {
		if parts[i] == ours[i] {
			continue
		}
		if !canBe(parts[i], ours[i], glob) {
			return false
		}
	}
	return true
}

func canBeAny(part string, names []string, glob Pattern) bool {
	return slices.ContainsFunc(names, func(name string) bool { return canBe(part, name, glob) })
}

// canBe reports whether a part of a path can stand for a name. As in a shell, a
// pattern must show the dot that a name begins with.
func canBe(part, name string, glob Pattern) bool {
	if part == name {
		return true
	}
	if part == Hidden || glob != GlobDots && strings.HasPrefix(name, ".") && !strings.HasPrefix(part, ".") {
		return false
	}
	switch special := `*?[\`; {
	case glob == Plain && !strings.Contains(part, Hidden), !strings.ContainsAny(part, special+Hidden):
		return false
	case glob == Plain && strings.ContainsAny(part, special):
		part = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(part)
	default:
		part = plainClasses(part)
	}
	match, err := path.Match(strings.ReplaceAll(part, Hidden, "*"), name)
	return match || err != nil // a shell may read what we cannot
}

// plainClasses writes a pattern as path.Match reads it: [!a] as [^a], and any
// character for [[:alpha:]].
func plainClasses(part string) string {
	part = strings.ReplaceAll(part, "[!", "[^")
	for strings.Contains(part, "[:") {
		before, rest, _ := strings.Cut(part, "[:")
		_, after, ok := strings.Cut(rest, ":]")
		open := strings.LastIndexByte(before, '[')
		closed := strings.IndexByte(after, ']')
		if !ok || open < 0 || closed < 0 {
			break
		}
		part = before[:open] + "?" + after[closed+1:]
	}
	return part
}

// CanName reports whether a pattern for file names or paths can find one of ours.
func CanName(pattern string) bool {
	parts := strings.Split(strings.ToLower(pattern), "/")
	for _, part := range parts {
		if canBeAny(part, protectedFolders, Glob) || canBe(part, settingsFolder, Glob) {
			return true
		}
	}
	return canBeAny(parts[len(parts)-1], baseNames, Glob)
}

// Inside lists what of ours is in a folder, as paths from there.
func (p Protection) Inside(folder, cwd string) []string {
	p = p.Prepared()
	form := p.resolver.place(absolute(folder, cwd)).path
	var out []string
	for _, ours := range p.resolver.all {
		if below, err := filepath.Rel(form, ours); err == nil && isWithin(ours, form) && below != "." {
			out = append(out, below)
		}
	}
	return out
}
