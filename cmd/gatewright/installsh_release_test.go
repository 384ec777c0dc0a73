//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstallUnpacked: a release that is unpacked needs no Go. The second time nothing
// is changed, and an old program is replaced as a whole: who has it open reads it on.
func TestInstallUnpacked(t *testing.T) {
	r := newReleased(t)
	r.must(os.WriteFile(filepath.Join(r.unpacked, "gatewright"), r.program, 0o644))
	r.must(os.MkdirAll(r.bin, 0o755))
	program := filepath.Join(r.bin, "gatewright")
	r.must(os.WriteFile(program, []byte("the old one"), 0o755))
	old, err := os.Open(program)
	r.must(err)
	defer old.Close()

	out, err := r.run(tools)
	r.must(err)
	for _, want := range []string{program + " is installed", "is not on PATH", "claude  a refund of 900 is denied", "To undo all of it:"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	r.expectInstalled()
	if text, err := io.ReadAll(old); string(text) != "the old one" {
		t.Errorf("the old program became %.20q, %v", text, err)
	}
	if out, err := r.run(tools); err != nil || !strings.Contains(out, "gatewright is up to date") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestInstallArchive: an archive is taken if it has the checksum that is said of it,
// with whichever program there is that can tell.
func TestInstallArchive(t *testing.T) {
	for _, tool := range []string{"sha256sum", "shasum"} {
		t.Run(tool, func(t *testing.T) {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("SKIPPED: no %s here", tool)
			}
			r := newReleased(t)
			r.pack(r.program)
			out, err := r.run(toolsWith(tool), "--archive", r.archive)
			if err != nil || !strings.Contains(out, "gatewright is installed") {
				t.Fatalf("%v\n%s", err, out)
			}
			r.expectInstalled()
			moved := filepath.Join(r.root, "sums elsewhere")
			r.must(os.Rename(r.sum, moved))
			out, err = r.run(toolsWith(tool), "--archive", r.archive, "--checksums", moved, "--client", "claude")
			if err != nil || !strings.Contains(out, "gatewright is up to date") || strings.Contains(out, "codex ") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestInstallRefused: whatever is wrong with a release, the program that is there
// stays, nothing is registered, and the reason is said.
func TestInstallRefused(t *testing.T) {
	r := newReleased(t)
	r.must(os.MkdirAll(r.bin, 0o755))
	r.must(os.WriteFile(filepath.Join(r.bin, "gatewright"), []byte("the old one"), 0o755))
	r.program = r.program[:4096] // none of these comes so far as to run it
	fromArchive := []string{"--archive", r.archive}
	for _, test := range []struct {
		name    string
		prepare func()
		tools   []string
		args    []string
		want    string
	}{
		{"another archive", func() { r.change(r.archive, func(b []byte) []byte { b[len(b)/2]++; return b }) }, tools, fromArchive, "is not the one that was released"},
		{"another checksum", func() {
			r.change(r.sum, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("  gate"), []byte("0  gate")) })
		}, tools, fromArchive, "is not the one that was released"},
		{"no checksums", func() { r.must(os.Remove(r.sum)) }, tools, fromArchive, "there is no file of checksums"},
		{"no checksums elsewhere", nil, tools, append(fromArchive, "--checksums", r.root+"/nowhere"), "there is no file of checksums"},
		{"not named", func() {
			r.change(r.sum, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("v9"), []byte("v8")) })
		}, tools, fromArchive, "does not name gatewright_v9.tar.gz"},
		{"named twice", func() {
			r.change(r.sum, func(b []byte) []byte { return fmt.Appendf(b, "%064d *gatewright_v9.tar.gz", 1) })
		}, tools, fromArchive, "names gatewright_v9.tar.gz twice"},
		{"nothing to check with", nil, toolsWith(""), fromArchive, "neither sha256sum nor shasum is on PATH"},
		{"no archive", nil, tools, []string{"--archive", r.root + "/nowhere"}, "there is no archive"},
		{"not a file", nil, tools, []string{"--checksums", r.sum}, "--checksums is for an archive"},
		{"a broken archive", func() { r.rewrite(func(b []byte) []byte { return b[:len(b)/2] }) }, tools, fromArchive, "the program cannot be read"},
		{"another machine", func() { r.pack(r.forAnotherMachine()) }, tools, fromArchive, "this program is made for " + otherMachine() + ", and this machine is " + thisMachine()},
		{"no program", func() { r.pack([]byte("#!/bin/sh\necho\n")) }, tools, fromArchive, "made for no machine that there are releases for"},
		{"half a program", func() { r.pack(r.program[:64]) }, tools, fromArchive, "the program does not run in " + r.bin},
		{"neither release nor clone", nil, tools, nil, "there is neither a program beside this script nor a clone around it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r.t = t
			r.pack(r.program)
			if test.prepare != nil {
				test.prepare()
			}
			out, err := r.run(test.tools, test.args...)
			if err == nil || !strings.Contains(out, test.want) || strings.Contains(out, "To undo") {
				t.Errorf("want %q, got %v\n%s", test.want, err, out)
			}
			r.expectUntouched()
		})
	}
}

// TestReleaseUnwritable: without the right to write the folder, the reason is said and
// nothing changes. Root can write everywhere, so it becomes somebody else for that.
func TestReleaseUnwritable(t *testing.T) {
	r := newReleased(t)
	r.must(os.WriteFile(filepath.Join(r.unpacked, "gatewright"), r.program, 0o755))
	r.must(os.MkdirAll(r.bin, 0o755))
	r.must(os.WriteFile(filepath.Join(r.bin, "gatewright"), []byte("the old one"), 0o755))
	r.must(os.Chmod(r.bin, 0o555))
	defer os.Chmod(r.bin, 0o755)
	r.must(os.Chmod(filepath.Dir(r.root), 0o755)) // the folder that t.TempDir is in
	for bin, want := range map[string]string{
		r.bin:         "nothing can be written into " + r.bin,
		r.bin + "/my": r.bin + "/my cannot be made",
	} {
		cmd := exec.Command("/bin/sh", filepath.Join(r.unpacked, "install.sh"), r.repo)
		cmd.Dir, cmd.Env = r.root, []string{"HOME=" + r.home, "GATEWRIGHT_BIN=" + bin, "PATH=" + os.Getenv("PATH")}
		if os.Geteuid() == 0 {
			runAs(cmd, 65534)
		}
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "GATEWRIGHT_BIN=FOLDER") {
			t.Errorf("want %q, got %v\n%s", want, err, out)
		}
		r.expectUntouched()
	}
}
