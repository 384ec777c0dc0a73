package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"gatewright/install"
)

func (c *cli) initCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "init [DIR]",
		Short: "give the repository around DIR a policy to begin with",
		Long: `Writes .gatewright/policy.toml, and nothing else: gatewright install registers with the clients.

--starter refunds        no refund before this customer is verified, none over a limit
--starter session-rules  no tool call before the rules of the project were read`,
		Args: cobra.MaximumNArgs(1),
	}
	starter := command.Flags().String("starter", install.StarterNames[0], strings.Join(install.StarterNames, " or "))
	command.RunE = func(_ *cobra.Command, args []string) error {
		r, err := c.registrar("all", string(install.Project), append(args, ".")[0])
		if err != nil {
			return err
		}
		return r.init(*starter)
	}
	return command
}

var errHasPolicy = errors.New("there is a policy already; nothing was changed")

// init writes a starter where there is no policy yet.
func (r *registrar) init(starter string) error {
	text := install.StarterNamed(starter)
	if text == "" {
		return fmt.Errorf("there is no starter %q; say %s", starter, strings.Join(install.StarterNames, " or "))
	}
	edits, err := r.change(func() ([]edit, error) {
		file, err := r.starter()
		if err == nil && file == nil {
			err = errHasPolicy
		}
		return []edit{{file: file, after: []byte(text)}}, err
	})
	if err != nil {
		return err
	}
	r.say("%s created (%s). Put the names of your own tools in, then: gatewright check, gatewright install", r.short(edits[0].file.Path), starter)
	return nil
}
