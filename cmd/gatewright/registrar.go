package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/install/jsontext"
	"gatewright/policy"
)

// codexName is the program that is asked to trust our handlers. Only tests change
// it: they must not depend on what is installed here.
var codexName = "codex"

// registrar installs into clients, or out of them.
type registrar struct {
	*cli
	clients []hooks.Client
	scope   install.Scope
	repo    install.Repository
	home    install.Home
	dir     string // the folder that was named, absolute and without links
	only    bool   // no hooks but an administrator's are to run
	undo    bool   // what is ours goes
}

// edit is one file before and after.
type edit struct {
	client hooks.Client // whose settings it is; none for the policy
	file   *install.File
	after  []byte // nil: the file goes
}

func (c *cli) registrarCommand(command *cobra.Command, run func(*registrar) error) *cobra.Command {
	client := command.Flags().String("client", "all", "claude, codex or all")
	scope := command.Flags().String("scope", "project", "project, local, user or managed")
	command.Args = cobra.MaximumNArgs(1)
	command.RunE = func(_ *cobra.Command, args []string) error {
		r, err := c.registrar(*client, *scope, append(args, ".")[0])
		if err != nil {
			return err
		}
		return run(r)
	}
	return command
}

func (c *cli) registrar(client, scope, dir string) (*registrar, error) {
	r := &registrar{cli: c, clients: hooks.Clients(), scope: install.Scope(scope), home: homeOf(c.env)}
	if client != "all" {
		one, ok := hooks.ClientNamed(client)
		if !ok {
			return nil, fmt.Errorf("there is no client %q; say claude, codex or all", client)
		}
		r.clients = []hooks.Client{one}
	}
	if !slices.Contains([]install.Scope{install.Project, install.Local, install.User, install.Managed}, r.scope) {
		return nil, fmt.Errorf("there is no scope %q; say project, local, user or managed", scope)
	}
	var err error
	if r.repo, err = install.FindRepository(dir, policy.MainCheckout); err != nil {
		return nil, err
	}
	if r.dir, err = filepath.Abs(dir); err == nil {
		r.dir, err = filepath.EvalSymlinks(r.dir)
	}
	if err == nil && r.scope == install.Managed && os.Geteuid() != roots.owner {
		err = install.ErrNotRoot
	}
	return r, err
}

// plan reads all files of the scope and computes what they are to be. A client
// that lacks the scope is left out, unless it was the only one asked for.
func (r *registrar) plan(change func([]byte, hooks.Client) ([]byte, error)) ([]edit, error) {
	var edits []edit
	for _, c := range r.clients {
		paths, err := install.Files(c.Name, r.scope, r.repo, r.home)
		if errors.Is(err, install.ErrNoLocal) && len(r.clients) > 1 {
			r.say("  %-7s %v", c.Name, err)
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			e, err := r.planFile(path, c, change)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

func (r *registrar) planFile(path string, c hooks.Client, change func([]byte, hooks.Client) ([]byte, error)) (edit, error) {
	file, err := install.ReadFile(path)
	if err != nil {
		return edit{}, err
	}
	file.Public = r.scope == install.Managed
	after, err := change(file.Text, c)
	var place *jsontext.Error
	switch {
	case errors.As(err, &place) && len(strings.TrimSpace(string(file.Text))) == 0:
		return edit{}, fmt.Errorf("%s:%w: there is nothing in it. Write {} into it, or remove it, and run this again; nothing was changed", path, place)
	case place != nil:
		return edit{}, fmt.Errorf("%s:%w\n    %s\n%s, or a version of it, ignores the whole file for that. Mend it and run this again; nothing was changed", path, place, strings.TrimSpace(place.Text), c.Name)
	case err != nil:
		return edit{}, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	return edit{c, file, after}, nil
}

// attempts is how often a change is planned anew because another program changed
// a file meanwhile: another install, for one.
const attempts = 10

// change plans and makes edits.
func (r *registrar) change(plan func() ([]edit, error)) (edits []edit, err error) {
	for range attempts {
		if edits, err = plan(); err != nil {
			return nil, err
		}
		if err = r.apply(edits); !errors.Is(err, install.ErrChanged) {
			break
		}
	}
	return edits, err
}

// apply makes all edits, or none if one cannot be prepared.
func (r *registrar) apply(edits []edit) error {
	var changes []*install.Change
	discard := func() {
		for _, c := range changes {
			c.Discard()
		}
	}
	defer discard()
	for _, e := range edits {
		c, err := e.file.Prepare(e.after)
		if err != nil {
			return err
		}
		changes = append(changes, c)
		if err := r.backup(e); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if err := c.Make(); err != nil {
			return err
		}
	}
	return nil
}

func ofClient(edits []edit, c hooks.Client) []edit {
	var list []edit
	for _, e := range edits {
		if e.client.Name == c.Name {
			list = append(list, e)
		}
	}
	return list
}

func (r *registrar) say(format string, args ...any) { fmt.Fprintf(r.stdout, format+"\n", args...) }

func (r *registrar) where() string {
	switch r.scope {
	case install.User:
		return "for you, everywhere"
	case install.Managed:
		return "for everybody on this machine"
	}
	return r.repo.Root
}

// everywhere reports a registration that belongs to no repository.
func (r *registrar) everywhere() bool {
	return r.scope == install.User || r.scope == install.Managed
}

// short is a path as seen from the repository, where it is in it.
func (r *registrar) short(path string) string {
	if rel, err := filepath.Rel(r.repo.Root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// lookPath finds a program as a shell with our environment would.
func (c *cli) lookPath(name string) (string, error) {
	for _, dir := range filepath.SplitList(c.env.get("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}
