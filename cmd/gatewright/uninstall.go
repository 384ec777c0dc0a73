package main

import (
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

func (c *cli) uninstallCommand() *cobra.Command {
	return c.registrarCommand(&cobra.Command{
		Use:   "uninstall [DIR]",
		Short: "undo install: take our entries, and nothing else, out of the clients' files",
	}, (*registrar).uninstall)
}

func (r *registrar) uninstall() error {
	r.undo = true
	if err := r.syncLists(true); err != nil {
		return err
	}
	edits, err := r.planUninstall()
	if err != nil {
		return err
	}
	forget, keep := r.trusted(edits), r.others()
	if edits, err = r.change(r.planUninstall); err != nil {
		return err
	}
	r.say("%s", r.where())
	for _, e := range edits {
		name := e.client.Name
		if name == "" {
			name = "policy"
		}
		r.say("  %-7s %s: %s", name, r.short(e.file.Path), e.outcome())
		if e.client.Name != "" {
			r.dropBackup(e.file, e.after)
		}
	}
	if err := forget(); err != nil {
		r.say("  codex   its config.toml still names our handlers: %v", err)
	}
	keep()
	if config, err := install.ReadFile(filepath.Join(r.home.Codex, "config.toml")); err == nil && config.Text != nil {
		r.dropBackup(config, config.Text)
	}
	return nil
}

func (r *registrar) planUninstall() ([]edit, error) {
	edits, err := r.plan(func(text []byte, c hooks.Client) ([]byte, error) {
		if text == nil {
			return nil, nil
		}
		if r.scope == install.Managed {
			return install.UnregisterManaged(text, c)
		}
		return install.Unregister(text, c)
	})
	if err != nil || r.scope != install.Project {
		return edits, err
	}
	file, err := install.ReadFile(filepath.Join(r.repo.Root, policy.RepoFile))
	if err != nil {
		return nil, err
	}
	after := file.Text
	if install.IsStarter(string(after)) {
		after = nil // nobody has made it theirs
	}
	return append(edits, edit{file: file, after: after}), nil
}

func (e edit) outcome() string {
	switch {
	case e.file.Text == nil:
		return "was not there"
	case e.after == nil:
		return "removed"
	case string(e.after) == string(e.file.Text):
		return "stays as it is"
	}
	return "our entries are out"
}

// trusted asks Codex what it remembers of our handlers, while they are still
// there, and gives the way to make it forget that.
func (r *registrar) trusted(edits []edit) func() error {
	nothing := func() error { return nil }
	program, err := r.lookPath(codexName)
	i := slices.IndexFunc(edits, func(e edit) bool { return e.client.Name == "codex" && e.file.Text != nil })
	if err != nil || i < 0 || r.scope == install.Managed {
		return nothing
	}
	keys, err := install.CodexKeys(program, edits[i].file.Path, r.repo, r.home)
	switch {
	case err != nil:
		return func() error { return err }
	case len(keys) == 0:
		return nothing
	}
	return func() error {
		if r.scope == install.Project {
			r.say("  codex   still trusts this repository: its entry in %s stays", filepath.Join(r.home.Codex, "config.toml"))
		}
		return install.ForgetCodex(program, keys, r.repo, r.home, r.configBefore())
	}
}
