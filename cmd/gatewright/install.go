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

// registrar installs into clients, or out of them.
type registrar struct {
	*cli
	clients []hooks.Client
	scope   install.Scope
	repo    install.Repository
	home    install.Home
}

// edit is one settings file before and after.
type edit struct {
	client hooks.Client
	file   *install.File
	after  []byte // nil: the file goes
}

func (c *cli) installCommand() *cobra.Command {
	return c.registrarCommand(&cobra.Command{
		Use:   "install [DIR]",
		Short: "register with Claude Code and Codex in the repository around DIR",
		Long: `Registers this program with the clients, gives the repository a policy if it has none,
and shows that a refused call is refused.

--scope project  for everybody: .claude/settings.json (and settings.local.json, which is
                 read when Claude Code starts in a sub-folder) and .codex/hooks.json
--scope local    for you in this repository: .claude/settings.local.json
--scope user     for you everywhere; silent in projects without a policy`,
	}, (*registrar).install)
}

func (c *cli) uninstallCommand() *cobra.Command {
	return c.registrarCommand(&cobra.Command{
		Use:   "uninstall [DIR]",
		Short: "undo install: take our entries, and nothing else, out of the clients' files",
	}, (*registrar).uninstall)
}

func (c *cli) registrarCommand(command *cobra.Command, run func(*registrar) error) *cobra.Command {
	client := command.Flags().String("client", "all", "claude, codex or all")
	scope := command.Flags().String("scope", "project", "project, local or user")
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
	r := &registrar{cli: c, clients: hooks.Clients(), scope: install.Scope(scope), home: install.FindHome(c.env.get)}
	if client != "all" {
		one, ok := hooks.ClientNamed(client)
		if !ok {
			return nil, fmt.Errorf("there is no client %q; say claude, codex or all", client)
		}
		r.clients = []hooks.Client{one}
	}
	if !slices.Contains([]install.Scope{install.Project, install.Local, install.User}, r.scope) {
		return nil, fmt.Errorf("there is no scope %q; say project, local or user", scope)
	}
	var err error
	r.repo, err = install.FindRepository(dir)
	return r, err
}

// install changes nothing before every file was read and understood.
func (r *registrar) install() error {
	starter, err := r.starter()
	if err != nil {
		return err
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	edits, err := r.plan(func(text []byte, c hooks.Client) ([]byte, error) { return install.Register(text, c, line) })
	if err != nil {
		return err
	}
	r.say("%s", r.where())
	if starter != nil {
		if err := starter.Replace([]byte(install.Starter)); err != nil {
			return err
		}
		r.say("  policy  %s created: the refund workflow. Make it yours, then: gatewright check", r.short(starter.Path))
	}
	if err := r.apply(edits); err != nil {
		return err
	}
	for _, c := range r.clients {
		r.reportInstalled(c, edits)
	}
	if r.scope == install.Project {
		r.say("Commit these files, settings.local.json aside: your team and linked worktrees get them that way.")
	}
	return r.selfCheck(edits)
}

// starter is the policy file that has to be made, or nil. A policy that is there
// has to be good: with a broken one every call would be denied.
func (r *registrar) starter() (*install.File, error) {
	if r.scope == install.User {
		return nil, nil
	}
	_, err := policy.Load(r.repo.Root)
	if err == nil {
		return nil, nil
	}
	var problems policy.Problems
	switch {
	case errors.Is(err, policy.ErrNone):
		return install.ReadFile(filepath.Join(r.repo.Root, policy.RepoFile))
	case errors.As(err, &problems):
		r.report("", problems)
		return nil, errProblems
	}
	return nil, err
}

// line is what the clients run: files of one user alone name this very program.
func (r *registrar) line() (install.Line, error) {
	if r.scope != install.User {
		return install.Shared(), nil
	}
	program, err := os.Executable()
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	if err != nil {
		return install.Line{}, err
	}
	return install.Own(program)
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
			e, err := planFile(path, c, change)
			if err != nil {
				return nil, err
			}
			edits = append(edits, e)
		}
	}
	return edits, nil
}

func planFile(path string, c hooks.Client, change func([]byte, hooks.Client) ([]byte, error)) (edit, error) {
	file, err := install.ReadFile(path)
	if err != nil {
		return edit{}, err
	}
	after, err := change(file.Text, c)
	var place *jsontext.Error
	if errors.As(err, &place) {
		return edit{}, fmt.Errorf("%s:%w\n    %s\n%s would ignore this whole file. Mend it and run this again; nothing was changed", path, place, strings.TrimSpace(place.Text), c.Name)
	}
	return edit{c, file, after}, err
}

func (r *registrar) apply(edits []edit) error {
	for _, e := range edits {
		if err := e.file.Replace(e.after); err != nil {
			return err
		}
	}
	return nil
}

func (r *registrar) reportInstalled(c hooks.Client, edits []edit) {
	edits = ofClient(edits, c)
	if len(edits) == 0 {
		return
	}
	var names []string
	for _, e := range edits {
		names = append(names, r.short(e.file.Path))
	}
	r.say("  %-7s registered for %d events in %s", c.Name, len(c.Events), strings.Join(names, " and "))
	if c.Name == "codex" {
		r.trust(edits[0].file.Path)
	}
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

// trust has Codex trust the handlers. Without a codex a person has to.
func (r *registrar) trust(file string) {
	program, err := r.lookPath("codex")
	if err != nil {
		r.say("          NOT ACTIVE YET: there is no codex on PATH that could be told to trust them, and Codex skips what it does not")
		r.say("          trust without a word. Run this again where codex is, or start codex here and choose to trust the hooks.")
		return
	}
	trust, err := install.TrustCodex(program, file, r.scope, r.repo, r.home)
	if trust.Project {
		r.say("          Codex now trusts this repository (it did not, and takes hooks from trusted ones only): %s", filepath.Join(r.home.Codex, "config.toml"))
	}
	if err != nil {
		r.say("          NOT ACTIVE YET: %v", err)
		r.say("          Start codex here and choose to trust the hooks; until then it skips them without a word.")
		return
	}
	r.say("          Codex trusts %d handlers (verified)", trust.Hooks)
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

func (r *registrar) say(format string, args ...any) { fmt.Fprintf(r.stdout, format+"\n", args...) }

func (r *registrar) where() string {
	if r.scope == install.User {
		return "for you, everywhere"
	}
	return r.repo.Root
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
