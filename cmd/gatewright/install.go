package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

func (c *cli) installCommand() *cobra.Command {
	only := false
	command := c.registrarCommand(&cobra.Command{
		Use:   "install [DIR]",
		Short: "register with Claude Code and Codex in the repository around DIR",
		Long: `Registers this program with the clients, gives the repository a policy if it has none,
and shows that a refused call is refused.

--scope project  for everybody: .claude/settings.json (and settings.local.json, which is
                 read when Claude Code starts in a sub-folder) and .codex/hooks.json
--scope local    for you in this repository: .claude/settings.local.json
--scope user     for you everywhere; silent in projects without a policy
--scope managed  for everybody on this machine, by its administrator: a file in
                 managed-settings.d of Claude Code, and Codex's requirements.toml`,
	}, func(r *registrar) error {
		r.only = only
		return r.install()
	})
	command.Flags().BoolVar(&only, "managed-hooks-only", false, "with --scope managed: the clients run no other hooks")
	return command
}

// install changes nothing before every file was read and understood.
func (r *registrar) install() error {
	if r.only && r.scope != install.Managed {
		return errors.New("--managed-hooks-only is an administrator's: it needs --scope managed")
	}
	line, err := r.line()
	if err != nil {
		return err
	}
	keep := r.others()
	edits, err := r.change(func() ([]edit, error) { return r.planInstall(line) })
	if err != nil {
		return err
	}
	defer keep()
	r.say("%s", r.where())
	if edits[0].client.Name == "" {
		r.say("  policy  %s created: the refund workflow. Make it yours, then: gatewright check", r.short(edits[0].file.Path))
		edits = edits[1:]
	}
	for _, c := range r.clients {
		err = errors.Join(err, r.reportInstalled(c, edits))
	}
	err = errors.Join(err, r.syncLists(false))
	r.note()
	return cmp.Or(r.selfCheck(edits), err)
}

func (r *registrar) planInstall(line install.Line) ([]edit, error) {
	starter, err := r.starter()
	if err != nil {
		return nil, err
	}
	edits, err := r.plan(func(text []byte, c hooks.Client) ([]byte, error) {
		if r.scope == install.Managed {
			return install.RegisterManaged(text, c, line, r.only)
		}
		return install.Register(text, c, line)
	})
	if starter != nil {
		edits = append([]edit{{file: starter, after: []byte(install.Starter)}}, edits...)
	}
	return edits, err
}

// note says what else a registration needs.
func (r *registrar) note() {
	switch r.scope {
	case install.User:
		return
	case install.Managed:
		r.noteManaged()
		return
	}
	if !r.repo.Git {
		r.say("This is no git repository: all of this counts only for clients that are started in this very folder.")
	} else if r.scope == install.Project {
		r.say("Commit these files, settings.local.json aside: your team and linked worktrees get them that way.")
		r.say("Each of them installs once, too: until then Claude Code denies every call, and Codex skips us without a word.")
		r.say("A line for AGENTS.md and the README that says so:")
		r.say("  %s", agentsLine)
	}
	if _, err := os.Lstat(filepath.Join(r.repo.Root, ".gitmodules")); err == nil {
		r.say("Clients that are started inside a submodule do not read them: gatewright install --scope user covers that.")
	}
}

// agentsLine is for a person to put into a repository: no file of theirs is changed
// for it.
const agentsLine = "Gatewright guards the tool calls here. Once per developer: `sh install.sh PATH-TO-THIS-REPOSITORY`, from a clone (in install/) or a release of Gatewright. In Codex, hooks that you have not trusted do not run, and nothing says so."

// starter is the policy file that has to be made, or nil. A policy that is there
// has to be good: with a broken one every call would be denied.
func (r *registrar) starter() (*install.File, error) {
	if r.everywhere() {
		return nil, nil
	}
	set, err := policy.Load(r.repo.Root, placesOf(r.env))
	var problems policy.Problems
	switch {
	case err == nil && set.Has(policy.Repo):
		return nil, nil
	case err == nil, errors.Is(err, policy.ErrNone):
		return install.ReadFile(filepath.Join(r.repo.Root, policy.RepoFile))
	case errors.As(err, &problems):
		r.report("", problems)
		return nil, errProblems
	}
	return nil, err
}

// line is what the clients run: files that no team shares name this very program.
func (r *registrar) line() (install.Line, error) {
	if !r.everywhere() {
		return install.Shared(), nil
	}
	program, err := r.program()
	if err == nil && r.scope == install.Managed {
		err = cmp.Or(r.guarded(program), r.guardedFiles())
	}
	if err != nil {
		return install.Line{}, err
	}
	return install.Own(program)
}

// program is the path by which this program was called. A link stays one: what
// it leads to may go with the next version.
func (r *registrar) program() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", err
	}
	called := os.Args[0]
	if !strings.ContainsRune(called, filepath.Separator) {
		called, err = r.lookPath(called)
	} else {
		called, err = filepath.Abs(called)
	}
	if err == nil && install.IsSameFile(called, running) {
		return called, nil
	}
	return running, nil
}

func (r *registrar) reportInstalled(c hooks.Client, edits []edit) error {
	edits = ofClient(edits, c)
	if len(edits) == 0 {
		return nil
	}
	var names []string
	for _, e := range edits {
		names = append(names, r.short(e.file.Path))
	}
	r.say("  %-7s registered for %d events in %s", c.Name, len(c.Events), strings.Join(names, " and "))
	if other := r.elsewhere(c); other != "" {
		r.say("          %s does so too: every call is judged twice there, and counted once", other)
	}
	r.reportIgnored(c, edits)
	switch {
	case r.scope == install.Managed:
		return r.reportManaged(c, edits[0])
	case c.Name != "codex":
		return nil
	}
	return r.trust(edits[0].file.Path)
}

// reportIgnored tells of files that the client does not take although they are in
// order for us. Whether it calls us all the same is for the self-check to say.
func (r *registrar) reportIgnored(c hooks.Client, edits []edit) {
	for _, e := range edits {
		written, err := install.ReadFile(e.file.Path)
		if c.Name != "claude" || err != nil {
			continue
		}
		for _, why := range install.Ignored(written) {
			r.say("          IGNORED by Claude Code until this is mended: %s", r.short(why))
		}
	}
}

// elsewhere is a file of a broader scope that registers us as well.
func (r *registrar) elsewhere(c hooks.Client) string {
	for _, scope := range []install.Scope{install.User, install.Managed} {
		if r.scope == scope || r.scope == install.Managed {
			continue
		}
		paths, err := install.Files(c.Name, scope, r.repo, r.home)
		if err != nil {
			continue
		}
		file, err := install.ReadFile(paths[0])
		if err != nil {
			continue
		}
		if _, any := install.RegisteredAt(file, c, ""); any {
			return paths[0]
		}
	}
	return ""
}

// trust has Codex trust the handlers. Without a codex a person has to; that is
// no error, since the repository may be used without.
func (r *registrar) trust(file string) error {
	program, err := r.lookPath(codexName)
	if err != nil {
		r.say("          NOT ACTIVE YET: there is no codex on PATH that could be told to trust them, and Codex skips what it does not")
		r.say("          trust without a word. Run this again where codex is, or start codex here and choose to trust the hooks.")
		return nil
	}
	if config, err := install.ReadFile(filepath.Join(r.home.Codex, "config.toml")); err != nil {
		return err
	} else if err := r.keep(config); err != nil {
		return err
	}
	trust, err := install.TrustCodex(program, file, r.scope, r.repo, r.home)
	if err != nil { // another install may have changed config.toml meanwhile
		first := trust
		trust, err = install.TrustCodex(program, file, r.scope, r.repo, r.home)
		trust.Project = trust.Project || first.Project
	}
	if trust.Project {
		r.say("          Codex now trusts this repository (it did not, and takes hooks from trusted ones only): %s", filepath.Join(r.home.Codex, "config.toml"))
	}
	if err != nil {
		r.say("          NOT ACTIVE: %v", err)
		r.say("          Until this is mended Codex skips the handlers without a word.")
		return errInactive
	}
	r.say("          Codex trusts %d handlers (verified)", trust.Hooks)
	for _, link := range r.repo.Links {
		r.say("          and when it is started through %s, too", link)
	}
	return nil
}
