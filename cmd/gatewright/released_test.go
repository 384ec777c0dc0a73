package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// released is a release and somebody who has none yet, in folders with spaces.
type released struct {
	t                      *testing.T
	root, home, bin, repo  string
	unpacked, archive, sum string
	program                []byte
}

func newReleased(t *testing.T) *released {
	t.Helper()
	root := t.TempDir()
	r := &released{
		t: t, root: root, home: filepath.Join(root, "my home"), repo: filepath.Join(root, "a repo"),
		unpacked: filepath.Join(root, "un packed"), archive: filepath.Join(root, "down loads", "gatewright_v9.tar.gz"),
	}
	r.bin, r.sum = filepath.Join(r.home, ".local", "bin"), filepath.Join(filepath.Dir(r.archive), "SHA256SUMS")
	for _, dir := range []string{r.home, filepath.Join(r.repo, ".git"), r.unpacked, filepath.Dir(r.archive)} {
		r.must(os.MkdirAll(dir, 0o755))
	}
	var err error
	r.program, err = builtProgram()
	r.must(err)
	script, err := os.ReadFile("../../install/install.sh")
	r.must(err)
	r.must(os.WriteFile(filepath.Join(r.unpacked, "install.sh"), script, 0o644))
	return r
}

// builtProgram is the program itself, which is not this test binary by another name.
var builtProgram = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gatewright-built-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, "program"), ".").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return os.ReadFile(filepath.Join(dir, "program"))
})

func (r *released) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// pack makes the archive of a program, with its checksum.
func (r *released) pack(program []byte) {
	r.t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	r.must(w.WriteHeader(&tar.Header{Name: "gatewright_v9/gatewright", Mode: 0o755, Size: int64(len(program))}))
	_, err := w.Write(program)
	r.must(errors.Join(err, w.Close(), z.Close()))
	r.must(os.WriteFile(r.archive, b.Bytes(), 0o644))
	r.must(os.WriteFile(r.sum, fmt.Appendf(nil, "%064d  other.tar.gz\n%x  gatewright_v9.tar.gz\n", 0, sha256.Sum256(b.Bytes())), 0o644))
}

// run runs the script of the unpacked release with these tools alone.
func (r *released) run(tools []string, args ...string) (string, error) {
	r.t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{filepath.Join(r.unpacked, "install.sh")}, append(args, r.repo)...)...)
	cmd.Dir, cmd.Env = r.root, []string{"HOME=" + r.home, "TMPDIR=" + r.root, "PATH=" + pathOf(r.t, tools)}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	return string(out), err
}

// What install.sh needs besides a shell.
var tools = []string{"basename", "cat", "chmod", "cmp", "dirname", "gzip", "mkdir", "mktemp", "mv", "od", "rm", "sha256sum", "tar", "tr", "uname"}

// toolsWith are these and another one instead of sha256sum.
func toolsWith(name string) []string {
	return strings.Fields(strings.Replace(strings.Join(tools, " "), "sha256sum", name, 1))
}

func (r *released) expectInstalled() {
	r.t.Helper()
	program := filepath.Join(r.bin, "gatewright")
	text, err := os.ReadFile(program)
	if err != nil || !bytes.Equal(text, r.program) {
		r.t.Errorf("the program was not installed: %d bytes, %v", len(text), err)
	}
	if info, err := os.Stat(program); err != nil || info.Mode() != 0o755 {
		r.t.Errorf("%v %v", info.Mode(), err)
	}
	r.expectClean()
}

// expectClean: nothing is left in the program's folder or in the temporary one.
func (r *released) expectClean() {
	r.t.Helper()
	for _, pattern := range []string{filepath.Join(r.bin, ".gatewright-*"), filepath.Join(r.root, "tmp.*")} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			r.t.Errorf("left behind: %q %v", left, err)
		}
	}
}

func (r *released) expectUntouched() {
	r.t.Helper()
	if text, err := os.ReadFile(filepath.Join(r.bin, "gatewright")); string(text) != "the old one" {
		r.t.Errorf("the program that was there is %.20q now, %v", text, err)
	}
	if left := tree(r.t, r.repo); len(left) > 0 {
		r.t.Errorf("something was registered: %q", left)
	}
	r.expectClean()
}

// change gives a file other bytes.
func (r *released) change(path string, to func([]byte) []byte) {
	r.t.Helper()
	text, err := os.ReadFile(path)
	r.must(err)
	r.must(os.WriteFile(path, to(text), 0o644))
}

// rewrite gives the archive other bytes and the checksum of these.
func (r *released) rewrite(to func([]byte) []byte) {
	r.t.Helper()
	r.change(r.archive, to)
	text, err := os.ReadFile(r.archive)
	r.must(err)
	r.must(os.WriteFile(r.sum, fmt.Appendf(nil, "%x  gatewright_v9.tar.gz\n", sha256.Sum256(text)), 0o644))
}

func thisMachine() string { return runtime.GOOS + "-" + runtime.GOARCH }

func otherMachine() string {
	if thisMachine() == "linux-arm64" {
		return "darwin-arm64"
	}
	return "linux-arm64"
}

// forAnotherMachine begins as programs of that machine do.
func (r *released) forAnotherMachine() []byte {
	if otherMachine() == "darwin-arm64" {
		return []byte("\xcf\xfa\xed\xfe\x0c\x00\x00\x01\x00\x00\x00\x00\x02\x00\x00\x00\x0d\x00\x00\x00")
	}
	return []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00")
}
