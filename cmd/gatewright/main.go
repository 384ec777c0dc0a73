// Command gatewright is a hook for coding agents: it judges every tool call
// against the team's policy and what the session has proved.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}
