package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// release is a client's version, as major, minor and patch.
type release [3]int

func (v release) isBefore(other release) bool { return slices.Compare(v[:], other[:]) < 0 }

// Versions from which on a client can do something, or was tried.
var (
	claudeResults   = release{2, 1, 121} // replaces results of every tool
	claudeOnFailure = release{2, 1, 295} // denies when a hook fails
	codexTried      = release{0, 171, 0}
)

// checkVersion asks the client's program, which may hang.
func (p *patient) checkVersion() {
	if p.program == "" {
		p.note("version", fmt.Sprintf("there is no %s on PATH, so only its settings are looked at", p.client.Name), "")
		return
	}
	out, err := limited{limit: clientLimit, dir: p.dir, env: p.env}.run(p.program, "--version")
	if err != nil {
		p.fault("version", fmt.Sprintf("%s --version: %v", p.program, err), "install "+p.client.Name+" again, or take this program off PATH")
		return
	}
	v, known := releaseIn(out.stdout)
	if !known {
		p.note("version", fmt.Sprintf("%s --version says %s, in which there is no version", p.program, excerpt(out.stdout)), "")
		return
	}
	p.well("version", fmt.Sprintf("%d.%d.%d (%s)", v[0], v[1], v[2], p.program))
	p.checkAbilities(v)
}

// checkAbilities says what the version cannot do.
func (p *patient) checkAbilities(v release) {
	switch {
	case p.client.Name == "codex" && v.isBefore(codexTried):
		p.note("abilities", "gatewright was tried with 0.171.0; an older Codex may not run hooks at all", "update Codex")
	case p.client.Name == "codex":
		p.well("abilities", "runs hooks")
	case v.isBefore(claudeResults):
		p.fault("abilities", "before 2.1.121 only results of MCP tools are replaced: redact and drop do nothing for others", "claude update")
	case v.isBefore(claudeOnFailure):
		p.note("abilities", "before 2.1.295 there is no onFailure: a program in gatewright's place that hangs lets calls run", "claude update")
	default:
		p.well("abilities", "results are replaced (updatedToolOutput), a hook that fails denies (onFailure)")
	}
}

// releaseIn finds the first word that is a version.
func releaseIn(text string) (release, bool) {
	for _, word := range strings.Fields(text) {
		word, _, _ = strings.Cut(strings.TrimPrefix(word, "v"), "-")
		parts := strings.Split(word, ".")
		if len(parts) != len(release{}) {
			continue
		}
		var v release
		bad := false
		for i, part := range parts {
			n, err := strconv.Atoi(part)
			v[i], bad = n, bad || err != nil
		}
		if !bad {
			return v, true
		}
	}
	return release{}, false
}

// maxExcerpt is how much of another program's words is repeated, in characters.
const maxExcerpt = 100

func excerpt(text string) string {
	runes := []rune(strings.TrimSpace(text))
	if len(runes) > maxExcerpt {
		return strconv.Quote(string(runes[:maxExcerpt]) + " …")
	}
	return strconv.Quote(string(runes))
}
