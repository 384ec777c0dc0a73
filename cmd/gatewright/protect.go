package main

import (
	"os"
	"path/filepath"
	"slices"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// protect names one of our own files that a call would write, and says what else
// a command line would do to us; or nothing.
func (h *hook) protect(ev hooks.Event, set *policy.Set) (what, evades string) {
	line := commandLine(ev)
	paths := ev.Writes()
	if len(paths) == 0 && line == "" {
		return "", ""
	}
	p := h.protection(set)
	p.Gits = gitsOf(set, ev.CWD)
	p = p.Prepared()
	if line != "" {
		return h.protectFromShell(ev, p, projectOf(set, ev.CWD), line)
	}
	return firstCovered(p, paths, ev.CWD), ""
}

func firstCovered(p install.Protection, paths []string, cwd string) string {
	for _, path := range paths {
		if what := p.Covers(path, cwd); what != "" {
			return what
		}
		if what := p.Replaces(path, cwd); what != "" {
			return what
		}
	}
	return ""
}

// gitsOf lists the .git of each root whose policies count. In a linked worktree
// its own is the file that leads to them.
func gitsOf(set *policy.Set, cwd string) []string {
	var out []string
	for _, l := range set.Layers {
		if root := policy.RootOf(filepath.Dir(filepath.Dir(l.File))); l.Name == policy.Repo && root != "" {
			out = append(out, filepath.Join(root, ".git"))
		}
	}
	if root := policy.RootOf(cwd); root != "" {
		if main := filepath.Join(policy.MainCheckout(root), ".git"); slices.Contains(out, main) {
			out = append(out, filepath.Join(root, ".git"))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// protection is what is ours under this policy.
func (h *hook) protection(set *policy.Set) install.Protection {
	p := install.Protection{Home: homeOf(h.env)}
	p.Files = append(p.Files, p.Home.Program)
	if program, err := os.Executable(); err == nil {
		p.Files = append(p.Files, program)
	}
	if dir, err := stateDir(h.env); err == nil {
		p.Dirs = append(p.Dirs, dir)
	}
	p.Dirs = append(p.Dirs, p.Home.Managed, p.Home.ManagedCodex)
	places := placesOf(h.env)
	p.Dirs = append(append(p.Dirs, places.Managed), places.Users...)
	for _, l := range set.Layers {
		p.Files = append(p.Files, l.File)
		if root := filepath.Dir(filepath.Dir(l.File)); l.Name == policy.Repo {
			p.Files = append(append(p.Files, install.ProjectFiles(root)...), filepath.Join(root, ".mcp.json"))
		}
	}
	return p
}
