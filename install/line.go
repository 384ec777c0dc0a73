package install

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"gatewright/hooks"
)

// Line is a command line that clients run at an event. It works in any shell: it
// hands a script to /bin/sh, and there is no single quote in a shared script.
type Line struct {
	find    string // sets $g to the program
	flags   string
	program string // the one that it names, if it does
}

// Shared is the line of files that a team shares. A settings file can set PATH
// but not HOME, so the place below HOME is tried first. A repository that has
// such a line has a policy, so a policy that is gone denies.
func Shared() Line {
	return Line{find: `g=$HOME/.local/bin/gatewright; [ -x "$g" ] || g=gatewright; `, flags: " --require-policy"}
}

// Own is the line of a user's own files: it names the program by its absolute
// path and is silent where there is no policy.
func Own(program string) (Line, error) {
	word, ok := inCommand(program, runtime.GOOS)
	if !ok {
		return Line{}, fmt.Errorf("the path %q cannot be written into a command line: put the program somewhere else", program)
	}
	return Line{find: "g=" + doubleQuoted(word) + "; ", program: word}, nil
}

// inCommand is a program's path as a shell on that system takes it. On Windows the
// clients' shell comes with Git and understands C:/Users, while it takes a
// backslash for a quote.
func inCommand(program, system string) (string, bool) {
	isAbs := strings.HasPrefix(program, "/")
	if system == "windows" {
		program = strings.ReplaceAll(program, `\`, "/")
		drive := len(program) > 3 && program[1] == ':' && program[2] == '/'
		isAbs = drive || strings.HasPrefix(program, "//")
	}
	return program, isAbs && !strings.ContainsFunc(program, isControl)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// ByUs ends every denial that is told by stderr.
const ByUs = "denied by gatewright"

// What is said when the program did not answer as it should. There must be no
// quote, backslash or dollar sign in it.
const (
	denied    = "gatewright did not answer, so this is denied. Do not retry: " + remedy
	unnoticed = "gatewright did not answer, so nothing was recorded: " + remedy
	remedy    = "a person has to install gatewright on this machine, by running sh install/install.sh in a clone of it."
)

// Text is the line for one event of a client. Both clients go on when a hook
// fails, so for an event that can be stopped the line checks the answer and
// turns everything that is none into a denial, in every way that one of the
// clients understands. For any other event it always ends well.
func (l Line) Text(c hooks.Client, r hooks.Registration) string {
	call := `"$g" hook ` + c.Name + l.flags
	if !r.Kind.CanBlock() {
		return inShell(l.find + call + " || printf %s " + doubleQuoted(`{"systemMessage":"`+unnoticed+`"}`) + "; exit 0")
	}
	pass := `printf %s "$o" && exit 0`
	if c.ByStderr {
		// The reason is on stderr already. Without any text there the client
		// would run the call.
		pass = `printf %s "$o"; echo "` + ByUs + `" >&2; exit ` + strconv.Itoa(hooks.ExitBlock)
	}
	denial := c.Refuse(hooks.Event{Kind: r.Kind, Name: r.Event}, "$m").Stdout
	rewrite := ""
	if r.Rewrite != "" {
		rewrite = doubleQuoted(r.Rewrite) + "*" + doubleQuoted(hooks.RewriteEnd) + `) printf %s "$o" && exit 0;; `
	}
	return inShell(l.find + "m=" + doubleQuoted(denied) + "; " +
		"o=$(" + call + " --guarded) && case $o in -) exit 0;; " + rewrite +
		doubleQuoted(r.Begin) + "*" + doubleQuoted(r.End) + ") " + pass + ";; esac; " +
		`echo "$m" >&2; printf %s ` + expanding(string(denial)) + "; exit 2")
}

func inShell(script string) string {
	return shell + strings.ReplaceAll(script, "'", `'\''`) + "'"
}

const shell = "/bin/sh -c '"

// scriptOf is the script of a line that inShell made.
func scriptOf(line string) (string, bool) {
	script, begins := strings.CutPrefix(line, shell)
	script, ends := strings.CutSuffix(script, "'")
	return strings.ReplaceAll(script, `'\''`, "'"), begins && ends
}

// doubleQuoted is a shell word that is exactly this text.
func doubleQuoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
}

// unquoted gives back the text that begins a script as a shell word of
// doubleQuoted.
func unquoted(script string) string {
	var text []byte
	for i := 1; i < len(script) && script[i] != '"'; i++ {
		if script[i] == '\\' && i+1 < len(script) {
			i++
		}
		text = append(text, script[i])
	}
	return string(text)
}

// expanding is a shell word in which variables are replaced.
func expanding(text string) string {
	return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
}
