package policy

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// Places are the folders of layers that belong to no repository.
type Places struct {
	Managed string   // an administrator's
	Users   []string // the user's: what the environment says, and the passwd file
	Reading Reading
}

// Load reads the policies that apply in dir, broad layers first: the
// administrator's, the user's, every RepoFile from the root of the outermost
// repository around dir down to dir (in a linked worktree the main checkout's
// before them), and the local ones beside those. None of them hides another, or
// one written below the root could switch the root's off. Outside a repository
// only dir itself counts. The error is ErrNone, or Problems if a policy is there
// and cannot be used.
func Load(dir string, places Places) (*Set, error) {
	set, err := load(dir, places)
	if err == nil && set.lacks(places.Reading.Tool) {
		places.Reading.Tool = ""
		return load(dir, places)
	}
	return set, err
}

func load(dir string, places Places) (*Set, error) {
	b := &builder{set: &Set{}, reading: places.Reading}
	b.add(Managed, filepath.Join(places.Managed, "policy.toml"))
	for _, user := range distinct(places.Users) {
		b.add(User, filepath.Join(user, "policy.toml"))
	}
	root := RootOf(dir)
	main, here := mainDirs(root, dir), between(root, dir)
	above := b.last
	b.addRepo(main)
	b.mains, b.last = b.set.Layers, above
	b.addRepo(here)
	defer b.standFor(main, here)
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
	reading  Reading
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
	layer, err := parse(name, b.last, texts, b.reading)
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

// standFor notes which folder of a linked worktree stands for one of the main checkout:
// its policies speak of both.
func (b *builder) standFor(main, here []string) {
	for _, l := range b.set.Layers {
		for i, dir := range main {
			if i < len(here) && l.inRepository() && filepath.Dir(filepath.Dir(l.File)) == dir {
				l.worktrees = append(l.worktrees, here[i])
			}
		}
	}
}

// has finds a layer that says the same: the main checkout's policy stands for an
// equal one of a linked worktree, so that both share their budgets.
func (b *builder) has(name string, texts []Text) bool {
	var all []byte
	for _, t := range texts {
		all = append(all, t.Text...)
	}
	for _, l := range b.mains {
		if l.Name == name && name == Repo && bytes.Equal(l.Text, all) {
			l.also = append(l.also, texts[0].Path)
			return true
		}
	}
	return false
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

// Searched lists the directories in which a policy counts, broad first.
func Searched(dir string) []string { return between(RootOf(dir), dir) }

// between lists the directories from root down to dir; without a root, dir alone.
func between(root, dir string) []string {
	if root == "" {
		return []string{dir}
	}
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
func mainDirs(root, dir string) []string {
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
