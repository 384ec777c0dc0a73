package install

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxPath is the length of the longest path that a system opens.
const maxPath = 4096

// resolver remembers what paths lead to, for one call: a command line may name
// thousands of paths in one folder.
type resolver struct {
	files  []string // of Protection.files
	dirs   []string // of Protection.Dirs, resolved too
	all    []string // the paths of ours, resolved too
	parts  [][]string
	infos  []fs.FileInfo // of files, nil for one that is not there
	places map[string]place
}

// place is what a path leads to. info is nil if there is nothing.
type place struct {
	path string
	info fs.FileInfo
}

// Prepared is the same protection for many questions in a row, which must come
// from one goroutine.
func (p Protection) Prepared() Protection {
	if p.resolver != nil {
		return p
	}
	r := &resolver{files: p.files(), places: map[string]place{}}
	for _, dir := range p.Dirs {
		if dir != "" {
			r.dirs = append(r.dirs, dir, r.place(dir).path)
		}
	}
	for _, file := range r.files {
		info, err := os.Stat(file)
		if err != nil {
			info = nil
		}
		r.infos = append(r.infos, info)
		r.all = append(r.all, file, r.place(file).path)
	}
	r.all = append(r.all, r.dirs...)
	for _, ours := range slices.Concat(r.files, p.Dirs) {
		r.parts = append(r.parts, strings.Split(strings.ToLower(ours), string(filepath.Separator)))
	}
	p.resolver = r
	return p
}

// place follows the links of a path as far as it exists.
func (r *resolver) place(path string) place {
	if known, ok := r.places[path]; ok {
		return known
	}
	here := place{path: path}
	if up := filepath.Dir(path); len(path) > maxPath {
		return here
	} else if up == path {
		here.info, _ = os.Lstat(path)
	} else if above := r.place(up); above.info != nil {
		here = seen(filepath.Join(above.path, filepath.Base(path)))
	} else {
		here.path = filepath.Join(above.path, filepath.Base(path))
	}
	r.places[path] = here
	return here
}

// seen looks at a path whose folder has no links in it.
func seen(path string) place {
	info, err := os.Lstat(path)
	if err != nil {
		return place{path: path}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		path = resolved(path, 0)
		if info, err = os.Lstat(path); err != nil {
			info = nil
		}
	}
	return place{path: path, info: info}
}

// isOurs names the file of ours that something is, by whatever name.
func (r *resolver) isOurs(info fs.FileInfo) string {
	if info == nil {
		return ""
	}
	for i, ours := range r.infos {
		if ours != nil && os.SameFile(info, ours) {
			return r.files[i]
		}
	}
	return ""
}

// Physical follows the links of a path as far as it exists, those to nowhere included.
func Physical(path string) string { return resolved(filepath.Clean(path), 0) }

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
