package gate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// commandLine is what a call of a shell runs, as far as its line shows.
type commandLine struct {
	commands []shell.Command
	err      error // it could not be read to its end
}

// reads takes a shell's line apart, once.
func (c *call) reads() *commandLine {
	if c.line != nil {
		return c.line
	}
	c.line = &commandLine{}
	text := c.args.Get("command")
	if text.Type != gjson.String || c.ev.Tool == "PowerShell" {
		c.line.err = errNotBash
		return c.line
	}
	list := c.ctx.Commands
	if list == nil {
		list = inNoEnvironment
	}
	c.line.commands, c.line.err = list(text.Str)
	return c.line
}

func inNoEnvironment(line string) ([]shell.Command, error) {
	return shell.List(line, func(string) (string, bool) { return "", false })
}

var errNotBash = errors.New("it is no line of a shell that can be read")

// matchCommands says whether a line runs something that a glob matches. Where a rule
// admits, all that it runs must be matched for certain.
func (c *call) matchCommands(globs []string, admits bool) exact.Truth {
	if !c.isLine() {
		return exact.False
	}
	line := c.reads()
	if admits {
		all := line.err == nil && len(line.commands) > 0
		for _, cmd := range line.commands {
			all = all && isPlain(cmd) && runs(cmd, globs) == exact.True && !slices.ContainsFunc(cmd.Redirects, func(r shell.Redirect) bool { return r.Writes })
		}
		return exact.Of(all)
	}
	found, several := exact.False, ofSeveralWords(globs)
	if line.err != nil {
		found = exact.Unknown
	}
	for _, cmd := range line.commands {
		if slices.ContainsFunc(globs, func(glob string) bool { return hasAll(cmd, glob) }) {
			return exact.True
		}
		switch runs(cmd, globs) {
		case exact.True:
			return exact.True
		case exact.Unknown:
			found = exact.Unknown
		case exact.False:
			if slices.ContainsFunc(tails(cmd), func(tail shell.Command) bool { return runs(tail, several) != exact.False }) {
				found = exact.Unknown // a program that is not known may run it
			}
		}
	}
	return found
}

// isPlain reports a command that runs the program which a person means by its name:
// not one of another folder, nor with other variables.
func isPlain(cmd shell.Command) bool {
	return len(cmd.Words) > 0 && cmd.Words[0].Known && !strings.Contains(cmd.Words[0].Text, "/") && len(cmd.Assigns) == 0
}

// ofSeveralWords keeps the globs that name more than a program: one word alone is
// found among what any program is given.
func ofSeveralWords(globs []string) []string {
	return slices.DeleteFunc(slices.Clone(globs), func(glob string) bool {
		_, rest, _ := strings.Cut(glob[:(strings.IndexAny(glob+"*", "*?"))], " ")
		return rest == ""
	})
}

// runs says whether one command is matched.
func runs(cmd shell.Command, globs []string) exact.Truth {
	line, found := cmd.Line(), exact.False
	for _, glob := range globs {
		switch {
		case line == "":
		case wildcard.Match(glob, line) && (!strings.Contains(glob, "?") || !strings.ContainsAny(line, "\x00\x01")):
			return exact.True // what is not known stands where the glob takes anything
		case strings.ContainsAny(line, "\x00\x01") && shell.MayMatch(glob, line):
			found = exact.Unknown
		}
	}
	return found
}

// ruleShell is the rule that asks about a line which does not show what it runs.
const ruleShell = "shell"

// runs adds the calls that a command line makes, as [[command]] tables name them.
func (r *Reached) runs(set *policy.Set, ev hooks.Event, path string) {
	c := newCall(r.ctx, ev)
	line := c.reads()
	r.list = true // what a shell prints is no tool's result
	if line.err != nil {
		r.obscure(line.err.Error())
	}
	opaque := slices.ContainsFunc(set.Layers, func(l *policy.Layer) bool {
		return slices.ContainsFunc(l.Shells, func(s policy.Shell) bool { return s.AskOpaque })
	})
	var written []string
	for n, cmd := range line.commands {
		if len(cmd.Words) == 0 {
			written = append(written, writes(cmd)...)
			continue
		}
		switch {
		case cmd.Program() == "":
			r.obscure("the line does not show which program it runs")
		case cmd.Hidden(), runsWritten(cmd, written):
			r.obscure("a program runs what it reads, or what is typed into it")
		case opaque && cmd.Opaque():
			r.obscure("a program runs code that the line does not show")
		}
		behind := tails(cmd)
		for depth, layer := range set.Layers {
			for _, table := range layer.Commands {
				r.command(set, table, depth, ev, cmd, fmt.Sprintf("%s#%d", path, n+1))
				r.tailed(table, depth, behind)
			}
		}
		written = append(written, writes(cmd)...)
	}
}

func (r *Reached) obscure(why string) {
	if !slices.ContainsFunc(r.Unknown, func(f Finding) bool { return f.Detail == why }) {
		r.doubt(policy.Source{Layer: ownLayer, ID: ruleShell}, -1, "It cannot be told what this command line runs.", why)
	}
}

// command adds the call that one command makes.
func (r *Reached) command(set *policy.Set, table policy.Command, depth int, ev hooks.Event, cmd shell.Command, place string) {
	operands, ok := follows(table, cmd)
	if !ok {
		return
	}
	if len(r.Calls) >= maxReached {
		r.doubt(table.Source, depth, "The line runs too many commands to be judged.", "")
		return
	}
	args := argumentsOf(table, cmd, operands)
	if cmd.IsRepeated() {
		args = map[string]any{} // none of them is told for every time
		r.doubt(table.Source, depth, "The line runs this any number of times.", "")
	}
	call := ev
	call.Tool, call.Args, call.Claim, call.Through = table.Tool, hooks.EncodeJSON(args), nil, ev.Tool
	if call = TakeClaim(set, call); r.add(call, place) {
		r.follow(set, call, 1, place)
	}
}

// follows reports a command that a table is about: its program, and as its first operands
// the words that say what it does. A word behind an option may be the option's value. It
// gives the operands behind them. What is not known may be any of the words.
func follows(table policy.Command, cmd shell.Command) (operands []shell.Word, ok bool) {
	if cmd.Program() != table.Run[0] {
		return nil, false
	}
	want, option := table.Run[1:], false
	for _, w := range cmd.Args() {
		isOption := len(w.Text) > 1 && w.Text[0] == '-'
		switch {
		case len(want) == 0:
			operands = append(operands, w)
		case w.Text == shell.Unknown && !w.IsQuoted(): // which may be any number of words
			operands, want = append(operands, w), nil
		case w.Text == want[0] || !w.Known && shell.MayMatch(want[0], w.Text):
			want = want[1:]
		case !isOption && !option:
			return nil, false // it does something else
		}
		option = isOption && !strings.Contains(w.Text, "=")
	}
	return operands, len(want) == 0
}

// readers are programs that do nothing with the words that they are given but show them,
// look for them, or keep them.
var readers = []string{"echo", "printf", ":", "true", "false", "test", "[", "set", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git", "gh", "glab", "hub", "cat", "ls", "man", "which",
	"type", "whereis", "whatis", "apropos", "help", "alias", "unalias", "hash", "export", "declare", "read", "sed", "awk", "jq", "yq", "curl", "wget", "http", "touch", "mkdir", "rm", "cp", "mv",
	"ln", "chmod", "chown", "tee", "head", "tail", "less", "more", "wc", "sort", "diff", "stat", "file", "du", "basename", "dirname", "realpath", "logger", "say", "mail", "command", "for"}

// tail gives what an unknown program could run of its words: the commands that begin at
// one of them.
func tails(cmd shell.Command) []shell.Command {
	if slices.Contains(readers, cmd.Program()) {
		return nil
	}
	var list []shell.Command
	for i, w := range cmd.Args() {
		if i < maxTails && w.Known && w.Text != "" && w.Text[0] != '-' && !strings.Contains(w.Text, " ") {
			list = append(list, shell.Command{Words: cmd.Words[i+1:]})
		}
	}
	return list
}

// maxTails is how many words of a command are looked at as the beginning of another one.
const maxTails = 30

// tailed asks about a command that may run another one which a table names.
func (r *Reached) tailed(table policy.Command, depth int, tails []shell.Command) {
	for _, tail := range tails {
		if _, ok := follows(table, tail); ok && len(tail.Words) > len(table.Run)-1 {
			r.doubt(table.Source, depth, "The line may run this, by a program that is not known.", "")
			return
		}
	}
}

// writes are the files that a command makes, as far as the line shows.
func writes(cmd shell.Command) []string {
	var files []string
	for _, redirect := range cmd.Redirects {
		if redirect.Writes && redirect.Target.Known {
			files = append(files, redirect.Target.Text)
		}
	}
	switch cmd.Program() {
	case "cp", "mv", "ln", "install", "tee":
		for _, w := range cmd.Args() {
			if w.Known && !strings.HasPrefix(w.Text, "-") {
				files = append(files, w.Text)
			}
		}
	}
	return files
}

// runsWritten reports a command that runs a file which the line has made.
func runsWritten(cmd shell.Command, written []string) bool {
	ran := []string{strings.TrimPrefix(cmd.Words[0].Text, "./")}
	if cmd.Opaque() {
		for _, w := range cmd.Args() {
			ran = append(ran, strings.TrimPrefix(w.Text, "./"))
		}
	}
	return slices.ContainsFunc(written, func(file string) bool { return slices.Contains(ran, strings.TrimPrefix(file, "./")) })
}
