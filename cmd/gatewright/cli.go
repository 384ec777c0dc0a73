package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// cli is what every command but hook works with.
type cli struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            environment
}

const about = `Gatewright judges every tool call of a coding agent against the team's policy and
what the session has proved, and denies what the policy does not allow.`

// runCommand runs every command but hook; it returns the exit code.
func runCommand(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	c := &cli{stdin, stdout, stderr, env}
	root := c.commands()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.Execute(); err != nil {
		fmt.Fprintln(stderr, "gatewright:", err)
		return 1
	}
	return 0
}

// commands is the whole tree of them.
func (c *cli) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "gatewright",
		Short:         "gates for the tool calls of coding agents",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true // ours needs no bash-completion
	root.AddCommand(c.hookCommand(), c.initCommand(), c.installCommand(), c.uninstallCommand(), c.checkCommand(), c.explainCommand(),
		c.syncCommand(), c.doctorCommand(), c.replayCommand(), c.intentCommand(), c.claimsCommand(), c.releaseCommand(), c.gcCommand(), c.demoCommand(), c.versionCommand(), c.completionCommand())
	c.complete(root)
	return root
}

// hookCommand is here for the help text only; run dispatches hook itself.
func (c *cli) hookCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "hook claude|codex",
		Short: "answer one hook event (clients call this)",
		Long:  hookUsage,
		Run:   func(*cobra.Command, []string) {},
	}
	command.Flags().Bool("guarded", false, "answer silence with a dash, as the registered line expects")
	command.Flags().Bool("require-policy", false, "deny where there is no policy")
	return command
}
