package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gatewright/policy"
)

// roots are where layers lie that nobody may move. Only tests change them.
var roots = struct{ managed, passwd string }{"/etc/gatewright", "/etc/passwd"}

// placesOf finds the layers that belong to no repository. The user's is looked for
// by the environment and by the passwd file: a settings file can set the former.
func placesOf(env environment) policy.Places {
	config := env.get("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(env.get("HOME"), ".config")
	}
	users := []string{filepath.Join(config, "gatewright")}
	if home := passwdField(homeField); home != "" {
		users = append(users, filepath.Join(home, ".config", "gatewright"))
	}
	return policy.Places{Managed: roots.managed, Users: users}
}

// Fields of a line of the passwd file.
const (
	homeField  = 5
	shellField = 6
)

// passwdField is one field of this user's line; empty if there is none.
func passwdField(field int) string {
	text, err := os.ReadFile(roots.passwd)
	if err != nil {
		return ""
	}
	uid := strconv.Itoa(os.Getuid())
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 7 && fields[2] == uid {
			return fields[field]
		}
	}
	return ""
}
