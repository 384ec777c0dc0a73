package main

import (
	"os"
	"path/filepath"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// protected names one of our own files that a call would write, or nothing.
func (h *hook) protected(ev hooks.Event, set *policy.Set) string {
	paths := ev.Writes()
	if len(paths) == 0 {
		return ""
	}
	p := install.Protection{Home: install.FindHome(h.env.get)}
	p.Files = append(p.Files, p.Home.Program)
	if program, err := os.Executable(); err == nil {
		p.Files = append(p.Files, program)
	}
	if dir, err := stateDir(h.env); err == nil {
		p.Dirs = append(p.Dirs, dir)
	}
	places := placesOf(h.env)
	p.Dirs = append(append(p.Dirs, places.Managed), places.Users...)
	for _, l := range set.Layers {
		p.Files = append(p.Files, l.File)
		if root := filepath.Dir(filepath.Dir(l.File)); l.Name == policy.Repo {
			p.Files = append(p.Files, install.ProjectFiles(root)...)
		}
	}
	for _, path := range paths {
		if what := p.Covers(path, ev.CWD); what != "" {
			return what
		}
	}
	return ""
}
