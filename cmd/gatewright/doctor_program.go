package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gatewright/install"
)

// lines are the different lines by which the client calls us before a call.
func (p *patient) lines() []install.Entry {
	var list []install.Entry
	for _, e := range p.report.Entries {
		same := func(o install.Entry) bool { return o.Command == e.Command }
		if e.Kind == install.Right && e.Event == "PreToolUse" && !slices.ContainsFunc(list, same) {
			list = append(list, e)
		}
	}
	return list
}

const reinstall = "sh install/install.sh, in a clone of gatewright"

// checkPrograms looks at the programs to which our entries lead.
func (p *patient) checkPrograms() {
	var programs []string
	for _, e := range p.report.Entries {
		if e.Kind == install.Right && !slices.Contains(programs, e.Program) {
			programs = append(programs, e.Program)
		}
		p.needed = p.needed || e.Kind == install.Right && e.IsShared()
	}
	for _, program := range programs {
		if program != "" {
			p.checkProgram(program, p.installFix())
		} else if path := p.sharedProgram(); path != "" {
			p.checkProgram(path, reinstall)
		} else {
			p.fault("program", "there is no gatewright in ~/.local/bin or on PATH, so every call is denied", reinstall)
		}
	}
}

// sharedProgram is what the line of a team leads to: the place below HOME if it can be
// run, else the first one on PATH. A file that cannot be run is better than nothing.
func (p *patient) sharedProgram() string {
	at := p.home.Program
	info, err := os.Stat(at)
	there := p.env.get("HOME") != "" && err == nil
	if there && info.Mode()&0o111 != 0 {
		return at
	}
	path, err := p.lookPath("gatewright")
	if err == nil {
		return path
	}
	if there {
		return at
	}
	return ""
}

func (p *patient) checkProgram(path, remedy string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		p.fault("program", fmt.Sprintf("the registered line leads to nothing: %v", err), remedy)
	case !info.Mode().IsRegular():
		p.fault("program", path+" is not a regular file", remedy)
	case info.Mode()&0o111 == 0:
		p.fault("program", path+" is not executable, so every call is denied", "chmod +x "+shellWord(path))
	default:
		p.checkBuild(path)
	}
}

// checkBuild compares the program's version with ours.
func (p *patient) checkBuild(path string) {
	running, err := os.Executable()
	if err == nil && install.IsSameFile(path, running) {
		p.well("program", path+" is this program")
		return
	}
	out, err := limited{limit: clientLimit, dir: p.dir, env: p.env}.run(path, "version")
	said := strings.TrimSpace(out.stdout)
	switch {
	case err != nil:
		p.fault("program", fmt.Sprintf("%s version: %v; another program is in gatewright's place", path, err), reinstall)
	case !strings.HasPrefix(said, "gatewright "):
		p.fault("program", fmt.Sprintf("%s is another program: to version it says %s", path, excerpt(said)), reinstall)
	case said != versionLine():
		p.fault("program", fmt.Sprintf("%s is another version: %s; this one is %s", path, excerpt(said), versionLine()), reinstall)
	default:
		p.well("program", path+" has the version of this program")
	}
}

// slow is how long a line may take before that is worth a word.
const slow = time.Second

// checkLines runs every line with a call that must be denied.
func (p *patient) checkLines() {
	for _, line := range p.lines() {
		t, err := p.try(line)
		switch detail := fmt.Sprintf("%s is denied after %d ms", t.what, t.took.Milliseconds()); {
		case err != nil:
			p.fault("self-check", fmt.Sprintf("the registered line of %s does not deny: %v", line.File, err), "mend what is wrong with the program, then: "+p.command("doctor"))
		case t.took > slow:
			p.note("self-check", detail+", which every call has to wait for", "")
		default:
			p.well("self-check", detail)
		}
	}
}

// try runs a line where there is a policy.
func (p *patient) try(line install.Entry) (trial, error) {
	dir := p.dir
	if !p.hasPolicy() && !line.IsShared() {
		temp, remove, err := starterDir()
		if err != nil {
			return trial{}, err
		}
		defer remove()
		dir = temp
	}
	return p.tryLine(p.client, line.Command, dir)
}
