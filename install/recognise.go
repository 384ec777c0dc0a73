package install

import (
	"strings"

	"gatewright/hooks"
)

// isOurs knows what install has written, whatever its version and whatever
// somebody has changed in it since. Clients drop keys that they do not know, so
// nothing but the command and the message can tell.
func (f found) isOurs() bool {
	command := f.command()
	args, _ := f.fields["args"].([]any)
	for _, arg := range args {
		text, _ := arg.(string)
		command += " " + text
	}
	return callsUs(command) || f.fields["statusMessage"] == mark && hooksClient(command)
}

func (f found) command() string {
	command, _ := f.fields["command"].(string)
	return command
}

// callsUs knows our lines, older ones, and those that a person wrote: a program
// called gatewright, or the variable in which our lines keep it, that is told to
// hook one of the clients.
func callsUs(command string) bool {
	return hooksBy(command, func(before string) bool {
		variable := strings.HasSuffix(before, `"$g"`) && strings.Contains(command, "gatewright")
		return variable || endsInProgram(before)
	})
}

// hooksClient is callsUs for a program of any name: ours may have been renamed.
func hooksClient(command string) bool {
	return hooksBy(command, func(string) bool { return true })
}

// hooksBy reports a command in which what stands before hook CLIENT is a program
// that is ours.
func hooksBy(command string, isOurs func(before string) bool) bool {
	for _, c := range hooks.Clients() {
		before, after, found := strings.Cut(command, " hook "+c.Name)
		ends := after == "" || strings.ContainsRune(" \"';&|)", rune(after[0]))
		if found && ends && isOurs(before) {
			return true
		}
	}
	return false
}

// endsInProgram reports a text that ends with our program, by name or path, of a
// version or not: gatewright, /opt/gatewright-1.2.3, "C:\bin\gatewright.exe".
func endsInProgram(text string) bool {
	text = strings.TrimSuffix(strings.TrimRight(text, `"'`), ".exe")
	text = strings.TrimRight(text, "0123456789.")
	for _, end := range []string{"v", "-", "_", "@"} {
		text = strings.TrimSuffix(text, end)
	}
	before, ok := strings.CutSuffix(text, "gatewright")
	return ok && (before == "" || strings.ContainsRune("/\\ \"'", rune(before[len(before)-1])))
}
