package main

import (
	"fmt"
	"slices"
	"strings"
)

// page is the man page; the program itself comes first in all.
func page(all []help, date, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH GATEWRIGHT 1 %s gatewright\n", date)
	b.WriteString(".SH NAME\ngatewright \\- gates for the tool calls of coding agents\n")
	b.WriteString(".SH SYNOPSIS\n.B gatewright\n.I command\n.RI [ flags ]\n.RI [ arguments ]\n")
	b.WriteString(".SH DESCRIPTION\n")
	writeText(&b, all[0].about)
	b.WriteString(".SH OPTIONS\n.TP\n.B \\-h, \\-\\-help\nEvery command takes it and says what it does.\n")
	writeFlags(&b, all[0].flags)
	b.WriteString(".SH COMMANDS\n")
	for _, h := range all[1:] {
		for _, usage := range h.usage {
			fmt.Fprintf(&b, ".SS %s\n", roff(strings.TrimSuffix(usage, " [flags]")))
		}
		writeText(&b, h.about)
		writeFlags(&b, h.flags)
	}
	b.WriteString(ending)
	fmt.Fprintf(&b, ".SH VERSION\nThis is the page of %s.\n", roff(version)) // too long for a footer
	return b.String()
}

// ending is what no help text says.
const ending = `.SH EXIT STATUS
.B gatewright hook
ends with 0 after an answer, 2 if it could not write one, 64 for a wrong command line, and never with 1.
All other commands end with 0, or with 1 after an error.
.SH FILES
.TP
.I .gatewright/policy.toml
The policy of a repository;
.I .gatewright/local.toml
beside it is that of one person there.
.TP
.I $XDG_CONFIG_HOME/gatewright/policy.toml
The policy of a user (by default below
.IR \(ti/.config ).
.TP
.I /etc/gatewright/policy.toml
The policy of the machine's administrator.
.TP
.I $XDG_STATE_HOME/gatewright
What was proved and spent, and the audit (by default below
.IR \(ti/.local/state ).
`

// writeText fills paragraphs, and keeps the lines of those that are laid out.
func writeText(b *strings.Builder, lines []string) {
	first := true
	for _, part := range strings.Split(strings.Trim(strings.Join(lines, "\n"), "\n"), "\n\n") {
		if !first {
			b.WriteString(".PP\n")
		}
		first = false
		lines := strings.Split(part, "\n")
		laidOut := slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, " ") || strings.HasPrefix(l, "--") })
		if laidOut {
			b.WriteString(".nf\n")
		}
		for _, line := range lines {
			b.WriteString(roff(line) + "\n")
		}
		if laidOut {
			b.WriteString(".fi\n")
		}
	}
}

func writeFlags(b *strings.Builder, flags []option) {
	for _, f := range flags {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(f.name), roff(f.text))
	}
}

// roff is a line that comes out as it is: hyphens that can be searched and copied,
// and no sign that the formatter would take for its own.
func roff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		b.WriteString(`\&`)
	}
	names := map[rune]string{'\\': `\e`, '-': `\-`, '\'': `\(aq`, '^': `\(ha`, '~': `\(ti`, '`': `\(ga`, '"': `\(dq`}
	for _, r := range line {
		switch name := names[r]; {
		case name != "":
			b.WriteString(name)
		case r > 0x7e:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
