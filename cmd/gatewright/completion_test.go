package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completions are command lines without their first word, the last one unfinished,
// and everything that may be offered.
var completions = []struct{ line, want []string }{
	{[]string{"chec"}, []string{"check"}},
	{[]string{"un"}, []string{"uninstall"}},
	{[]string{"install", "--client", ""}, []string{"all", "claude", "codex"}},
	{[]string{"uninstall", "--client", "c"}, []string{"claude", "codex"}},
	{[]string{"sync", "--client", ""}, []string{"all", "claude", "codex"}},
	{[]string{"replay", "--client", ""}, []string{"claude", "codex"}},
	{[]string{"replay", "--now", ""}, nil},
	{[]string{"install", "--sc"}, []string{"--scope"}},
	{[]string{"install", "--scope", ""}, []string{"local", "managed", "project", "user"}},
	{[]string{"init", "--starter", ""}, []string{"refunds", "session-rules"}},
	{[]string{"hook", ""}, []string{"claude", "codex"}},
	{[]string{"hook", "claude", "--g"}, []string{"--guarded"}},
	{[]string{"hook", "claude", ""}, nil},
	{[]string{"explain", "co"}, []string{"codex"}},
	{[]string{"explain", "codex", ""}, nil},
	{[]string{"completion", ""}, []string{"bash", "fish", "zsh"}},
	{[]string{"intent", ""}, []string{"grant", "revoke"}},
	{[]string{"intent", "grant", ""}, []string{"refund-day"}},
	{[]string{"intent", "revoke", "refund-day", ""}, nil},
	{[]string{"release", ""}, nil},
	{[]string{"version", ""}, nil},
}

// TestCompletion runs the scripts in the real shells. What a shell's own functions
// would draw is printed instead.
func TestCompletion(t *testing.T) {
	for _, shell := range []struct {
		name string
		args []string // before the script to run
		run  string   // gets the words as its arguments
	}{
		{"bash", []string{"--norc", "--noprofile", "-c"}, `
			enable -n compopt # it works only where a person types
			source <(gatewright completion bash) || exit
			COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
			COMP_POINT=${#COMP_LINE}
			__start_gatewright
			[[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]%%[ ]*}"`},
		{"zsh", []string{"-f", "-c"}, `
			compdef() { }
			_describe() { local list=${@[$#]}; print -l -- ${${(P)list}%%:*} }
			source <(gatewright completion zsh) || exit
			words=("$@") CURRENT=$#
			_gatewright`},
		{"fish", []string{"--no-config", "-c"}, `
			gatewright completion fish | source; or exit
			complete -C (string join ' ' -- $argv) | string replace -r '\t.*' ''
			true`},
	} {
		t.Run(shell.name, func(t *testing.T) {
			path := needShell(t, shell.name)
			dir := repositoryWithIntent(t)
			for _, test := range completions {
				args := append(slices.Clone(shell.args), shell.run)
				if shell.name != "fish" { // which knows no name for the script
					args = append(args, shell.name)
				}
				got := offered(t, dir, path, append(append(args, "gatewright"), test.line...)...)
				if !slices.Equal(got, test.want) {
					t.Errorf("%q: %q, not %q", test.line, got, test.want)
				}
			}
		})
	}
}

// TestBashWords: bash takes --client=c apart, and folders are offered without files.
func TestBashWords(t *testing.T) {
	bash := needShell(t, "bash")
	dir := t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "one two"), 0o700), os.WriteFile(filepath.Join(dir, "one.txt"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const run = `enable -n compopt
		source <(gatewright completion bash)
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_TYPE=9 COMP_KEY=9
		COMP_POINT=${#COMP_LINE}
		__start_gatewright
		[[ ${#COMPREPLY[@]} == 0 ]] || printf '%s\n' "${COMPREPLY[@]}"`
	for _, test := range []struct{ line, want []string }{
		{[]string{"install", "--client", "=", "cl"}, []string{"claude"}},
		{[]string{"install", "--scope", "=", "loc"}, []string{"local"}},
		{[]string{"install", "--scope", "=", "user", "o"}, []string{"one two"}},
		{[]string{"init", "one"}, []string{"one two"}},
		{[]string{"init", "one", "o"}, nil},
	} {
		got := offered(t, dir, bash, append([]string{"--norc", "--noprofile", "-c", run, "bash", "gatewright"}, test.line...)...)
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, not %q", test.line, got, test.want)
		}
	}
}

// TestCompletedNames: what is offered for a flag is what its own text names.
func TestCompletedNames(t *testing.T) {
	root := (&cli{stdout: io.Discard, stderr: io.Discard}).commands()
	seen := 0
	for _, command := range root.Commands() {
		for _, name := range []string{"client", "scope", "starter"} {
			flag := command.Flags().Lookup(name)
			if flag == nil {
				continue
			}
			complete, ok := command.GetFlagCompletionFunc(name)
			if !ok {
				t.Errorf("%s --%s completes nothing", command.Name(), name)
				continue
			}
			values, _ := complete(command, nil, "")
			usage := flag.Usage[strings.LastIndex(flag.Usage, ":")+1:]
			names := strings.FieldsFunc(strings.ReplaceAll(usage, " or ", ","), func(r rune) bool { return r == ',' || r == ' ' })
			slices.Sort(values)
			slices.Sort(names)
			if seen++; !slices.Equal(values, names) {
				t.Errorf("%s --%s completes %q; its text names %q", command.Name(), name, values, names)
			}
		}
	}
	if seen < 7 {
		t.Errorf("only %d flags", seen)
	}
}

// repositoryWithIntent has an intent that a person can open, and one that is open.
func repositoryWithIntent(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../testdata/policies/claims.toml")
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o700), writePolicy(dir, string(text)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func needShell(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("SKIPPED: no %s here, so its completion was not run", name)
	}
	return path
}

// offered is what a shell prints, a word a line, and of that what goes on from the
// last argument: some shells leave this choice to their own functions. A word on
// stderr is an error.
func offered(t *testing.T, dir, shell string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(shell, args...)
	var stderr strings.Builder
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TEST_ROOTS=" + dir, noRaceSleep}
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%v %v\n%s", args[len(args)-2:], err, stderr.String())
	}
	var words []string
	for word := range strings.Lines(string(out)) {
		word = strings.TrimSuffix(word, "\n")
		if word != "" && strings.HasPrefix(word, args[len(args)-1]) {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}
