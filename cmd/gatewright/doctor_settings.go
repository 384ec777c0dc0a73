package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gatewright/install"
)

// checkSettings names the files that the client ignores because it cannot read them.
func (p *patient) checkSettings() {
	for _, why := range p.report.Unread {
		p.fault("settings", why+"; "+p.client.Name+" ignores the whole file, or does not start", "mend the file at that place, then: "+p.command("doctor"))
	}
	for _, why := range p.report.Dropped {
		p.fault("settings", why, "mend the value at that place")
	}
	for _, why := range p.report.Doubts {
		p.note("settings", why, "")
	}
	if len(p.report.Unread)+len(p.report.Dropped) == 0 {
		p.well("settings", "readable: "+listed(p.report.Files))
	}
}

// listed is a list for a reader.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// checkSwitches names the settings that keep the client from calling anybody.
func (p *patient) checkSwitches() {
	off := false
	for _, s := range p.report.Off {
		off = off || s.Counts
		if s.Counts {
			p.fault("switches", s.String(), p.switchFix(s))
		} else {
			p.note("switches", s.String()+", which another setting overrides", "")
		}
	}
	if !off {
		p.well("switches", "no setting switches hooks off")
	}
}

func (p *patient) switchFix(s install.Switch) string {
	name, _, _ := strings.Cut(s.Name, " ")
	fix := fmt.Sprintf("take %s out of %s", name, s.File)
	if dir := filepath.Dir(s.File); dir == p.home.Managed || dir == p.home.ManagedCodex || filepath.Dir(dir) == p.home.Managed {
		return "an administrator has to " + fix + ", or to register gatewright in that folder"
	}
	return fix
}

// checkEnv names variables that settings give the hooks.
func (p *patient) checkEnv() {
	for _, why := range p.report.Env {
		p.faultIf(!p.report.Managed, "env", why, "take it out of env in that file")
	}
	for _, what := range p.report.Ordinary {
		p.note("env", what, "")
	}
	for _, name := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"} {
		if p.client.Name == "claude" && p.env.get(name) != "" {
			p.faultIf(!p.report.Managed, "env", name+" is set here, so a Claude Code that is started from here runs no hooks of projects and users", "unset "+name)
		}
	}
	if p.client.Name == "claude" && len(p.report.Env) == 0 {
		p.well("env", "no settings set a variable that comes between the client and gatewright")
	}
}

// checkRegistered looks at whether every event calls us, from every folder in which a
// session can start.
func (p *patient) checkRegistered() {
	ours := p.report.Ours()
	if len(ours) == 0 {
		p.faultIf(p.hasPolicy() && p.program != "", "registered", "gatewright is not registered, so no call is judged", p.installFix())
		return
	}
	faults := len(p.findings)
	if len(p.report.Missing) > 0 {
		p.fault("registered", "nothing calls gatewright at "+strings.Join(p.report.Missing, ", "), p.installFix())
	}
	for _, file := range ours {
		if lacks := p.lacks(file); len(lacks) > 0 {
			p.fault("registered", file+" does not register gatewright for "+strings.Join(lacks, ", "), p.installFix())
		}
	}
	if below := p.missingBelow(); len(below) > 0 && len(p.findings) == faults {
		p.fault("registered", "sessions that start in a folder below are not judged: gatewright is not in settings.local.json", p.installFix())
	}
	if len(p.findings) == faults {
		p.well("registered", fmt.Sprintf("for %d events in %s", len(p.client.Events), listed(ours)))
	}
}

// lacks are events that other files register us for and this one does not.
func (p *patient) lacks(file string) []string {
	var list []string
	for _, r := range p.client.Events {
		if p.report.Of(file, r.Event, install.Right) == 0 && !slices.Contains(p.report.Missing, r.Event) {
			list = append(list, r.Event)
		}
	}
	return list
}

// missingBelow are the events that would be missing if the client were started in a
// folder below.
func (p *patient) missingBelow() []string {
	if p.client.Name != "claude" || !p.repo.Git || p.report.Managed {
		return nil
	}
	below := p.watch
	below.Dir = filepath.Join(p.dir, "folder")
	return below.Report().Missing
}

// checkHandlers looks for entries of ours that are not as install writes them.
func (p *patient) checkHandlers() {
	before := len(p.findings)
	for _, e := range p.report.Entries {
		gone := slices.Contains(p.report.Missing, e.Event)
		switch e.Kind {
		case install.Altered:
			p.faultIf(gone || p.client.Name == "claude" && !p.report.Managed, "handlers",
				fmt.Sprintf("%s: the handler for %s is altered (%s)", e.File, e.Event, strings.Join(e.Fields, ", ")), p.installFix())
		case install.Strange:
			p.faultIf(gone, "handlers", fmt.Sprintf("%s: a handler for %s calls gatewright by a line of another version, or one written by hand", e.File, e.Event), p.installFix())
		case install.Misplaced:
			p.faultIf(gone, "handlers", fmt.Sprintf("%s: the handler for %s names the program of one machine, which does not count in this file", e.File, e.Event), p.installFix())
		}
	}
	p.noteDoubles()
	if len(p.findings) == before && len(p.report.Ours()) > 0 {
		p.well("handlers", "as install writes them, each once")
	}
}

func (p *patient) noteDoubles() {
	for _, file := range p.report.Ours() {
		for _, r := range p.client.Events {
			if n := p.report.Of(file, r.Event, install.Right); n > 1 {
				p.note("handlers", fmt.Sprintf("%s has %d equal handlers for %s", file, n, r.Event), p.installFix())
			}
		}
	}
	if lines := p.lines(); len(lines) > 1 {
		p.note("handlers", "several files register gatewright by different lines: every call is judged as often, and counted once", "")
	}
}

// listOthers names hooks of others that can change or answer what we have judged.
func (p *patient) listOthers() {
	before, answers := len(p.findings), false
	for _, e := range p.report.Entries {
		switch {
		case e.Kind != install.Foreign:
		case e.Event == "PreToolUse":
			p.note("others", fmt.Sprintf("%s: a PreToolUse hook that can rewrite a call after it was judged: %s", e.File, excerpt(e.Command)), "")
		case e.Event == "PermissionRequest":
			answers = true
			p.note("others", fmt.Sprintf("%s: a PermissionRequest hook that can answer for a person: %s", e.File, excerpt(e.Command)), "")
		}
	}
	if who := p.watch.Answerer(); who != "" && !answers && len(p.report.Unread) == 0 {
		p.note("others", who+" may bring a PermissionRequest hook that can answer for a person", "")
	}
	if len(p.findings) == before {
		p.well("others", "no other hook can rewrite a call or answer for a person")
	}
}

// scope is where the client is registered; for the project if it is not.
func (p *patient) scope() install.Scope {
	ours := p.report.Ours()
	for _, scope := range []install.Scope{install.Project, install.Local, install.User} {
		paths, err := install.Files(p.client.Name, scope, p.repo, p.home)
		if err == nil && slices.Contains(ours, paths[0]) {
			return scope
		}
	}
	return install.Project
}

// installFix is the command that registers us as we are registered.
func (p *patient) installFix() string {
	if len(p.report.Unread) > 0 {
		return "mend the file that cannot be read first (see settings), then: " + p.command("doctor")
	}
	command := "install --client " + p.client.Name
	if scope := p.scope(); scope != install.Project {
		command += " --scope " + string(scope)
	}
	return p.command(command)
}

// command is one of ours for the folder that was named.
func (d *doctor) command(command string) string {
	if d.named {
		command += " " + shellWord(d.dir)
	}
	return "gatewright " + command
}
