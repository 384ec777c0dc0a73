package main

import "github.com/spf13/cobra"

func (c *cli) demoCommand() *cobra.Command { return &cobra.Command{Use: "demo"} }
