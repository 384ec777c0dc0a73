package gate

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"gatewright/gate/shell"
	"gatewright/hooks"
)

const guardedFiles = `
[[rule]]
id = "secrets"
effect = "deny"
match = { tool = ["@write"], path = ["/repo/secrets/**", "/etc/**", "*.pem", "~/.ssh/**"] }
`

// disk is a file system for tests: names of files, and links.
var disk = struct {
	files []string
	links map[string]string
}{
	[]string{"/repo/secrets/key", "/repo/src/a.go", "/repo/src/tls/a.pem", "/repo/build/out", "/repo/new/x", "/repo/README.md"},
	map[string]string{"/repo/link": "/repo/secrets", "/repo/alias.txt": "/repo/secrets/key"},
}

// onDisk is a context that looks at that file system.
func onDisk() Context {
	return Context{
		Home: "/home/me",
		Physical: func(p string) string {
			for link, to := range disk.links {
				if p == link || strings.HasPrefix(p, link+"/") {
					return to + strings.TrimPrefix(p, link)
				}
			}
			return p
		},
		IsFolder: func(folder string) bool { files, _ := filesIn(folder); return len(files) > 0 },
		Below:    filesIn,
		Commands: func(line string) ([]shell.Command, error) {
			return shell.List(line, func(name string) (string, bool) { return "/home/me", name == "HOME" })
		},
	}
}

func filesIn(folder string) (list []string, all bool) {
	all = true
	for _, file := range slices.Concat(disk.files, slices.Sorted(maps.Keys(disk.links))) {
		below, ok := strings.CutPrefix(file, path.Clean(folder)+"/")
		for ; ok && below != "."; below = path.Dir(below) {
			if !slices.Contains(list, below) {
				list = append(list, below)
			}
		}
	}
	return list, all
}

// byLine judges a command line that runs in /repo.
func byLine(t *testing.T, policy, client, line string) Decision {
	t.Helper()
	ev := shellCall("Bash", line)
	ev.CWD, ev.Client, ev.CanAsk = "/repo", client, client == "claude"
	return Decide(mustParse(t, policy), onDisk(), Facts{}, ev).Decision
}

// TestFileEffects: what a line writes is judged as if a tool had written it.
func TestFileEffects(t *testing.T) {
	for name, want := range map[string]Decision{"files-deny.txt": Deny, "files-ask.txt": Ask, "files-pass.txt": Pass} {
		for _, line := range readLines(t, name, 40) {
			if got := byLine(t, guardedFiles, "claude", line); got != want {
				t.Errorf("%s, not %s: %s", got, want, line)
			}
		}
	}
}

// TestFilesOfCodex: it does not tell where a line runs, so a relative path is unknown
// unless the line goes to a folder first.
func TestFilesOfCodex(t *testing.T) {
	for line, want := range map[string]Decision{
		"echo > out.txt":                          Deny, // asks; nobody can be asked
		"echo > /repo/out.txt":                    Pass,
		"cd /repo && echo > out.txt":              Pass,
		"cd /repo && cd src && echo > out.txt":    Pass,
		"cd /repo/secrets && echo > out.txt":      Deny,
		"cd src && echo > out.txt":                Deny,
		"cd /repo && cd .. && echo > etc/out.txt": Deny,
		"echo > $PWD/out.txt":                     Deny,
		"ls secrets > /dev/null":                  Pass,
		"rm -rf build":                            Deny,
	} {
		if got := byLine(t, guardedFiles, "codex", line); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	if got := byLine(t, "[[rule]]\nid = \"r\"\neffect = \"deny\"\nmatch = { path = [\"*.pem\"] }\n", "codex", "echo > out.txt"); got != Pass {
		t.Errorf("a name is known wherever it is: %s", got)
	}
}

// TestFilesOfTools: the clients' own tools, and what is no file that can be read.
func TestFilesOfTools(t *testing.T) {
	for _, c := range []struct {
		tool, args string
		want       Decision
	}{
		{"Write", `{"file_path":"/repo/secrets/x"}`, Deny},
		{"Edit", `{"file_path":"/repo/src/../secrets/x"}`, Deny},
		{"Write", `{"file_path":"secrets/x"}`, Deny},
		{"Write", `{"file_path":"/repo/link/x"}`, Deny},
		{"Write", `{"file_path":"/repo/src/x"}`, Pass},
		{"Write", `{"file_path":5}`, Ask},
		{"Write", `{}`, Ask},
		{"NotebookEdit", `{"notebook_path":"/etc/x.ipynb"}`, Deny},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Add File: src/x\n*** Move to: secrets/x\n"}`, Deny},
		{"apply_patch", `{"command":"*** Begin Patch\n*** Add File: src/x\n"}`, Pass},
		{"apply_patch", `{"command":"nothing"}`, Ask},
		{"Read", `{"file_path":"/repo/secrets/x"}`, Pass},
		{"mcp__fs__write", `{"file_path":"/repo/secrets/x"}`, Pass},
	} {
		ev := pre(c.tool, c.args)
		ev.CWD = "/repo"
		if got := Decide(mustParse(t, guardedFiles), onDisk(), Facts{}, ev).Decision; got != c.want {
			t.Errorf("%s %s: %s", c.tool, c.args, got)
		}
	}
}

// TestOnlyBelow: writing only below a folder, as an exception to all paths.
func TestOnlyBelow(t *testing.T) {
	policy := "[[rule]]\nid = \"here\"\neffect = \"deny\"\nmatch = { path = [\"/**\"] }\nexcept = { path = [\"/repo/**\", \"/tmp/**\"] }\n" +
		"[[rule]]\nid = \"docs\"\neffect = \"deny\"\nmatch = { path = [\"/repo/secrets/**\"] }\nexcept = { path = [\"/repo/secrets/test/**\"] }\n"
	for line, want := range map[string]Decision{
		"echo > out.txt":                     Pass,
		"echo > /repo/a; echo > /tmp/b":      Pass,
		"echo > /repo/a; echo > /home/b":     Deny,
		"echo > ../x":                        Deny,
		"rm -rf build /var/x":                Deny,
		"rm -rf build":                       Pass,
		"ls > /dev/null 2>&1":                Pass,
		"d=$(mktemp -d); echo > $d/x":        Pass,
		"rm $X":                              Ask,
		"tar xf x.tar":                       Ask,
		"tar xf x.tar -C /tmp/y":             Pass,
		"rm secrets/test/a out.txt":          Pass,
		"rm secrets/test/a secrets/b":        Deny,
		"ls":                                 Pass,
		"echo > \"logs/$(date +%F)\"":        Pass,
		"echo > \"/$(date +%F)\"":            Ask,
		"rm -rf src/*":                       Pass,
		"git clean -fd":                      Deny, // secrets
		"cat <<'X' > build/x\n> /etc/x\nX\n": Pass,
	} {
		if got := byLine(t, policy, "claude", line); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// TestAdmittedPaths: what admits a file admits no line for what else that runs.
func TestAdmittedPaths(t *testing.T) {
	policy := "default = \"deny\"\n[[rule]]\nid = \"tools\"\neffect = \"allow\"\nmatch = { tool = [\"@write\"], path = [\"/repo/src/**\"] }\n" +
		"[[rule]]\nid = \"lines\"\neffect = \"allow\"\nmatch = { tool = [\"Bash\"], path = [\"/repo/src/**\"] }\n" +
		"[[rule]]\nid = \"copies\"\neffect = \"allow\"\nmatch = { tool = [\"Bash\"], command = [\"cp *\", \"rm *\", \"sed *\", \"perl *\", \"awk *\", \"tar *\", \"sort *\", \"git *\", \"mytool *\"], path = [\"/repo/build/**\"] }\n"
	for line, want := range map[string]Decision{
		"echo > src/x":                     Deny,
		"cp README.md build":               Pass,
		"cp README.md build/x > build/log": Deny,
		"cp README.md src":                 Deny,
		"cp README.md build; curl x | sh":  Deny,
		"rm $X":                            Deny,
		"rm build/$X":                      Deny,
		"rm -rf build":                     Pass,
		"rm -rf build/..":                  Deny,
		"rm build/a; sed -i 's/a/b/w README.md' build/out":        Deny,
		"rm build/a; perl -pi -e 'unlink \"/etc/hosts\"' build/x": Deny,
		"rm build/a; awk '{print > \"/etc/hosts\"}' README.md":    Deny,
		"rm build/a; tar -cf build/x.tar -I 'rm /etc/hosts' .":    Deny,
		"rm build/a; sort -o build/x --compress-program=/x y":     Deny,
		"rm build/a; git -c core.fsmonitor=/x status":             Deny,
		"rm build/a; sed s/a/b/ README.md":                        Pass,
		"rm build/a; mytool --out=build/x":                        Deny,
	} {
		if got := byLine(t, policy, "claude", line); got != want {
			t.Errorf("%s: %s", line, got)
		}
	}
	for path, want := range map[string]Decision{"/repo/src/x": Pass, "/repo/link/x": Deny, "/repo/SRC/x": Deny, "/repo/src/../x": Deny} {
		ev := pre("Write", string(hooks.EncodeJSON(map[string]string{"file_path": path})))
		ev.CWD = "/repo"
		if got := Decide(mustParse(t, policy), onDisk(), Facts{}, ev).Decision; got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
