package main

import (
	"errors"
	"io/fs"
	"path/filepath"

	"gatewright/install"
)

// maxBelow bounds how many files are looked at for one call, of all folders.
const maxBelow = 50000

// contents is what is in a folder and below it, by paths from there, and whether that is
// all: a folder that cannot be read may hold anything.
type contents struct {
	files []string
	all   bool
}

// lister lists folders for one call, each once.
func lister() func(folder string) ([]string, bool) {
	known, left := map[string]contents{}, maxBelow
	return func(folder string) ([]string, bool) {
		l, ok := known[folder]
		if !ok {
			l = contentsOf(install.Physical(folder), left)
			known[folder], left = l, left-len(l.files)
		}
		return l.files, l.all
	}
}

func contentsOf(folder string, most int) contents {
	l := contents{all: true}
	_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(folder, path)
		if err != nil || relErr != nil {
			l.all = l.all && errors.Is(err, fs.ErrNotExist)
			return nil
		}
		if len(l.files) >= most {
			l.all = false
			return fs.SkipAll
		}
		if name != "." {
			l.files = append(l.files, name)
		}
		return nil
	})
	return l
}
