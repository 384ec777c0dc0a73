package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestManPage: every command and flag that can be seen stands on the page, and what
// shows such pages takes it without a warning.
func TestManPage(t *testing.T) {
	program, err := exec.LookPath("gatewright")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "run", "../../testdata/man", "-date", "2026-03-02", program)
	cmd.Env = append(os.Environ(), "TEST_ROOTS="+t.TempDir(), noRaceSleep)
	page, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(strings.ReplaceAll(string(page), `\-`, "-"), "\n.SS ")
	root := (&cli{stdout: io.Discard, stderr: io.Discard}).commands()
	root.InitDefaultHelpCmd()
	if seen := checkSections(t, sections, root); seen < 17 {
		t.Errorf("only %d commands", seen)
	}
	lintPage(t, page)
}

// checkSections looks for the section of each command below one, and for its flags in
// there. It returns how many commands it has found.
func checkSections(t *testing.T, sections []string, above *cobra.Command) int {
	seen := 0
	for _, command := range above.Commands() {
		if command.Hidden {
			continue
		}
		section := ""
		for _, s := range sections {
			if head, _, _ := strings.Cut(s, "\n"); head == command.CommandPath() || strings.HasPrefix(head, command.CommandPath()+" ") {
				section += s
			}
		}
		if section == "" {
			t.Errorf("%s is not there", command.CommandPath())
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(section, ".B --"+f.Name) {
				t.Errorf("--%s is not in the section of %s", f.Name, command.CommandPath())
			}
		})
		seen += 1 + checkSections(t, sections, command)
	}
	return seen
}

// lintPage runs the programs that complain of a page, those that are here.
func lintPage(t *testing.T, page []byte) {
	path := filepath.Join(t.TempDir(), "gatewright.1")
	if err := os.WriteFile(path, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, args := range [][]string{
		{"man", "-l", path},
		{"groff", "-man", "-ww", "-z", path},
		{"mandoc", "-T", "lint", "-W", "warning", path},
	} {
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		ran++
		cmd := exec.Command(args[0], args[1:]...)
		var stdout, stderr strings.Builder
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat")
		err := cmd.Run()
		complaint := stderr.String()
		if args[0] == "mandoc" {
			complaint += stdout.String()
		}
		if err != nil || complaint != "" {
			t.Errorf("%s: %v\n%s", args[0], err, complaint)
		}
	}
	if ran == 0 {
		t.Log("SKIPPED: no man, groff or mandoc here, so the page was not shown")
	}
}
