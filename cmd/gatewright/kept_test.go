package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatewright/policy"
)

const (
	strictPolicy = "version = 1\n[[rule]]\nid = \"no\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__pay__refund\"] }\n"
	loosePolicy  = "version = 1\n[[rule]]\nid = \"no\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__pay__delete\"] }\n"
)

var (
	keptStep   = step{Tool: "mcp__pay__refund", Args: `{}`, Expect: "deny"}
	keptSilent = step{Tool: "mcp__pay__refund", Args: `{}`, Expect: "silence"}
)

// kept lists the forms that a place keeps.
func (p *place) kept() []string {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.stateDir(), "policies", "*"))
	p.must(err)
	return files
}

// TestKeptPolicy: a form counts only for the text that it was made of, and only if we
// have made it.
func TestKeptPolicy(t *testing.T) {
	p := newPlace(t)
	check := func(what string, s step) {
		t.Helper()
		p.expect(what, s, p.play(s))
	}
	p.writePolicy(loosePolicy)
	check("without a key", keptSilent)
	check("the first that is kept", keptSilent)
	if len(p.kept()) != 1 {
		t.Fatalf("kept: %v", p.kept())
	}
	file := p.kept()[0]
	check("from the form", keptSilent)
	loose, err := os.ReadFile(file)
	p.must(err)

	p.writePolicy(strictPolicy)
	check("another text", keptStep)
	strict, err := os.ReadFile(file)
	p.must(err)
	check("another form", keptStep)
	key, err := os.ReadFile(filepath.Join(p.stateDir(), "key"))
	p.must(err)
	forged := keeper{key: func() []byte { return make([]byte, len(key)) }}
	text := policy.Text{Path: p.policyFile(), Text: []byte(strictPolicy)}
	for what, bad := range map[string][]byte{
		"another text's": loose, "nothing": nil, "cut": strict[:len(strict)-1], "longer": append(strict[:len(strict):len(strict)], 0),
		"the seal alone": strict[:32], "rubbish": []byte(strings.Repeat("x", 5000)),
		"another key's":                  append(forged.seal(policy.Repo, text.Text, loose[32:]), loose[32:]...),
		"another text's, its own seal's": append(strict[:32:32], loose[32:]...),
	} {
		p.must(os.WriteFile(file, bad, 0o600))
		check(what, keptStep)
		if got, err := os.ReadFile(file); err != nil || string(got) != string(strict) {
			t.Errorf("%s: the form was not made anew", what)
		}
	}
	ours := keeper{key: func() []byte { return key }} // to see that the form is what decides
	p.must(os.WriteFile(file, append(ours.seal(policy.Repo, text.Text, loose[32:]), loose[32:]...), 0o600))
	check("sealed with our key", keptSilent)
}

// TestKeptCannotBeWritten: then the TOML is read, and nothing is said.
func TestKeptCannotBeWritten(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(strictPolicy)
	p.expect("first", keptStep, p.play(keptStep))
	p.must(os.RemoveAll(filepath.Join(p.stateDir(), "policies")))
	p.must(os.WriteFile(filepath.Join(p.stateDir(), "policies"), nil, 0o600))
	p.expect("a file in its place", keptStep, p.play(keptStep))
	p.must(os.Remove(filepath.Join(p.stateDir(), "policies")))
	p.must(os.Mkdir(filepath.Join(p.stateDir(), "policies"), 0o700))
	k := keeper{dir: filepath.Join(p.stateDir(), "policies")}
	p.must(os.Mkdir(k.path(policy.Repo, p.policyFile()), 0o700))
	p.expect("a folder in the form's place", keptStep, p.play(keptStep))
}

// TestKeptManaged: of an administrator's policy only a form counts that nobody but root
// can have made.
func TestKeptManaged(t *testing.T) {
	p := newPlace(t)
	roots := t.TempDir()
	managed := filepath.Join(roots, "gatewright")
	p.env = append(p.env, "TEST_ROOTS="+roots)
	file := filepath.Join(managed, "policy.toml")
	p.must(os.MkdirAll(managed, 0o755))
	p.must(os.WriteFile(file, []byte(loosePolicy), 0o644))
	p.writePolicy("version = 1\n")
	p.expect("first", keptSilent, p.play(keptSilent))
	loose, err := os.ReadFile(file + ".kept")
	p.must(err)
	p.must(os.WriteFile(file, []byte(strictPolicy), 0o644))
	p.expect("another text", keptStep, p.play(keptStep))
	forged := append(keeper{}.seal(policy.Managed, []byte(strictPolicy), loose[32:]), loose[32:]...)
	p.must(os.WriteFile(file+".kept", forged, 0o644))
	p.expect("root's", keptSilent, p.play(keptSilent))
	spoils := map[string]func() error{
		"anybody's":           func() error { return os.Chmod(file+".kept", 0o666) },
		"a group's":           func() error { return os.Chmod(file+".kept", 0o664) },
		"a folder of anybody": func() error { return os.Chmod(managed, 0o777) },
	}
	if os.Geteuid() == 0 {
		spoils["another's"] = func() error { return os.Chown(file+".kept", 12345, 0) }
	}
	for what, spoil := range spoils {
		p.must(os.RemoveAll(file + ".kept"))
		p.must(os.Chmod(managed, 0o755))
		p.must(os.WriteFile(file+".kept", forged, 0o644))
		p.must(spoil())
		p.expect(what, keptStep, p.play(keptStep))
	}
}

// TestKeptBroken: a policy that is broken across its files denies every call, although the
// forms of the files leave out what is about other tools.
func TestKeptBroken(t *testing.T) {
	p := newPlace(t)
	part := filepath.Join(filepath.Dir(p.policyFile()), "policy.d", "b.toml")
	rule := func(id, tool string) string {
		return "version = 1\n[[rule]]\nid = \"" + id + "\"\neffect = \"deny\"\nmatch = { tool = [\"" + tool + "\"] }\n"
	}
	p.writePolicy(rule("x", "mcp__a__a"))
	p.must(os.MkdirAll(filepath.Dir(part), 0o700))
	p.must(os.WriteFile(part, []byte(rule("y", "mcp__b__b")), 0o600))
	read := step{Tool: "Read", Args: `{}`, Expect: "silence"}
	for range 3 {
		p.expect("right", read, p.play(read))
	}
	p.must(os.WriteFile(part, []byte(rule("x", "mcp__b__b")), 0o600))
	read.Expect, read.Contains = "deny", []string{`the id \"x\" is used twice`}
	for range 2 {
		p.expect("broken", read, p.play(read))
	}
}
