package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gatewright/hooks"
	"gatewright/install"
)

// checkTrust finds out whether Codex runs what is registered.
func (p *patient) checkTrust() {
	var files []string
	for _, line := range p.report.Ours() {
		if p.report.Of(line, "PreToolUse", install.Right) > 0 {
			files = append(files, line)
		}
	}
	switch {
	case len(files) == 0:
	case p.program != "":
		p.askCodex(files)
	case !p.hasConfig():
		p.note("trust", "there is no codex, and no config.toml of one; whoever uses Codex here has to run: "+p.installFix(), "")
	default:
		p.readTrust(files)
	}
}

// hasConfig reports that somebody has used Codex here.
func (p *patient) hasConfig() bool {
	_, err := os.Lstat(filepath.Join(p.home.Codex, "config.toml"))
	return p.home.Codex != "" && err == nil
}

func (p *patient) askCodex(files []string) {
	reasons, err := install.AskCodex(serverLimit, p.program, files, p.repo, p.home)
	if err != nil {
		p.fault("trust", fmt.Sprintf("codex could not be asked whether it trusts the handlers: %v", err), "update Codex, then: "+p.command("doctor"))
		return
	}
	for i, reason := range reasons {
		if reason == nil {
			p.well("trust", "Codex says that it trusts the handlers of "+files[i])
			continue
		}
		p.fault("trust", p.because(reason).Error(), p.trustFix())
	}
}

// because adds that the repository is not trusted.
func (p *patient) because(reason error) error {
	if p.scope() == install.User || p.watch.ProjectTrust() == "trusted" {
		return reason
	}
	return fmt.Errorf("%w. Codex does not trust the repository %s", reason, p.repo.Main)
}

// readTrust reads what Codex remembers, where there is no codex to be asked.
func (p *patient) readTrust(files []string) {
	for _, file := range files {
		err := p.watch.Remembered(file)
		if err == nil && p.scope() != install.User && p.watch.ProjectTrust() != "trusted" {
			err = errors.New("by its config.toml the handlers are trusted, but not the repository")
		}
		if err == nil {
			p.well("trust", "by its config.toml (there is no codex on PATH to be asked) Codex trusts the handlers of "+file)
			continue
		}
		p.fault("trust", p.because(err).Error(), p.trustFix())
	}
}

func (p *patient) trustFix() string {
	for _, s := range p.report.Off {
		if s.Counts {
			return "switch hooks on first (see switches), then: " + p.command("doctor")
		}
	}
	if p.scope() != install.User && p.watch.ProjectTrust() == "untrusted" {
		return fmt.Sprintf("write trust_level = \"trusted\" below [projects.%s] in %s/config.toml, then: %s", hooks.EncodeJSON(p.repo.Main), p.home.Codex, p.installFix())
	}
	return p.installFix()
}
