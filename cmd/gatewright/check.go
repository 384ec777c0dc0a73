package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gatewright/policy"
)

func (c *cli) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILES]",
		Short: "check policy files, or the policy that applies here",
		RunE:  func(_ *cobra.Command, files []string) error { return c.check(files) },
	}
}

var errProblems = errors.New("the policy has problems")

// check reports every problem of every file, and fails if there is one.
func (c *cli) check(files []string) error {
	layers, err := c.layersToCheck(files)
	if err != nil {
		return err
	}
	failed := false
	for _, read := range layers {
		layer, err := read()
		var problems policy.Problems
		switch {
		case errors.As(err, &problems):
		case err != nil:
			return err
		default:
			problems = problemsOf(layer)
			c.report("warning: ", layer.Warnings)
		}
		c.report("", problems)
		if failed = failed || len(problems) > 0; len(problems) == 0 {
			c.summary(layer)
		}
	}
	if failed {
		return errProblems
	}
	return nil
}

// problemsOf is what is wrong with a layer that could be read.
func problemsOf(l *policy.Layer) policy.Problems { return append(l.Expressions(), l.Lint...) }

// layersToCheck gives the named files, or the layers that a call in the current
// directory would meet.
func (c *cli) layersToCheck(files []string) ([]func() (*policy.Layer, error), error) {
	var out []func() (*policy.Layer, error)
	for _, path := range files {
		out = append(out, func() (*policy.Layer, error) { return policy.ReadLayer(c.layerOf(path), path) })
	}
	if len(files) > 0 {
		return out, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	set, err := policy.Load(dir, placesOf(c.env))
	if errors.Is(err, policy.ErrNone) {
		return nil, fmt.Errorf("no %s from %s up to the repository's root", policy.RepoFile, dir)
	}
	if err != nil {
		return append(out, func() (*policy.Layer, error) { return nil, err }), nil
	}
	for _, layer := range set.Layers {
		out = append(out, func() (*policy.Layer, error) { return layer, nil })
	}
	return out, nil
}

// layerOf is the layer that a file is by its place.
func (c *cli) layerOf(path string) string {
	path, err := filepath.Abs(path)
	places := placesOf(c.env)
	switch dir := filepath.Dir(path); {
	case err != nil:
		return policy.Repo
	case dir == places.Managed:
		return policy.Managed
	case slices.Contains(places.Users, dir):
		return policy.User
	case filepath.Base(path) == filepath.Base(policy.LocalFile):
		return policy.Local
	}
	return policy.Repo
}

func (c *cli) report(prefix string, problems policy.Problems) {
	for _, p := range problems {
		fmt.Fprintln(c.stderr, prefix+p.Report())
	}
}

func (c *cli) summary(l *policy.Layer) {
	otherwise := "allowed"
	if l.DefaultDeny {
		otherwise = "denied"
	}
	more := ""
	for _, of := range []struct {
		name  string
		count int
	}{
		{"error", len(l.Failures)}, {"normalize", len(l.Normalizes)}, {"retry", len(l.Retries)},
		{"claims", len(l.Claims)}, {"intent", len(l.Intents)}, {"untrusted", len(l.Untrusted)},
	} {
		if of.count > 0 {
			more += fmt.Sprintf(", %d %s", of.count, of.name)
		}
	}
	fmt.Fprintf(c.stdout, "%s: ok (%d rules, %d gates, %d requirements, %d limits, %d facts, %d lookups, %d tool entries%s; what no rule names is %s)\n",
		l.File, len(l.Rules), len(l.Gates), len(l.Requires), len(l.Limits), len(l.Facts), len(l.Lookups), len(l.Tools), more, otherwise)
}
