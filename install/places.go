package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Scope is whom a registration is for.
type Scope string

// The scopes.
const (
	Project Scope = "project" // everybody who works in the repository
	Local   Scope = "local"   // this person in the repository
	User    Scope = "user"    // this person everywhere
)

// Repository is where a folder belongs.
type Repository struct {
	Root string // the working tree's root; the folder itself outside a repository
	Main string // the main checkout's root; Root unless this is a linked worktree
	Git  bool
}

// FindRepository looks for the repository around dir. Main finds the main checkout
// of a root, as the policy's layers do.
func FindRepository(dir string, main func(root string) string) (Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Repository{}, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return Repository{}, err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a folder", dir)
	}
	if err != nil {
		return Repository{}, err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return Repository{Root: d, Main: main(d), Git: true}, nil
		}
		if d == filepath.Dir(d) {
			return Repository{Root: dir, Main: dir}, nil
		}
	}
}

// Home is where settings are that belong to no repository. A folder is empty if
// it is not known.
type Home struct {
	Claude       string // the user's folder of Claude Code: settings.json
	Codex        string // CODEX_HOME
	Managed      string // the administrator's folder of Claude Code
	CodexManaged string // the administrator's folder of Codex
	Program      string // where the shared line looks for us first
}

// FindHome reads the user's places from the environment, as the clients do. The
// administrator's is not in it.
func FindHome(getenv func(string) string) Home {
	home := getenv("HOME")
	at := func(variable, folder string) string {
		if dir := getenv(variable); dir != "" {
			return dir
		}
		if home == "" {
			return ""
		}
		return filepath.Join(home, folder)
	}
	managed := "/etc/claude-code"
	if runtime.GOOS == "darwin" {
		managed = "/Library/Application Support/ClaudeCode"
	}
	return Home{at("CLAUDE_CONFIG_DIR", ".claude"), at("CODEX_HOME", ".codex"), managed, "/etc/codex", filepath.Join(home, ".local", "bin", "gatewright")}
}

// ErrNoLocal is the error of Files for a client without such a scope.
var ErrNoLocal = errors.New("codex has no settings for one person in one repository: use --scope project or --scope user")

// Files lists the files in which a client is registered for a scope.
func Files(client string, scope Scope, repo Repository, home Home) ([]string, error) {
	switch client + " " + string(scope) {
	case "claude project":
		// A client that starts below the root reads the second file only.
		return []string{claudeProject(repo.Root), claudeLocal(repo.Root)}, nil
	case "claude local":
		return []string{claudeLocal(repo.Root)}, nil
	case "claude user":
		return inHome(home.Claude, "settings.json")
	case "codex project":
		// A linked worktree reads the main checkout's, but only if it has a
		// .codex of its own.
		return slices.Compact([]string{codexFile(repo.Main), codexFile(repo.Root)}), nil
	case "codex local":
		return nil, ErrNoLocal
	case "codex user":
		return inHome(home.Codex, "hooks.json")
	}
	return nil, fmt.Errorf("there is no scope %q", scope)
}

func inHome(dir, name string) ([]string, error) {
	if dir == "" {
		return nil, errors.New("HOME is not set, so the user's settings cannot be found")
	}
	return []string{filepath.Join(dir, name)}, nil
}

// ProjectFiles lists the settings of a repository that can register us, for every
// client.
func ProjectFiles(root string) []string {
	return []string{claudeProject(root), claudeLocal(root), codexFile(root)}
}

func claudeProject(root string) string { return filepath.Join(root, ".claude", "settings.json") }

func claudeLocal(root string) string { return filepath.Join(root, ".claude", "settings.local.json") }

func codexFile(root string) string { return filepath.Join(root, ".codex", "hooks.json") }
