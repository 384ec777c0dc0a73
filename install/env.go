package install

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gatewright/install/jsontext"
)

// Variables that a settings file can set and that would come between the client
// and us: they lead the line elsewhere, make a shell or a program start
// otherwise, or switch the client's hooks off.
var (
	badVariables = []string{
		"HOME", "ENV", "IFS", "SHELLOPTS", "BASHOPTS", "POSIXLY_CORRECT",
		"BASH_ENV", "BASH_COMPAT", "BASH_XTRACEFD", "BASH_LOADABLES_PATH",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
		"CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_SHELL", "CLAUDE_CODE_SHELL_PREFIX",
		"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE",
	}
	badPrefixes = []string{"DYLD_", "BASH_FUNC_", "GATEWRIGHT_"}
)

// badEnv names such variables in a file's env, and those that only look like it.
// PATH is a bad one only where the registered line has to look there.
func (w Watch) badEnv(s source, root *jsontext.Node) (bad, ordinary []string) {
	i := root.Index("env")
	if i < 0 {
		return nil, nil
	}
	for _, m := range root.Members[i].Value.Members {
		switch {
		case isBadVariable(m.Key) || m.Key == "PATH" && !isProgram(w.Home.Program):
			bad = append(bad, fmt.Sprintf("%s sets %s in env, which can keep the client from calling gatewright", s.path, m.Key))
		case m.Key == "PATH" || strings.HasPrefix(m.Key, "XDG_"):
			ordinary = append(ordinary, fmt.Sprintf("%s sets %s in env; gatewright does not depend on it", s.path, m.Key))
		}
	}
	return bad, ordinary
}

func isBadVariable(name string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return slices.Contains(badVariables, name) || slices.ContainsFunc(badPrefixes, begins) || begins("CLAUDE_") && strings.Contains(name, "HOOK")
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}
