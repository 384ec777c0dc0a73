package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Cache is where the clients are kept between runs, from this folder.
const cache = "../../.e2e-cache"

// pinned is one version of a client, as npm has it.
type pinned struct {
	pkg, version string
	programs     []string // globs below node_modules; the native program first
}

var (
	claudeNew = pinned{"@anthropic-ai/claude-code", "2.1.332", []string{"@anthropic-ai/claude-code-*/claude", ".bin/claude"}}
	// claudeOld is the last without onFailure.
	claudeOld = pinned{"@anthropic-ai/claude-code", "2.1.294", []string{"@anthropic-ai/claude-code-*/claude", ".bin/claude"}}
	codexNew  = pinned{"@openai/codex", "0.171.0", []string{"@openai/codex-*/vendor/*/bin/codex", ".bin/codex"}}
)

func (p pinned) String() string { return fmt.Sprintf("%s-%s", filepath.Base(p.pkg), p.version) }

var installing sync.Mutex

// program gives the client's program, from the cache or from npm. Without it the
// test is skipped, loudly; with GATEWRIGHT_E2E=must it fails.
func (p pinned) program(t *testing.T) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	path, err := p.find()
	if err != nil {
		if err = p.install(); err == nil {
			path, err = p.find()
		}
	}
	if err == nil {
		return path
	}
	if os.Getenv("GATEWRIGHT_E2E") == "must" {
		t.Fatal(err)
	}
	t.Skipf("SKIPPED: %s CANNOT BE HAD: %v", strings.ToUpper(p.String()), err)
	return ""
}

func (p pinned) find() (string, error) {
	for _, glob := range p.programs {
		found, err := filepath.Glob(filepath.Join(cache, p.String(), "node_modules", glob))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return filepath.Abs(found[0])
		}
	}
	return "", fmt.Errorf("no program in %s", filepath.Join(cache, p.String()))
}

// install fetches the package into a folder of its own, which takes its place
// when it is complete.
func (p pinned) install() error {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	cmd := exec.Command("npm", "install", "--no-audit", "--no-fund", "--engine-strict=false", "--prefix", temp, p.pkg+"@"+p.version)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w\n%s", err, out)
	}
	place := filepath.Join(cache, p.String())
	if err := os.RemoveAll(place); err != nil {
		return err
	}
	return os.Rename(temp, place)
}

var built struct {
	sync.Once
	dir string
	err error
}

// build makes gatewright and the payment server, once, and gives their folder.
func build(t *testing.T) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "gatewright-e2e-"); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", built.dir, "./cmd/gatewright", "./testdata/e2e/mcpserver")
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}
