//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	bolt "go.etcd.io/bbolt"

	"gatewright/gate/ledger"
	"gatewright/hooks"
)

// ledgerOf is the file of the book of the session, or of the user's spending.
func (p *place) ledgerOf(of string) string {
	if of == "spend" {
		return filepath.Join(p.stateDir(), "spend", ledger.FileName)
	}
	return sessionLedger(p)
}

func sessionLedger(p *place) string {
	folders, err := filepath.Glob(filepath.Join(p.stateDir(), "sessions", "*"))
	if err != nil || len(folders) != 1 {
		p.t.Fatal(err, folders)
	}
	return filepath.Join(folders[0], ledger.FileName)
}

// damaged is a fault of a ledger's bytes.
func damaged(name, of string, damage func(whole []byte) []byte) fault {
	return fault{name: name, pre: forgotten, left: closed, breaks: func(p *place) {
		whole, err := os.ReadFile(p.ledgerOf(of))
		p.must(err)
		p.must(os.WriteFile(p.ledgerOf(of), damage(whole), 0o600))
	}}
}

func cutTo(size int) func([]byte) []byte { return func(b []byte) []byte { return b[:size] } }

func ledgerFaults() []fault {
	garbage := func(b []byte) []byte { return bytes.Repeat([]byte("garbage "), len(b)/8) }
	zeros := func(b []byte) []byte { return make([]byte, len(b)) }
	flip := func(b []byte) []byte { // in the head of every page but the two that name the last transaction
		size := os.Getpagesize()
		for at := 2 * size; at < len(b); at += size {
			b[at+9] ^= 0x40 // its kind
		}
		return b
	}
	withoutNewest := func(b []byte) []byte { // as bbolt writes it: the older of the two is whole
		size := os.Getpagesize()
		newest := 0
		if binary.NativeEndian.Uint64(b[size+64:]) > binary.NativeEndian.Uint64(b[64:]) {
			newest = size
		}
		b[newest+70] ^= 1
		return b
	}
	return []fault{
		damaged("session ledger garbage", "session", garbage),
		damaged("session ledger zeros", "session", zeros),
		damaged("session ledger empty", "session", cutTo(0)),
		damaged("session ledger cut to 100 bytes", "session", cutTo(100)),
		damaged("session ledger cut to 8 KiB", "session", cutTo(8<<10)),
		damaged("session ledger cut to 16 KiB", "session", cutTo(16<<10)),
		damaged("session ledger, bits flipped in pages", "session", flip),
		damaged("session ledger, newest page of its state not whole", "session", withoutNewest),
		damaged("spend ledger garbage", "spend", garbage),
		damaged("spend ledger empty", "spend", cutTo(0)),
		damaged("spend ledger cut to 8 KiB", "spend", cutTo(8<<10)),
		damaged("spend ledger, bits flipped in pages", "spend", flip),
		replaced("session folder a FIFO", func(p *place) string { return filepath.Dir(sessionLedger(p)) }, aFIFO, forgotten),
		replaced("session ledger a folder", sessionLedger, aFolder, forgotten),
		replaced("session ledger a FIFO", sessionLedger, aFIFO, forgotten),
	}
}

// versionFaults are what a program of another version has left.
func versionFaults() []fault {
	sized := func(b []byte, version uint32) []byte {
		for _, at := range []int{0, os.Getpagesize()} {
			meta := b[at+16:]
			binary.NativeEndian.PutUint32(meta[4:], version)
			sum := fnv.New64a()
			sum.Write(meta[:56])
			binary.NativeEndian.PutUint64(meta[56:], sum.Sum64())
		}
		return b
	}
	edited := func(edit func(tx *bolt.Tx) error) func(p *place) {
		return func(p *place) {
			db, err := bolt.Open(sessionLedger(p), 0o600, nil)
			p.must(err)
			p.must(db.Update(edit))
			p.must(db.Close())
		}
	}
	return []fault{
		damaged("ledger of a future file format", "session", func(b []byte) []byte { return sized(b, 3) }),
		{name: "ledger of a future version: more buckets", pre: judged, breaks: edited(func(tx *bolt.Tx) error {
			_, err := tx.CreateBucket([]byte("future"))
			return err
		})},
		{name: "ledger of a future version: records it means otherwise", pre: forgotten, left: closed, breaks: edited(func(tx *bolt.Tx) error {
			return tx.Bucket([]byte("state")).Put([]byte("format"), []byte("2"))
		})},
		{name: "ledger of an older version: fewer buckets", pre: forgotten, left: closed, breaks: edited(func(tx *bolt.Tx) error {
			return tx.DeleteBucket([]byte("totals"))
		})},
	}
}

func stdinFaults() []fault {
	always := func(text string) func(string) []byte { return func(string) []byte { return []byte(text) } }
	cut := func(event string) []byte { return []byte(event[:len(event)/2]) }
	manyKeys := func(event string) []byte {
		var b strings.Builder
		b.WriteString(strings.TrimSuffix(strings.TrimSpace(event), "}"))
		for i := range 1_000_000 {
			b.WriteString(`,"k`)
			b.WriteString(string(hooks.EncodeJSON(i)))
			b.WriteString(`":0`)
		}
		return []byte(b.String() + "}")
	}
	deep := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	all := []fault{
		{name: "stdin empty", stdin: always("")},
		{name: "stdin truncated", stdin: cut},
		{name: "stdin never closed", stdin: func(event string) []byte { return []byte(event) }, open: true, post: "silence"},
		{name: "stdin truncated and never closed", stdin: cut, open: true, before: shortDeadline},
		{name: "stdin truncated and never closed, the real 5 s", stdin: cut, open: true, only: "claude"},
		{name: "stdin 64 MiB of [", stdin: always(strings.Repeat("[", 64<<20))},
		{name: `stdin {"a": and 64 MiB of [`, stdin: always(`{"a":` + strings.Repeat("[", 64<<20))},
		{name: "stdin 65 MiB of text", stdin: always(`{"a":"` + strings.Repeat("x", 65<<20) + `"}`)},
		{name: "stdin 100,000 levels", stdin: always(`{"a":` + deep(100_000) + `}`)},
		{name: "stdin 1,000,000 keys", stdin: manyKeys, post: "silence"},
		{name: "stdin garbage", stdin: always("\x00\xff garbage")},
		{name: "stdin two events", stdin: func(event string) []byte { return []byte(event + event) }},
	}
	for i := range all {
		all[i].breaks, all[i].pre = func(*place) {}, refused
		all[i].post = or(all[i].post, "deny") // it may be a call
	}
	return all
}

// shortDeadline makes the program wait less long than it does.
func shortDeadline(p *place) string {
	p.env = append(p.env, "TEST_DEADLINE=2s")
	return ""
}

// surroundings are faults of the environment that a client gives its hooks.
func surroundings() []fault {
	changed := func(name string, change func(p *place), pre string) fault {
		return fault{name: name, pre: pre, breaks: func(p *place) {
			p.saved = append([]string(nil), p.env...)
			change(p)
		}, mends: func(p *place) { p.env = p.saved }}
	}
	noProgram := func(name string, other func(*place, string) error) fault {
		f := replaced(name, (*place).program, other, byLine)
		f.post = "line"
		breaks := f.breaks
		f.breaks = func(p *place) {
			breaks(p)
			p.saved = append([]string(nil), p.env...)
			p.env = append(p.env, "PATH=/usr/bin:/bin")
		}
		mends := f.mends
		f.mends = func(p *place) { mends(p); p.env = p.saved }
		return f
	}
	script := func(text string) func(*place, string) error {
		return func(_ *place, path string) error { return os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700) }
	}
	none := changed("HOME unset, PATH empty", func(p *place) { p.without("HOME"); p.env = append(p.env, "PATH=") }, byLine)
	none.post = "line"
	return []fault{
		changed("HOME unset", func(p *place) { p.without("HOME") }, forgotten),
		changed("HOME no folder", func(p *place) { p.env = append(p.env, "HOME=/dev/null") }, forgotten),
		changed("PATH empty", func(p *place) { p.env = append(p.env, "PATH=") }, judged),
		changed("PATH unset", func(p *place) { p.without("PATH") }, judged),
		none,
		changed("clock set back by two days", func(p *place) { p.env = append(p.env, "TEST_CLOCK=-48h") }, judged),
		changed("clock before 1970", func(p *place) { p.env = append(p.env, "TEST_CLOCK=-525600h") }, judged),
		{name: "current folder deleted", pre: judged, breaks: func(*place) {}, asks: inDeletedFolder(true)},
		{name: "current folder deleted, event names none", pre: shut, breaks: func(*place) {}, asks: inDeletedFolder(false)},
		noProgram("program missing", nil),
		noProgram("program not executable", aFile),
		noProgram("program prints garbage", script("echo hello; exit 0\n")).after("ignored"),
		noProgram("program crashes", script("kill -SEGV $$\n")),
	}
}

// inDeletedFolder asks from a folder that is gone once the hook starts.
func inDeletedFolder(named bool) func(*asking, step) heard {
	return func(a *asking, s step) heard {
		gone := filepath.Join(a.repo, "gone")
		a.must(os.MkdirAll(gone, 0o700))
		event := a.stdin(s)
		if named {
			event = strings.Replace(event, `"cwd":"`+a.repo+`"`, `"cwd":"`+gone+`"`, 1)
		} else {
			event = strings.Replace(event, `"cwd":"`+a.repo+`",`, "", 1)
		}
		line := "cd gone && rmdir ../gone && exec " + a.lineFor(s)
		return a.ask(line, eventOf(s), []byte(event), false)
	}
}

func signalFaults() []fault {
	with := func(name string, signal syscall.Signal, pre, post string) fault {
		return fault{name: name, pre: pre, post: post, breaks: func(*place) {}, asks: func(a *asking, s step) heard {
			return a.askAndSignal(a.lineFor(s), eventOf(s), []byte(a.stdin(s)), signal)
		}}
	}
	return []fault{
		with("SIGTERM while it runs", syscall.SIGTERM, byLine, "line"),
		with("SIGKILL while it runs", syscall.SIGKILL, byLine, "line"),
		with("SIGHUP while it runs", syscall.SIGHUP, byLine, "line"),
		with("SIGPIPE while it runs", syscall.SIGPIPE, judged, "silence"),
	}
}
