package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is one file of an archive or of the release.
type file struct {
	name string // with slashes
	text []byte
	mode os.FileMode
}

// commonFiles are those that all archives have. The man page and the completion
// scripts are made by the program for this machine.
func (s *source) commonFiles() ([]file, error) {
	program, err := s.build(here())
	if err != nil {
		return nil, err
	}
	var files []file
	for name, path := range map[string]string{"LICENSE": "LICENSE", "README.md": "README.md", "install.sh": "install/install.sh"} {
		text, err := os.ReadFile(filepath.Join(s.dir, path))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, 0o644})
	}
	for name, command := range map[string][]string{
		"gatewright.1":                {"go", "run", "./testdata/man", program.path},
		"completions/gatewright.bash": {program.path, "completion", "bash"},
		"completions/_gatewright":     {program.path, "completion", "zsh"},
		"completions/gatewright.fish": {program.path, "completion", "fish"},
	} {
		text, err := output(s.dir, nil, command[0], command[1:]...)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, []byte(text + "\n"), 0o644})
	}
	return files, nil
}

// archive makes a target's archive and its bill of materials.
func (s *source) archive(target string, common []file) ([]file, error) {
	program, err := s.build(target)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(program.path)
	if err != nil {
		return nil, err
	}
	licenses, err := s.licenses(program)
	if err != nil {
		return nil, err
	}
	name := "gatewright_" + program.Main.Version + "_" + strings.ReplaceAll(target, "/", "_")
	files := append(slices.Clone(common), licenses...)
	pack, ending := tarGz, ".tar.gz"
	if strings.HasPrefix(target, "windows/") {
		pack, ending = zipped, ".zip"
		files = append(files, file{"gatewright.exe", text, 0o755}, file{"NEVER-RUN.txt", []byte(neverRun), 0o644})
	} else {
		files = append(files, file{"gatewright", text, 0o755})
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	packed, err := pack(name, files, program.at)
	if err != nil {
		return nil, err
	}
	return []file{{name: name + ending, text: packed}, {name: name + ".cdx.json", text: bill(program, text)}}, nil
}

const neverRun = `Nobody has run this program on Windows. It builds, and that is all that is known.
install.sh does not install it, and the lines that gatewright install registers need
/bin/sh. Do not rely on it to stop anything.
`

// licenses are those of the modules that are linked, and of Go's own library: they ask
// to be handed on with the program.
func (s *source) licenses(program *built) ([]file, error) {
	root, err := output(s.dir, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	files, err := licensesIn("licenses/go", root)
	if err != nil {
		return nil, err
	}
	for _, module := range modules(program) {
		dir, err := output(s.dir, nil, "go", "list", "-m", "-f", "{{.Dir}}", module.Path)
		if err != nil {
			return nil, err
		}
		more, err := licensesIn("licenses/"+module.Path+"@"+module.Version, dir)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

func licensesIn(name, dir string) ([]file, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		isLicense := slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"}, func(begin string) bool { return strings.HasPrefix(upper, begin) })
		if !isLicense || !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name + "/" + e.Name(), text, 0o644})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no licence in %s", dir)
	}
	return files, nil
}
