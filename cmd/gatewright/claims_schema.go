package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gatewright/gate/claim"
)

func (c *cli) claimsCommand() *cobra.Command {
	command := &cobra.Command{Use: "claims", Short: "help for authors of tools whose calls carry a claim", Args: cobra.NoArgs}
	command.AddCommand(&cobra.Command{
		Use:   "schema",
		Short: "print the JSON schema of the argument that the policy here asks for",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.claimsSchema() },
	})
	return command
}

func (c *cli) claimsSchema() error {
	set, err := c.policyHere()
	if err != nil {
		return err
	}
	form, _ := set.Claims()
	if form == nil {
		return errors.New("the policy that applies here has no [claims]")
	}
	text, err := json.MarshalIndent(claim.Schema(form), "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(c.stdout, "%s\n", text)
	}
	return err
}
