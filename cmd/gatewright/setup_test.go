package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gatewright/gate/ledger"
)

// prepare makes one thing about the place unusual.
func (p *place) prepare(setup string) {
	p.t.Helper()
	if setup == "" {
		return
	}
	f, known := setups[setup]
	if !known {
		p.t.Fatalf("unknown setup %q", setup)
	}
	f(p)
}

// setups are what cases can say about their place.
var setups = map[string]func(p *place){
	"no policy": func(p *place) { p.must(os.RemoveAll(filepath.Dir(p.policyFile()))) },
	"policy is a folder": func(p *place) {
		p.must(os.Remove(p.policyFile()))
		p.must(os.Mkdir(p.policyFile(), 0o700))
	},
	"policy is a FIFO": func(p *place) {
		p.must(os.Remove(p.policyFile()))
		p.must(mkfifo(p.policyFile()))
	},
	"policy has BOM and CRLF": func(p *place) {
		text, err := os.ReadFile(p.policyFile())
		p.must(err)
		p.writePolicy("\ufeff" + strings.ReplaceAll(string(text), "\n", "\r\n"))
	},
	"state is a file": func(p *place) {
		p.must(os.MkdirAll(filepath.Dir(p.stateDir()), 0o700))
		p.must(os.WriteFile(p.stateDir(), nil, 0o600))
	},
	"state is read-only": func(p *place) {
		p.must(os.MkdirAll(p.stateDir(), 0o700))
		p.asNobody()
		p.readOnly(p.stateDir())
	},
	"audit is a file": func(p *place) {
		p.must(os.MkdirAll(p.stateDir(), 0o700))
		p.must(os.WriteFile(filepath.Join(p.stateDir(), "audit"), nil, 0o600))
	},
	"no HOME":                     func(p *place) { p.without("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME") },
	"installed for codex":         func(p *place) { p.install("codex") },
	"installed":                   func(p *place) { p.install("claude") },
	"the ledger is torn":          (*place).tearLedger,
	"stale locks":                 (*place).leaveLocks,
	"the codex session is locked": func(p *place) { p.keepLocked(filepath.Dir(p.sessionFile("codex", "s-1"))) },
	"the session is locked":       func(p *place) { p.keepLocked(filepath.Dir(p.sessionFile("claude", "s-1"))) },
	"the spend is locked":         func(p *place) { p.keepLocked(filepath.Join(p.stateDir(), "spend")) },
}

// install registers a client, as a person would.
func (p *place) install(client string) {
	p.t.Helper()
	if a := p.run("", false, "install", "--client", client, p.repo); a.exit != 0 {
		p.t.Fatal(a)
	}
}

// readOnly takes the right to write from a folder, until the test has ended.
func (p *place) readOnly(dir string) {
	p.must(os.Chmod(dir, 0o500))
	p.t.Cleanup(func() { p.must(os.Chmod(dir, 0o700)) })
}

// tearLedger leaves what a program that does not lock would: one document and the
// rest of another. It must still be there in the end.
func (p *place) tearLedger() {
	torn, file := []byte(`{"verified":{"C-1":true}}{"verif`), p.sessionFile("claude", "s-1")
	p.must(os.MkdirAll(filepath.Dir(file), 0o700))
	p.must(os.WriteFile(file, torn, 0o600))
	p.t.Cleanup(func() {
		if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, torn) {
			p.t.Errorf("the ledger was touched: %v %q", err, text)
		}
	})
}

// leaveLocks leaves what programs that were killed leave: locks of a process that is
// gone, and a ledger that was being made.
func (p *place) leaveLocks() {
	long := time.Now().Add(-72 * time.Hour)
	session := filepath.Dir(p.sessionFile("claude", "s-1"))
	for _, dir := range []string{p.stateDir(), session, filepath.Join(p.stateDir(), "spend")} {
		for _, name := range []string{"lock", ".lock", ledger.FileName + ".lock", ledger.FileName + ".new"} {
			path := filepath.Join(dir, name)
			p.must(os.MkdirAll(dir, 0o700))
			p.must(os.WriteFile(path, []byte("4194305\n"), 0o600))
			p.must(os.Chtimes(path, long, long))
		}
	}
	p.must(os.Mkdir(session+".lock", 0o700))
}

// hold locks a folder as another process would, until the test has ended.
func (p *place) hold(folder string) (unlock func()) {
	p.must(os.MkdirAll(folder, 0o700))
	dir, err := os.Open(folder)
	p.must(err)
	p.must(flock(dir))
	p.held = append(p.held, dir)
	p.t.Cleanup(p.unlockAll)
	return p.unlockAll
}

// unlockAll gives back what hold has taken.
func (p *place) unlockAll() {
	for _, dir := range p.held {
		p.must(dir.Close())
	}
	p.held = nil
}

// keepLocked locks a folder for longer than the program waits, which is not long here.
func (p *place) keepLocked(folder string) {
	p.hold(folder)
	p.env = append(p.env, "TEST_DEADLINE=300ms")
}
