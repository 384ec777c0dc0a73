package main

import (
	"io"
	"strings"
)

// environment is the process's environment as a value.
type environment []string

// get returns the last value of a variable, or nothing.
func (e environment) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// run is the whole program; it returns the exit code. `hook` is told apart
// before any command-line library is set up, because it runs at every call.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
	if len(args) > 0 && args[0] == "hook" {
		return runHook(args[1:], stdin, stdout, stderr, env)
	}
	return runCommand(args, stdin, stdout, stderr, env)
}
