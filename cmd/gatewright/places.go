package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gatewright/install"
	"gatewright/policy"
)

// roots are where layers lie that nobody may move. Only tests change them.
var roots = struct {
	managed, passwd string
	clients         string // the administrator's folder of Claude Code; empty: where it is
	codex           string // and of Codex
	owner           int    // who the administrator is
	top             string // the folder above which who can write does not count
}{managed: "/etc/gatewright", passwd: "/etc/passwd"}

// homeOf finds the clients' settings that belong to no repository.
func homeOf(env environment) install.Home {
	home := install.FindHome(env.get)
	home.Managed = cmp.Or(roots.clients, home.Managed)
	home.ManagedCodex = cmp.Or(roots.codex, home.ManagedCodex)
	return home
}

// placesOf finds the layers that belong to no repository. The user's is looked for
// by the environment and by the passwd file: a settings file can set the former.
func placesOf(env environment) policy.Places {
	var users []string
	if config := env.get("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		users = append(users, filepath.Join(config, "gatewright"))
	} else if home := env.get("HOME"); install.IsFolder(home) {
		users = append(users, filepath.Join(home, ".config", "gatewright"))
	}
	if home := passwdField(homeField); install.IsFolder(home) {
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
