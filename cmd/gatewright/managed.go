package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gatewright/hooks"
	"gatewright/install"
)

// guardedFiles refuses files for everybody that others than root could replace.
func (r *registrar) guardedFiles() error {
	for _, c := range r.clients {
		paths, err := install.Files(c.Name, install.Managed, r.repo, r.home)
		if err != nil {
			return err
		}
		for _, path := range paths {
			if err := install.Guarded(path, roots.owner, roots.top); err != nil {
				return fmt.Errorf("%w: an administrator's settings have to be safe from that", err)
			}
		}
	}
	return nil
}

// guarded refuses a program that others than root could replace, or not run.
func (r *registrar) guarded(program string) error {
	err := install.Guarded(program, roots.owner, roots.top)
	if info, failed := os.Stat(program); err == nil && failed == nil && info.Mode()&0o001 == 0 {
		err = errors.New("not everybody can run it")
	}
	if err != nil {
		return fmt.Errorf("the registered line would name %s: %w. Put the program where only root can write and everybody can run it, such as /usr/local/bin, and run this again from there", program, err)
	}
	return nil
}

// reportManaged says what the clients do with the other hooks.
func (r *registrar) reportManaged(c hooks.Client, e edit) error {
	if c.Name == "codex" {
		r.say("          hooks cannot be switched off ([features] hooks = true), and Codex trusts these without being asked")
	}
	if install.RunsOnlyManaged(e.after, c) {
		r.say("          no other hooks run, neither of users nor of projects")
	} else {
		r.say("          other hooks run, too; install --scope managed --managed-hooks-only ends that")
	}
	return nil
}

func (r *registrar) noteManaged() {
	path := filepath.Join(roots.managed, "policy.toml")
	if _, err := os.Stat(path); err != nil {
		r.say("There is no policy for everybody yet: %s", path)
	}
	r.say("It is silent where no policy applies.")
}
