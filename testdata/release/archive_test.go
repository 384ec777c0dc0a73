package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unpack reads an archive: one folder of files in their order, of one time and of no one.
func unpack(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files, names := map[string][]byte{}, []string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		mode := int64(0o644)
		if name == "gatewright" {
			mode = 0o755
		}
		if h.Typeflag != tar.TypeReg || h.Mode != mode || h.Uid != 0 || h.Gid != 0 || h.Uname+h.Gname != "" || !h.ModTime.Equal(committed) {
			t.Errorf("%s: %+v", h.Name, h)
		}
		if files[name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("not in order: %q", names)
	}
	return files
}

// checkArchive looks for all that belongs into one, and for what does not.
func checkArchive(t *testing.T, release map[string][]byte, dirs []string) {
	t.Helper()
	files := unpack(t, release[named(t, release, ".tar.gz")])
	for name, holds := range map[string]string{
		"LICENSE":                     "Apache License",
		"README.md":                   "# Gatewright",
		"install.sh":                  "#!/bin/sh",
		"gatewright.1":                ".TH GATEWRIGHT 1 2026-03-02 gatewright\n",
		"completions/gatewright.bash": "__start_gatewright",
		"completions/_gatewright":     "#compdef gatewright",
		"completions/gatewright.fish": "complete -c gatewright",
		"licenses/go/LICENSE":         "The Go Authors",
		"gatewright":                  "v0.0.0-20260302120000-",
	} {
		if !bytes.Contains(files[name], []byte(holds)) {
			t.Errorf("%q is not in %s (%d bytes)", holds, name, len(files[name]))
		}
	}
	for _, dir := range append(dirs, os.TempDir()+"/gatewright-release") {
		if bytes.Contains(files["gatewright"], []byte(dir)) {
			t.Errorf("the program tells where it was built: %s", dir)
		}
	}
}

// checkBill compares the bill of materials with what go version -m says.
func checkBill(t *testing.T, release map[string][]byte) {
	t.Helper()
	archive := unpack(t, release[named(t, release, ".tar.gz")])
	program := filepath.Join(t.TempDir(), "gatewright")
	if err := os.WriteFile(program, archive["gatewright"], 0o700); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		t.Fatal(err)
	}
	var d document
	decoder := json.NewDecoder(bytes.NewReader(release[named(t, release, ".cdx.json")]))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	whole := d.Metadata.Component
	if d.Format != "CycloneDX" || d.Spec != "1.5" || d.Version != 1 || whole.Name != "gatewright" || !strings.Contains(string(said), "\tmod\tgatewright\t"+whole.Version+"\t") {
		t.Errorf("%+v", d)
	}
	if sums := checksums([]file{{name: "x", text: archive["gatewright"]}}); whole.Hashes[0].Content != string(sums.text[:64]) {
		t.Errorf("the hash of the program is not %s", whole.Hashes[0].Content)
	}
	if count := strings.Count(string(said), "\tdep\t"); count < 5 || count+1 != len(d.Components) {
		t.Errorf("%d components, %d modules", len(d.Components), count)
	}
	refs := map[string]bool{whole.Ref: true}
	for _, c := range d.Components {
		if refs[c.Ref] || c.Ref == "" || c.Type != "library" {
			t.Errorf("%+v", c)
		}
		refs[c.Ref] = true
		if c.Name == "std" {
			if !strings.Contains(string(said), ": go"+c.Version+"\n") {
				t.Errorf("%+v", c)
			}
		} else if line := "\tdep\t" + c.Name + "\t" + c.Version + "\t" + c.Properties[0].Value + "\n"; !strings.HasPrefix(c.Properties[0].Value, "h1:") || !strings.Contains(string(said), line) {
			t.Errorf("%+v is not what go says", c)
		}
	}
}

// TestZip: the same files, time and modes as in the other kind of archive.
func TestZip(t *testing.T) {
	files := []file{{"a/b.txt", []byte("b"), 0o644}, {"program.exe", []byte("x"), 0o755}}
	packed, err := zipped("top", files, committed)
	if err != nil {
		t.Fatal(err)
	}
	again, err := zipped("top", files, committed)
	if err != nil || !bytes.Equal(packed, again) {
		t.Errorf("the second time it differs: %v", err)
	}
	r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(r.File) != 2 {
		t.Fatal(err, r)
	}
	for i, f := range r.File {
		text, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(text)
		if err != nil || string(got) != string(files[i].text) || f.Name != "top/"+files[i].name || f.Mode() != files[i].mode || !f.Modified.Equal(committed) {
			t.Errorf("%s %v %v %q %v", f.Name, f.Mode(), f.Modified, got, err)
		}
	}
}
