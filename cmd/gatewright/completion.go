package main

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/install"
)

const completionAbout = `Prints a script that completes commands, flags, and what can stand behind them.

In a running shell:
  bash   source <(gatewright completion bash)
  zsh    source <(gatewright completion zsh)      (after compinit)
  fish   gatewright completion fish | source

For good, put that line into the shell's profile, or the script where the shell looks for it:
  bash   ~/.local/share/bash-completion/completions/gatewright (with the bash-completion package)
  zsh    _gatewright in a folder of $fpath
  fish   ~/.config/fish/completions/gatewright.fish`

func (c *cli) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "print the script that completes commands and flags in a shell",
		Long:      completionAbout,
		ValidArgs: []string{"bash", "zsh", "fish"},
		Args:      cobra.ExactArgs(1),
		RunE:      func(command *cobra.Command, args []string) error { return c.completion(command.Root(), args[0]) },
	}
}

// bashAlone makes bash's script work without the bash-completion package, which macOS
// and small systems lack.
//
//go:embed completion.bash
var bashAlone string

func (c *cli) completion(root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		err := root.GenBashCompletionV2(c.stdout, true)
		_, ours := fmt.Fprint(c.stdout, bashAlone)
		return errors.Join(err, ours)
	case "zsh":
		return root.GenZshCompletion(c.stdout)
	case "fish":
		return root.GenFishCompletion(c.stdout, true)
	}
	return fmt.Errorf("there is no script for %q; say bash, zsh or fish", shell)
}

// complete says what the shells offer: names that we know, folders where a folder
// is asked for, files only for the commands that read some.
func (c *cli) complete(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	for _, command := range root.Commands() {
		switch command.Name() {
		case "hook", "explain":
			command.ValidArgs = clientNames()
		case "init", "install", "uninstall", "sync", "doctor":
			command.ValidArgsFunction = folder
		case "check", "replay":
			command.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
		case "intent":
			for _, sub := range command.Commands() {
				sub.ValidArgsFunction = c.intentIDs
			}
		}
		completeFlags(command)
	}
}

// completeFlags offers the values of the flags that take a name.
func completeFlags(command *cobra.Command) {
	clients := clientNames()
	if command.Name() != "replay" {
		clients = append(clients, "all")
	}
	for flag, values := range map[string][]string{
		"client":  clients,
		"scope":   {string(install.Project), string(install.Local), string(install.User), string(install.Managed)},
		"starter": install.StarterNames,
		"now":     nil, // a time
	} {
		if command.Flags().Lookup(flag) != nil {
			// Its only errors are a flag that is not there, or is there twice.
			_ = command.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

func clientNames() []string {
	var names []string
	for _, client := range hooks.Clients() {
		names = append(names, client.Name)
	}
	return names
}

// folder completes the one folder that a command takes.
func folder(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// intentIDs completes the intents that a person can open here. Reservations are not
// completed: who lists them has to ask for that.
func (c *cli) intentIDs(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, _, err := c.intents()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	for _, intent := range list {
		if intent.ByGrant {
			ids = append(ids, intent.ID)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
