package main

import (
	"path"
	"strings"

	"gatewright/gate/shell"
)

// scriptsOf are texts that a line writes into files, by the name of the file.
type scriptsOf map[string]string

// note keeps what a command writes, where the line has the text.
func (s scriptsOf) note(cmd shell.Command) {
	var files []string
	for _, r := range cmd.Redirects {
		if r.Writes {
			files = append(files, r.Target.Text)
		}
	}
	if cmd.Name() == "tee" {
		for _, word := range cmd.Operands() {
			files = append(files, word.Text)
		}
	}
	if len(files) == 0 {
		return
	}
	text := ""
	if cmd.Stdin != nil {
		text = cmd.Stdin.Text
	}
	if name := cmd.Name(); name == "echo" || name == "printf" {
		text = textOf(cmd.Args())
	}
	for _, file := range files {
		s[path.Base(file)] = text
	}
}

// textOf joins words as one text.
func textOf(words []shell.Word) string {
	out := make([]string, len(words))
	for i, word := range words {
		out[i] = word.Text
	}
	return strings.Join(out, " ")
}

// runsWritten judges a command that runs what the line has written, as code.
func (l shellLine) runsWritten(cmd shell.Command, written scriptsOf) (what, evades string) {
	if len(written) == 0 || len(cmd.Words) == 0 {
		return "", ""
	}
	run := []string{path.Base(cmd.Words[0].Text)}
	switch name := cmd.Name(); {
	case name == "make" || name == "gmake":
		run = []string{"Makefile", "makefile", "GNUmakefile"}
	case isShell(name) || interpreter(name) != "":
		paths := cmd.Operands()
		for _, word := range paths[:min(len(paths), 2)] { // deno run x.ts
			run = append(run, path.Base(word.Text))
		}
	}
	for _, name := range run {
		if text, ok := written[name]; ok {
			what, evades = l.own.Mentioned(text), mentionsStart(text)
		}
		if what+evades != "" {
			return what, evades
		}
	}
	return "", ""
}

// isShell tells what reads a file as commands of a shell.
func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "ash", "source", ".", "eval":
		return true
	}
	return false
}
