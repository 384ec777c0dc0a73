//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"gatewright/gate/ledger"
	"gatewright/install"
)

// allFaults are the rows of the matrix.
func allFaults() []fault {
	var all []fault
	for _, group := range [][]fault{policyFaults(), stateFaults(), ledgerFaults(), auditFaults(), stdinFaults(), surroundings(), signalFaults(), versionFaults()} {
		all = append(all, group...)
	}
	return all
}

// replaced is a fault in which something else stands in the place of a path. What
// makes it is nil where nothing stands there.
func replaced(name string, path func(p *place) string, other func(p *place, path string) error, pre string) fault {
	return fault{name: name, pre: pre, breaks: func(p *place) {
		p.broken = path(p)
		p.must(os.Rename(p.broken, p.broken+".aside"))
		if other != nil {
			p.must(other(p, p.broken))
		}
	}, mends: func(p *place) {
		p.must(os.RemoveAll(p.broken))
		p.must(os.Rename(p.broken+".aside", p.broken))
	}}
}

// What can stand in a path's place.
func aFolder(_ *place, path string) error        { return os.Mkdir(path, 0o700) }
func aFile(_ *place, path string) error          { return os.WriteFile(path, []byte("x"), 0o600) }
func anEmptyFile(_ *place, path string) error    { return os.WriteFile(path, nil, 0o600) }
func aFIFO(_ *place, path string) error          { return unix.Mkfifo(path, 0o600) }
func aLinkToNowhere(_ *place, path string) error { return os.Symlink("/nowhere/at/all", path) }

func fileOf(text string) func(*place, string) error {
	return func(_ *place, path string) error { return os.WriteFile(path, []byte(text), 0o600) }
}

// ofMode is a fault of a path's mode, for a user whom modes hold up. Everything below
// it gets the mode without the right to enter, if it is a folder.
func ofMode(name string, path func(p *place) string, mode os.FileMode, pre string) fault {
	breaks := func(p *place) { // from below
		var paths []string
		p.must(filepath.WalkDir(path(p), func(path string, _ os.DirEntry, err error) error {
			paths = append([]string{path}, paths...)
			return err
		}))
		for _, path := range paths {
			if install.IsFolder(path) {
				p.must(os.Chmod(path, mode))
			} else {
				p.must(os.Chmod(path, mode&^0o111))
			}
		}
	}
	mends := func(p *place) { // from the top, so that one can go on
		p.must(filepath.WalkDir(path(p), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, 0o700)
			}
			return errors.Join(err, os.Chmod(path, 0o600))
		}))
	}
	return fault{name: name, mends: mends, pre: pre,
		before: func(p *place) string { p.asNobody(); return "" },
		breaks: func(p *place) {
			breaks(p)
			p.t.Cleanup(func() { mends(p) })
		},
	}
}

func policyFaults() []fault {
	file := (*place).policyFile
	folder := func(p *place) string { return filepath.Dir(file(p)) }
	all := []fault{
		replaced("policy missing", file, nil, shut),
		replaced("policy folder missing", folder, nil, shut),
		replaced("policy missing, a user's own line", file, nil, "silence silence silence silence"),
		replaced("policy invalid", file, fileOf("version = 1\n[[limit]]\nid = \"x\"\n"), shut),
		replaced("policy not TOML", file, fileOf("{}"), shut),
		replaced("policy empty", file, anEmptyFile, shut),
		replaced("policy a folder", file, aFolder, shut),
		replaced("policy a FIFO", file, aFIFO, shut),
		replaced("policy a link to nowhere", file, aLinkToNowhere, shut),
		replaced("policy folder a link to nowhere", folder, aLinkToNowhere, shut),
		replaced("policy folder a file", folder, aFile, shut),
		replaced("policy of 50 MB", file, fileOf(strings.Repeat("#2345678\n", 50_000_000/9)), shut),
		ofMode("policy unreadable", file, 0, shut),
		ofMode("policy folder unreadable", folder, 0, shut),
	}
	for i := range all {
		all[i].post = "told"
		if all[i].name == "policy missing, a user's own line" {
			all[i].line = func(p *place) install.Line {
				own, err := install.Own(p.program())
				p.must(err)
				return own
			}
		}
	}
	return all
}

func stateFaults() []fault {
	state := (*place).stateDir
	key := func(p *place) string { return filepath.Join(state(p), "key") }
	all := []fault{
		stateMissing(),
		replaced("state a file", state, aFile, forgotten),
		replaced("state a FIFO", state, aFIFO, forgotten),
		replaced("state a link to nowhere", state, aLinkToNowhere, forgotten),
		replaced("key missing", key, nil, judged),
		replaced("key cut short", key, aFile, forgotten),
		replaced("key a FIFO", key, aFIFO, forgotten),
		replaced("sessions a file", func(p *place) string { return filepath.Join(state(p), "sessions") }, aFile, forgotten),
		replaced("spend a file", func(p *place) string { return filepath.Join(state(p), "spend") }, aFile, forgotten),
		ofMode("state read-only", state, 0o500, forgotten),
		ofMode("state of mode 0", state, 0, forgotten),
		ofMode("state open to everybody", state, 0o777, judged),
		{name: "state of another user", pre: forgotten, before: rootAsNobody, breaks: func(p *place) { p.chownState(0) }, mends: func(p *place) { p.chownState(nobody) }},
		diskFull("disk full, where the ledger may have room", judged+"|"+forgotten, "s-1"),
		diskFull("disk full, a new session", forgotten, "s-2"),
		lockedFault("session locked by another process", func(p *place) string { return "sessions" }),
		lockedFault("spend locked by another process", func(p *place) string { return "spend" }),
	}
	return all
}

// stateMissing: what a call has shown in the meantime is gone when the old one is
// brought back, so nothing is shown.
func stateMissing() fault {
	f := replaced("state missing", (*place).stateDir, nil, forgotten)
	f.asks = func(a *asking, s step) heard {
		if s.Event == "PostToolUse" {
			s.Response = `{"content":[{"type":"text","text":"{}"}]}`
		}
		return fault{}.ask(a, s)
	}
	return f
}

// diskFull asks in one session; in a new one a ledger has to be made.
func diskFull(name, pre, session string) fault {
	return fault{name: name, pre: pre, before: onSmallDisk, breaks: fillDisk,
		mends: func(p *place) { p.must(os.Remove(filler(p))) },
		asks: func(a *asking, s step) heard {
			s.Session = session
			return fault{}.ask(a, s)
		}}
}

func rootAsNobody(p *place) string {
	if !isRoot() {
		return "only root can give files to another user"
	}
	p.asNobody()
	return ""
}

func (p *place) chownState(uid int) {
	p.must(filepath.WalkDir(p.stateDir(), func(path string, _ os.DirEntry, err error) error {
		if err == nil {
			err = os.Chown(path, uid, uid)
		}
		return err
	}))
}

// onSmallDisk puts the state on a file system of its own.
func onSmallDisk(p *place) string {
	p.must(os.MkdirAll(p.stateDir(), 0o700))
	if err := smallDisk(p.stateDir()); err != nil {
		return "no small file system can be mounted here: " + err.Error()
	}
	p.t.Cleanup(func() { p.must(unmount(p.stateDir())) })
	return ""
}

func filler(p *place) string { return filepath.Join(p.stateDir(), "filler") }

// fillDisk takes the last byte that is left.
func fillDisk(p *place) {
	f, err := os.Create(filler(p))
	p.must(err)
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}

// lockedFault holds the locks of the folders below one of the state's.
func lockedFault(name string, of func(p *place) string) fault {
	return fault{name: name, pre: forgotten, breaks: func(p *place) {
		top := filepath.Join(p.stateDir(), of(p))
		folders, err := filepath.Glob(top + "/*/" + ledger.FileName)
		p.must(err)
		if len(folders) == 0 {
			folders = []string{filepath.Join(top, ledger.FileName)}
		}
		for _, path := range folders {
			p.keepLocked(filepath.Dir(path))
		}
	}, mends: func(p *place) {
		p.unlockAll()
		p.without("TEST_DEADLINE")
	}}
}

func auditFaults() []fault {
	audit := func(p *place) string { return filepath.Join(p.stateDir(), "audit") }
	today := func(p *place) string {
		return filepath.Join(audit(p), time.Now().UTC().Format(time.DateOnly)+".jsonl")
	}
	return []fault{
		replaced("audit a file", audit, aFile, judged),
		replaced("audit a link to nowhere", audit, aLinkToNowhere, judged),
		replaced("audit's file a FIFO", today, aFIFO, judged),
		replaced("audit's file a folder", today, aFolder, judged),
		ofMode("audit read-only", audit, 0o500, judged),
	}
}
