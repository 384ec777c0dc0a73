package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// allowedImports is the whole import graph inside the module. Whatever is not
// here is not allowed; the leaves import nothing of ours.
var allowedImports = map[string][]string{
	"errorsctx":         {},
	"hooks":             {},
	"gate/ledger":       {},
	"gate/shell":        {},
	"install/jsontext":  {},
	"install/tomltext":  {},
	"policy/exact":      {},
	"policy/form":       {},
	"policy/wildcard":   {},
	"policy/expression": {"errorsctx", "policy/exact", "policy/wildcard"},
	"policy":            {"errorsctx", "policy/exact", "policy/expression", "policy/form", "policy/wildcard"},
	"gate/claim":        {"policy", "policy/exact", "policy/wildcard", "errorsctx"},
	"gate":              {"hooks", "gate/claim", "gate/shell", "policy", "policy/exact", "policy/expression", "policy/wildcard", "errorsctx"},
	"gate/audit":        {"gate", "hooks"},
	"install":           {"hooks", "install/jsontext", "install/tomltext"},
	"cmd/gatewright":    {"errorsctx", "hooks", "gate", "gate/ledger", "gate/audit", "gate/claim", "gate/shell", "policy", "policy/exact", "policy/wildcard", "install", "install/jsontext"},
}

func TestImportGraph(t *testing.T) {
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{join .Imports " "}}`, "gatewright/...") {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(fields[0], "gatewright/")
		allowed, known := allowedImports[name]
		if !known {
			t.Errorf("package %s has no place in the import graph", name)
		}
		for _, imported := range fields[1:] {
			ours, inside := strings.CutPrefix(imported, "gatewright/")
			if inside && !slices.Contains(allowed, ours) {
				t.Errorf("%s must not import %s", name, ours)
			}
		}
	}
}

const maxPackages = 184

// TestLinked: what must not be in the binary, because every call would pay for
// it. The number of packages is a budget; raise it knowingly.
func TestLinked(t *testing.T) {
	deps := goList(t, "-deps", "gatewright/cmd/gatewright")
	for _, dep := range deps {
		for _, heavy := range []string{"net/http", "database/sql", "jsonschema", "modelcontextprotocol", "mcp-go", "encoding/gob", "html/template"} {
			if strings.Contains(dep, heavy) {
				t.Errorf("the binary links %s", dep)
			}
		}
	}
	if len(deps) > maxPackages {
		t.Errorf("the binary links %d packages, more than %d", len(deps), maxPackages)
	}
}

// TestNoInit: an init function costs every hook call.
func TestNoInit(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func goList(t *testing.T, args ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

// maxInit is what all packages may do before main, in allocations: it is paid for by
// every call. Raise it knowingly.
const maxInit = 460

// TestInit: GODEBUG=inittrace tells what each package's initialisation allocates.
func TestInit(t *testing.T) {
	program := filepath.Join(t.TempDir(), "gatewright")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(program, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	sum, packages := 0, 0
	for line := range strings.Lines(string(out)) {
		var name string
		var at, clock float64
		var bytes, allocs int
		if n, _ := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &bytes, &allocs); n == 5 {
			sum, packages = sum+allocs, packages+1
		}
	}
	if packages < 10 || sum > maxInit {
		t.Errorf("%d packages allocate %d times before main, at most %d times are allowed", packages, sum, maxInit)
	}
	t.Logf("%d allocations of %d packages", sum, packages)
}
