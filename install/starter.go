// Package install holds what a repository gets when Gatewright is set up in it.
package install

import _ "embed"

// Starter is the policy that a repository without one gets.
//
//go:embed starter.toml
var Starter string

//go:embed session-rules.toml
var sessionRules string

// StarterNames are the policies to begin with, the usual one first.
var StarterNames = []string{"refunds", "session-rules"}

// StarterNamed finds one of them; nothing if there is none of that name.
func StarterNamed(name string) string {
	switch name {
	case "refunds":
		return Starter
	case "session-rules":
		return sessionRules
	}
	return ""
}

// IsStarter reports a policy that nobody has changed.
func IsStarter(text string) bool {
	return text == Starter || text == sessionRules
}
