// Command release builds the archives of a release from what is committed, their
// software bills of materials, and a file of checksums. With the same commit and the
// same Go, anybody gets the same bytes.
//
//	go run ./testdata/release [-out dist] [-targets linux/amd64,darwin/arm64]
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usual are the machines that releases are made for. Nobody has run the program on
// Windows yet: it is left out if it does not build, and says so if it does.
const usual = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64," + untried

const untried = "windows/amd64"

func main() {
	log.SetFlags(0)
	out := flag.String("out", "dist", "folder for the archives")
	targets := flag.String("targets", usual, "operating systems and architectures")
	flag.Parse()
	if err := release(".", *out, strings.Split(*targets, ",")); err != nil {
		log.Fatal("release: ", err)
	}
}

// release makes the release of the commit that is checked out in root.
func release(root, out string, targets []string) error {
	work, err := os.MkdirTemp("", "gatewright-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	source, err := checkout(root, work)
	if err != nil {
		return err
	}
	common, err := source.commonFiles()
	if err != nil {
		return err
	}
	var made []file
	for _, target := range targets {
		files, err := source.archive(target, common)
		if err != nil && target == untried {
			log.Printf("%s does not build, so there is no archive for it: %v", target, err)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		made = append(made, files...)
	}
	return write(out, append(made, checksums(made)))
}

// checksums is the file that sha256sum -c takes.
func checksums(made []file) file {
	var lines []string
	for _, f := range made {
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(f.text), f.name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[64:], b[64:]) })
	return file{name: "SHA256SUMS", text: []byte(strings.Join(lines, ""))}
}

// write writes everything, once everything is made.
func write(out string, made []file) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range made {
		path := filepath.Join(out, f.name)
		if err := os.WriteFile(path, f.text, 0o644); err != nil {
			return err
		}
		log.Printf("%s (%d bytes)", path, len(f.text))
	}
	return nil
}
