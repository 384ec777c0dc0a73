package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// Places are the folders of layers that belong to no repository.
type Places struct {
	Managed string   // an administrator's
	Users   []string // the user's: what the environment says, and the passwd file
}

// Load reads the policies that apply in dir, broad layers first: the
// administrator's, the user's, every RepoFile from the root of the outermost
// repository around dir down to dir (in a linked worktree the main checkout's
// before them), and the local ones beside those. None of them hides another, or
// one written below the root could switch the root's off. Outside a repository
// only dir itself counts. The error is ErrNone, or Problems if a policy is there
// and cannot be used.
func Load(dir string, places Places) (*Set, error) {
	b := &builder{set: &Set{}}
	b.add(Managed, filepath.Join(places.Managed, "policy.toml"))
	for _, user := range distinct(places.Users) {
		b.add(User, filepath.Join(user, "policy.toml"))
	}
	main, here := mainDirs(dir), searched(dir)
	above := b.last
	b.addRepo(main)
	b.mains, b.last = b.set.Layers, above
	b.addRepo(here)
	for _, d := range distinct(append(main, here...)) {
		b.add(Local, filepath.Join(d, LocalFile))
	}
	switch {
	case len(b.problems) > 0:
		return nil, b.problems
	case b.set.Empty():
		return nil, ErrNone
	}
	return b.set, nil
}

// builder adds layer below layer.
type builder struct {
	set      *Set
	last     *Layer   // whose facts the next layer may use
	mains    []*Layer // up to those of the main checkout
	problems Problems
}

func (b *builder) add(name, path string) {
	if len(b.problems) > 0 || !filepath.IsAbs(path) {
		return
	}
	texts, problems := readTexts(path)
	if len(problems) > 0 {
		b.problems = problems
		return
	}
	if len(texts) == 0 || b.has(name, texts) {
		return
	}
	layer, err := parse(name, b.last, texts)
	if err != nil {
		b.problems = err.(Problems)
		return
	}
	b.set.Layers, b.last = append(b.set.Layers, layer), layer
}

// addRepo adds the policies of one checkout. A linked worktree's and the main
// checkout's do not see each other: most often one is an older form of the other.
func (b *builder) addRepo(dirs []string) {
	for _, d := range dirs {
		b.add(Repo, filepath.Join(d, RepoFile))
	}
}

// has reports a layer that says the same: the main checkout's policy stands for
// an equal one of a linked worktree, so that both share their budgets.
func (b *builder) has(name string, texts []Text) bool {
	var all []byte
	for _, t := range texts {
		all = append(all, t.Text...)
	}
	return slices.ContainsFunc(b.mains, func(l *Layer) bool { return l.Name == name && name == Repo && bytes.Equal(l.Text, all) })
}

// readTexts reads a policy file and the folder of further ones that belongs to
// it; nothing if there is none.
func readTexts(path string) ([]Text, Problems) {
	text, err := ReadRegular(path, maxPolicy)
	gone := err != nil && missing(path, err)
	if err != nil && !gone {
		return nil, Problems{{File: path, Message: "cannot be read: " + reason(err)}}
	}
	texts := []Text{{path, text}}
	folder := filepath.Join(filepath.Dir(path), "policy.d")
	if filepath.Base(path) != "policy.toml" || !exists(folder) {
		if gone {
			return nil, nil
		}
		return texts, nil
	}
	if gone {
		return nil, Problems{{File: folder, Message: "it belongs to " + path + ", which is missing", Hint: "restore that file, if only with version = 1"}}
	}
	return addFolder(texts, folder)
}

// addFolder reads the *.toml of a folder in the order of their names.
func addFolder(texts []Text, folder string) ([]Text, Problems) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, Problems{{File: folder, Message: "cannot be read: " + reason(err)}}
	}
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

// distinct keeps the first of several equal paths.
func distinct(paths []string) []string {
	var out []string
	for _, p := range paths {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// searched lists the directories in which a policy counts, broad first.
func searched(dir string) []string {
	root := RootOf(dir)
	if root == "" {
		return []string{dir}
	}
	return between(root, dir)
}

// between lists the directories from root down to dir.
func between(root, dir string) []string {
	up := []string{dir}
	for d := dir; d != root && d != filepath.Dir(d); {
		d = filepath.Dir(d)
		up = append(up, d)
	}
	slices.Reverse(up)
	return up
}

// RootOf is the root of the outermost repository around dir, or nothing.
func RootOf(dir string) string {
	root := ""
	for d := dir; ; d = filepath.Dir(d) {
		if isRoot(d) {
			root = d
		}
		if d == filepath.Dir(d) {
			return root
		}
	}
}

// mainDirs lists the directories of the main checkout that stand for those of a
// linked worktree.
func mainDirs(dir string) []string {
	root := RootOf(dir)
	if root == "" {
		return nil
	}
	main := MainCheckout(root)
	if main == root {
		return nil
	}
	below, err := filepath.Rel(root, dir)
	if err != nil {
		return []string{main}
	}
	return between(main, filepath.Join(main, below))
}

// MainCheckout follows a linked worktree's .git file: it names a folder inside
// the main checkout's .git/worktrees. Any other root is its own.
func MainCheckout(root string) string {
	text, err := ReadRegular(filepath.Join(root, ".git"), 4096)
	if err != nil {
		return root
	}
	gitDir, isLink := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !isLink {
		return root
	}
	if !filepath.IsAbs(gitDir) {
		gitDir = filepath.Join(root, gitDir)
	}
	worktrees := filepath.Dir(filepath.Clean(gitDir))
	common := filepath.Dir(worktrees)
	if filepath.Base(worktrees) != "worktrees" || filepath.Base(common) != ".git" {
		return root // a submodule, or a bare repository's worktree
	}
	return filepath.Dir(common)
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
