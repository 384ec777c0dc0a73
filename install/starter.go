// Package install holds what a repository gets when Gatewright is set up in it.
package install

import _ "embed"

// Starter is the policy that a repository without one gets.
//
//go:embed starter.toml
var Starter string
