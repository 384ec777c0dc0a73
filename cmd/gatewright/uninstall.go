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
	edits, err := r.plan(func(text []byte, c hooks.Client) ([]byte, error) {
		if text == nil {
			return nil, nil
		}
		return install.Unregister(text, c)
	})
	if err != nil {
		return err
	}
	forget := r.trusted(edits)
	r.say("%s", r.where())
	if err := r.apply(edits); err != nil {
		return err
	}
	for _, e := range edits {
		r.say("  %-7s %s: %s", e.client.Name, r.short(e.file.Path), e.outcome())
	}
	if err := forget(); err != nil {
		r.say("  codex   its config.toml still names our handlers: %v", err)
	}
	return r.removeStarter()
}

func (e edit) outcome() string {
	switch {
	case e.file.Text == nil:
		return "was not there"
	case e.after == nil:
		return "removed"
	case string(e.after) == string(e.file.Text):
		return "had nothing of ours"
	}
	return "as it was before"
}

// trusted asks Codex what it remembers of our handlers, while they are still
// there, and gives the way to make it forget that.
func (r *registrar) trusted(edits []edit) func() error {
	nothing := func() error { return nil }
	program, err := r.lookPath("codex")
	i := slices.IndexFunc(edits, func(e edit) bool { return e.client.Name == "codex" && e.file.Text != nil })
	if err != nil || i < 0 {
		return nothing
	}
	keys, err := install.CodexKeys(program, edits[i].file.Path, r.repo)
	switch {
	case err != nil:
		return func() error { return err }
	case len(keys) == 0:
		return nothing
	}
	return func() error { return install.ForgetCodex(program, keys, r.repo, r.home) }
}

// removeStarter takes a policy that nobody changed away again.
func (r *registrar) removeStarter() error {
	if r.scope != install.Project {
		return nil
	}
	file, err := install.ReadFile(filepath.Join(r.repo.Root, policy.RepoFile))
	if err != nil || file.Text == nil {
		return err
	}
	if string(file.Text) != install.Starter {
		r.say("  policy  %s stays: it is yours", r.short(file.Path))
		return nil
	}
	r.say("  policy  %s: removed", r.short(file.Path))
	return file.Replace(nil)
}
