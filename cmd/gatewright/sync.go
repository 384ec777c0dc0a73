package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gatewright/install"
	"gatewright/policy"
)

const syncAbout = `sync writes what the policy hides, or denies whatever the call, into the clients' own lists of tools that
they do not show to the model: permissions.deny of Claude Code's settings, disabled_tools of Codex's config.toml. It
takes out again what it once put in and the policy no longer says; what others put in stays. Every layer goes into
the settings of its own scope. Rules with when or arg, and everything a list cannot say, are judged at the call alone.`

func (c *cli) syncCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "sync [DIR]",
		Short: "take the tools that the policy hides off the clients' lists",
		Long:  syncAbout,
		Args:  cobra.MaximumNArgs(1),
	}
	client := command.Flags().String("client", "all", "claude, codex or all")
	command.RunE = func(_ *cobra.Command, args []string) error {
		r, err := c.registrar(*client, string(install.Project), append(args, ".")[0])
		if err != nil {
			return err
		}
		s := &syncer{registrar: r, dir: r.dir}
		r.say("%s", r.dir)
		return s.sync(s.everywhere)
	}
	return command
}

// syncLists makes the lists of the registered scope what the policy says, or takes
// everything of ours off them.
func (r *registrar) syncLists(clear bool) error {
	s := &syncer{registrar: r, dir: r.repo.Root, clear: clear}
	switch r.scope {
	case install.User:
		return s.sync(s.ofUser)
	case install.Local:
		return s.sync(s.ofPerson)
	case install.Managed:
		return s.sync(s.ofManaged)
	}
	return s.sync(s.ofProject)
}

// syncer makes the clients' lists what the policy says.
type syncer struct {
	*registrar
	dir   string
	clear bool // everything of ours goes
	told  []string
}

// scope is some lists with the layers that decide what is on them.
type scope struct {
	install.Lists
	layers []*policy.Layer
}

// sync plans and makes the change for the lists that scopes gives.
func (s *syncer) sync(scopes func(*policy.Set) []scope) error {
	set, err := s.load()
	if err != nil {
		return err
	}
	if _, err = s.change(func() ([]edit, error) {
		l, err := s.plan(scopes(set))
		return l.before(), err
	}); err != nil {
		return err
	}
	edits, err := s.change(func() ([]edit, error) {
		s.told = nil
		l, err := s.plan(scopes(set))
		return l.edits(), err
	})
	if err != nil {
		return err
	}
	for _, e := range edits {
		if e.client.Name != "" {
			s.say("  %-7s %s: %s", e.client.Name, s.short(e.file.Path), e.listed())
		}
	}
	for _, text := range s.told {
		s.say("  %s", text)
	}
	if len(edits) == 0 && set.Empty() && !s.clear {
		s.say("  no policy applies here: gatewright install makes one")
	}
	return nil
}

// load reads the policy; none takes everything of ours off the lists.
func (s *syncer) load() (*policy.Set, error) {
	if s.clear {
		return &policy.Set{}, nil
	}
	set, err := policy.Load(s.dir, placesOf(s.env))
	var problems policy.Problems
	switch {
	case errors.Is(err, policy.ErrNone):
		return &policy.Set{}, nil
	case errors.As(err, &problems):
		s.report("", problems)
		return nil, errProblems
	}
	return set, err
}

// everywhere is every list whose layer can apply in the folder.
func (s *syncer) everywhere(set *policy.Set) []scope {
	return slices.Concat(s.ofManaged(set), s.ofUser(set), s.ofProject(set))
}

// ofProject: a layer's lists are in its own folder, of which those outside of this
// repository are not ours to touch. A home that is a repository has the user's own.
func (s *syncer) ofProject(set *policy.Set) []scope {
	var scopes []scope
	for _, dir := range s.folders() {
		for _, l := range install.SharedLists(dir) {
			if !s.isUsers(l.File) {
				scopes = append(scopes, scope{l, layersIn(set, policy.Repo, dir)})
			}
		}
	}
	return append(scopes, s.ofPerson(set)...)
}

// ofPerson are the lists of one person in the repository. A client that starts
// below the root reads the root's local settings only, so those say what the root's
// policy says, too.
func (s *syncer) ofPerson(set *policy.Set) []scope {
	var scopes []scope
	for _, dir := range s.folders() {
		layers := layersIn(set, policy.Local, dir)
		s.tellLocal(dir, layers)
		if dir == s.repo.Root {
			layers = append(layers, layersIn(set, policy.Repo, dir)...)
		}
		for _, l := range install.OwnLists(dir, s.record()) {
			scopes = append(scopes, scope{l, layers})
		}
	}
	return scopes
}

// folders are those of this repository in which a policy counts. To clear them,
// those below with a record are ours, too.
func (s *syncer) folders() []string {
	all := policy.Searched(s.dir)
	inside := all[max(slices.Index(all, s.repo.Root), 0):]
	if !s.clear {
		return inside
	}
	for _, dir := range install.Synchronised(s.repo.Root) {
		if !slices.Contains(inside, dir) {
			inside = append(inside, dir)
		}
	}
	return inside
}

func (s *syncer) isUsers(file string) bool {
	return slices.ContainsFunc(install.UserLists(s.home, ""), func(l install.Lists) bool { return l.File == file })
}

func (s *syncer) ofUser(set *policy.Set) []scope {
	return scopesOf(set, policy.User, install.UserLists(s.home, s.record()))
}

// record is where this machine keeps what of the lists of no repository is ours;
// empty if it has no place for that.
func (s *syncer) record() string {
	dir, err := stateDir(s.env)
	if err != nil {
		return ""
	}
	return filepath.Join(dir, install.SyncedName)
}

// ofManaged: an administrator's lists are for the administrator to write.
func (s *syncer) ofManaged(set *policy.Set) []scope {
	if os.Geteuid() != roots.owner {
		return nil
	}
	return scopesOf(set, policy.Managed, install.ManagedLists(s.home, filepath.Join(roots.managed, install.SyncedName)))
}

func scopesOf(set *policy.Set, layer string, lists []install.Lists) []scope {
	var layers []*policy.Layer
	for _, l := range set.Layers {
		if l.Name == layer {
			layers = append(layers, l)
		}
	}
	var scopes []scope
	for _, l := range lists {
		scopes = append(scopes, scope{l, layers})
	}
	return scopes
}

// layersIn are the layers of a name that are the policy of the folder.
func layersIn(set *policy.Set, name, dir string) []*policy.Layer {
	var layers []*policy.Layer
	for _, l := range set.Layers {
		if l.Name == name && l.IsIn(dir) {
			layers = append(layers, l)
		}
	}
	return layers
}

// tellLocal: Codex has no settings for one person in one repository.
func (s *syncer) tellLocal(dir string, layers []*policy.Layer) {
	for _, l := range layers {
		for _, r := range takingOff(l) {
			if install.IsFolder(filepath.Join(dir, ".codex")) {
				s.tell("codex   rule %s of %s: denied at the call alone (it has no settings for one person in one repository)", r.ID, s.short(l.File))
			}
		}
	}
}

func (s *syncer) tell(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(s.told, text) {
		s.told = append(s.told, text)
	}
}
