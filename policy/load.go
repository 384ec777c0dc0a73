package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Where a repository keeps its policy, from its root, and where a user adds to it.
const (
	RepoFile  = ".gatewright/policy.toml"
	LocalFile = ".gatewright/local.toml"
)

// maxPolicy is the size of the largest policy file that is read, in bytes.
const maxPolicy = 1 << 20

// ErrNone is the error of Load when nothing is configured.
var ErrNone = errors.New("there is no policy")

// readTexts reads a policy file and the folder of further ones that belongs to
// it; nothing if there is none.
func readTexts(path string) ([]Text, Problems) {
	text, err := ReadRegular(path, maxPolicy)
	if errors.Is(err, fs.ErrNotExist) && isNowhere(filepath.Dir(path)) {
		return nil, nil // most folders of layers are not there
	}
	gone := err != nil && missing(path, err)
	if err != nil && !gone {
		return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	var parts []Text
	folder := filepath.Join(filepath.Dir(path), "policy.d")
	if filepath.Base(path) == "policy.toml" {
		entries, err := os.ReadDir(folder)
		switch {
		case err != nil && !missing(folder, err):
			return nil, Problems{{File: folder, Message: "cannot be read: " + reason(err)}}
		case err == nil && gone:
			return nil, Problems{{File: folder, Message: "it belongs to " + path + ", which is missing", Hint: "restore that file, if only with version = 1"}}
		}
		var problems Problems
		if parts, problems = readFolder(folder, entries); len(problems) > 0 {
			return nil, problems
		}
	}
	if gone {
		return nil, nil
	}
	return append([]Text{{path, text}}, parts...), nil
}

// readFolder reads the *.toml of a folder in the order of their names.
func readFolder(folder string, entries []fs.DirEntry) (texts []Text, problems Problems) {
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) != ".toml" {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		text, err := ReadRegular(path, maxPolicy)
		if err != nil {
			return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
		}
		texts = append(texts, Text{path, text})
	}
	return texts, nil
}

// missing tells a policy that is not there from one that cannot be read: a link
// to nowhere is a policy that is gone.
func missing(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return !isDangling(path) && !isDangling(filepath.Dir(path))
}

// isNowhere reports a path at which there is nothing, not even a link.
func isNowhere(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// isDangling reports a link to nowhere.
func isDangling(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink && !exists(path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// realPath resolves links as far as that goes.
func realPath(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

// isRoot reports whether dir is a repository's root; a linked worktree's .git
// is a file.
func isRoot(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// ReadRegular reads a regular file of at most limit bytes. Opening does not wait,
// so a pipe in its place cannot hold us up.
func ReadRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	text := bytes.NewBuffer(make([]byte, 0, min(info.Size(), limit)+bytes.MinRead)) // read at once
	_, err = text.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && int64(text.Len()) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return text.Bytes(), err
}

// ReadLayer reads one file as a layer, for tools that are given its path.
func ReadLayer(layer, path string) (*Layer, error) {
	text, err := ReadRegular(path, maxPolicy)
	if err != nil {
		return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	return Parse(layer, path, text)
}

// ReadBelow reads one policy file as a layer below those of the set, and adds it.
func ReadBelow(set *Set, path string) (*Layer, error) {
	text, err := ReadRegular(path, maxPolicy)
	if err != nil {
		return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	var broader *Layer
	if len(set.Layers) > 0 {
		broader = set.Layers[len(set.Layers)-1]
	}
	layer, err := parse(Repo, broader, []Text{{path, text}}, Reading{})
	if err == nil {
		set.Layers = append(set.Layers, layer)
	}
	return layer, err
}

// reason is the error without the path, which the message names already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
