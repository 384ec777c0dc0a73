package policy

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// RepoFile is where a repository keeps its policy, from its root.
const RepoFile = ".gatewright/policy.toml"

// maxPolicy is the size of the largest policy file that is read, in bytes.
const maxPolicy = 1 << 20

// ErrNone is the error of Load when nothing is configured.
var ErrNone = errors.New("there is no policy")

// Load reads the policies that apply in dir: every RepoFile from the root of the
// outermost repository around dir down to dir, each a layer. None of them hides
// another, or one written below the root could switch the root's off. Outside a
// repository only dir itself counts. The error is ErrNone, or Problems if a
// policy is there and cannot be used.
func Load(dir string) (*Set, error) {
	set := &Set{}
	for _, d := range searched(dir) {
		layer, err := loadIn(d)
		if err != nil {
			return nil, err
		}
		if layer != nil {
			set.Layers = append(set.Layers, layer)
		}
	}
	if set.Empty() {
		return nil, ErrNone
	}
	return set, nil
}

// searched lists the directories in which a policy counts, broad first.
func searched(dir string) []string {
	var up []string
	root := 0
	for d := dir; ; d = filepath.Dir(d) {
		up = append(up, d)
		if isRoot(d) {
			root = len(up) - 1
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	up = up[:root+1]
	slices.Reverse(up)
	return up
}

// loadIn reads the policy of one directory, or returns nil if it has none.
func loadIn(dir string) (*Layer, error) {
	path := filepath.Join(dir, RepoFile)
	for _, later := range []string{"local.toml", "policy.d"} {
		if other := filepath.Join(filepath.Dir(path), later); exists(other) {
			return nil, Problems{{File: other, Message: "this version does not read it", Hint: "move its tables to " + path}}
		}
	}
	text, err := ReadRegular(path, maxPolicy)
	switch {
	case err == nil:
		return Parse("repo", path, text)
	case missing(path, err):
		return nil, nil
	}
	return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
}

// missing tells a policy that is not there from one that cannot be read: a link
// to nowhere is a policy that is gone.
func missing(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return !isDangling(path) && !isDangling(filepath.Dir(path))
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
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("larger than %d bytes", limit)
	}
	return text, err
}

// ReadLayer reads one file as a layer, for tools that are given its path.
func ReadLayer(layer, path string) (*Layer, error) {
	text, err := ReadRegular(path, maxPolicy)
	if err != nil {
		return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	return Parse(layer, path, text)
}

// reason is the error without the path, which the message names already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
