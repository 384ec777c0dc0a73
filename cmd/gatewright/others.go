package main

import (
	"slices"

	"gatewright/hooks"
	"gatewright/install"
)

// others asks Codex what it trusts of others' handlers in the files that are going
// to change, and gives the way to tell it the same afterwards.
func (r *registrar) others() (keep func()) {
	program, err := r.lookPath(codexName)
	isCodex := func(c hooks.Client) bool { return c.Name == "codex" }
	if err != nil || r.scope == install.Managed || !slices.ContainsFunc(r.clients, isCodex) {
		return func() {}
	}
	paths, err := install.Files("codex", r.scope, r.repo, r.home)
	if err != nil {
		return func() {}
	}
	var all []install.Others
	for _, path := range paths {
		file, err := install.ReadFile(path)
		if err != nil {
			continue // which is said where it is to be changed
		}
		o, err := install.OthersIn(program, file, r.repo, r.home)
		if err != nil {
			r.say("  codex   other hooks in %s may have to be trusted anew: %v", r.short(path), err)
			continue
		}
		all = append(all, o)
	}
	return func() {
		for _, o := range all {
			if err := o.Keep(); err != nil {
				r.say("  codex   other hooks than ours may have to be trusted anew: %v", err)
			}
		}
	}
}
