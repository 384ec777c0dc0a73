package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
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
	variable := c.ctx.Variable
	if variable == nil {
		variable = func(string) (string, bool) { return "", false }
	}
	c.line.commands, c.line.err = shell.List(text.Str, variable)
	return c.line
}

var errNotBash = fmt.Errorf("it is no line of a shell that can be read")

// matchCommands says whether a line runs something that a glob matches. Where a rule
// admits, all that it runs must be matched for certain.
func (c *call) matchCommands(globs []string, admits bool) exact.Truth {
	if !policy.IsShell(c.ev.Tool) {
		return exact.False
	}
	line := c.reads()
	if admits {
		all := line.err == nil && len(line.commands) > 0
		for _, cmd := range line.commands {
			all = all && len(cmd.Words) > 0 && runs(cmd, globs) == exact.True && !slices.ContainsFunc(cmd.Redirects, func(r shell.Redirect) bool { return r.Writes })
		}
		return exact.Of(all)
	}
	found := exact.False
	if line.err != nil {
		found = exact.Unknown
	}
	for _, cmd := range line.commands {
		switch runs(cmd, globs) {
		case exact.True:
			return exact.True
		case exact.Unknown:
			found = exact.Unknown
		}
	}
	return found
}

// runs says whether one command is matched.
func runs(cmd shell.Command, globs []string) exact.Truth {
	line, found := cmd.Line(), exact.False
	for _, glob := range globs {
		switch {
		case line == "":
		case wildcard.Match(glob, line) && (!strings.Contains(glob, "?") || !strings.Contains(line, shell.Unknown)):
			return exact.True // what is not known stands where the glob takes anything
		case strings.Contains(line, shell.Unknown) && shell.MayMatch(glob, line):
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
	for n, cmd := range line.commands {
		switch {
		case len(cmd.Words) == 0:
			continue
		case cmd.Name() == "":
			r.obscure("the line does not show which program it runs")
		case cmd.Interactive():
			r.obscure("a program waits for what is typed into it")
		case opaque && cmd.Opaque():
			r.obscure("a program runs code that the line does not show")
		}
		for depth, layer := range set.Layers {
			for _, table := range layer.Commands {
				r.command(set, table, depth, ev, cmd, fmt.Sprintf("%s#%d", path, n+1))
			}
		}
	}
}

func (r *Reached) obscure(why string) {
	f := own(ruleShell, errorsctx.Validation, "It cannot be told what this command line runs.")
	f.Decision, f.Undecided, f.Detail = Ask, true, why
	if !slices.ContainsFunc(r.Unknown, func(u Finding) bool { return u.Detail == why }) {
		r.Unknown = append(r.Unknown, f)
	}
}

// command adds the call that one command makes.
func (r *Reached) command(set *policy.Set, table policy.Command, depth int, ev hooks.Event, cmd shell.Command, place string) {
	operands, ok := follows(table, cmd)
	if !ok {
		return
	}
	if len(r.Calls) >= maxReached {
		r.Unknown = append(r.Unknown, Finding{Decision: Ask, Source: table.Source, Broadness: depth, Category: errorsctx.Validation, Undecided: true, Message: "The line runs too many commands to be judged."})
		return
	}
	args := argumentsOf(table, cmd, operands)
	if cmd.IsRepeated() {
		args = map[string]any{} // none of them is told for every time
		r.Unknown = append(r.Unknown, Finding{Decision: Ask, Source: table.Source, Broadness: depth, Category: errorsctx.Validation, Undecided: true,
			Message: "The line runs this any number of times."})
	}
	call := ev
	call.Tool, call.Args, call.Claim, call.Through = table.Tool, hooks.EncodeJSON(args), nil, ev.Tool
	if call = TakeClaim(set, call); r.add(call, place) {
		r.follow(set, call, 1, place)
	}
}

// follows reports a command that a table is about: its program, and among its operands
// the words that say what it does, in their order. It gives the operands behind them.
// What is not known may be one of the words.
func follows(table policy.Command, cmd shell.Command) (operands []shell.Word, ok bool) {
	if cmd.Name() != table.Run[0] {
		return nil, false
	}
	want := table.Run[1:]
	for _, w := range cmd.Args() {
		switch {
		case len(want) == 0:
			operands = append(operands, w)
		case w.Text == want[0] || !w.Known && shell.MayMatch(want[0], w.Text):
			want = want[1:]
		}
	}
	return operands, len(want) == 0
}

// argumentsOf reads a tool's arguments from a command. One that the line does not tell,
// or tells in two ways, is null.
func argumentsOf(table policy.Command, cmd shell.Command, after []shell.Word) map[string]any {
	args := map[string]any{}
	for _, flag := range table.Body {
		for _, value := range flagValues(cmd.Args(), flag) {
			addBody(args, value)
		}
	}
	flags := slices.Clone(table.Body)
	for _, places := range table.Args {
		flags = append(flags, places...)
	}
	plain, sure := operandsOf(after, flags)
	for name, places := range table.Args {
		var found []shell.Word
		for _, place := range places {
			found = append(found, valuesAt(place, cmd, plain, sure)...)
		}
		if value, told := oneOf(found); told {
			args[name] = scaled(value, table.Scale[name])
		}
	}
	return args
}

// valuesAt are the values at one place of a command.
func valuesAt(place string, cmd shell.Command, operands []shell.Word, sure bool) []shell.Word {
	if n, err := strconv.Atoi(place); err == nil && n > 0 {
		switch {
		case !sure:
			return []shell.Word{{Text: shell.Unknown}}
		case n <= len(operands):
			return operands[n-1 : n]
		}
		return nil
	}
	if name, isVariable := strings.CutSuffix(place, "="); isVariable {
		var found []shell.Word
		for _, a := range cmd.Assigns {
			if a.Name == name && !a.Removed {
				found = []shell.Word{a.Value} // the last one counts
			}
		}
		return found
	}
	return flagValues(cmd.Args(), place)
}

// flagValues are the values of a flag: --amount=9, --amount 9, -a9, -a 9. A word that is
// not known may be the flag with any value.
func flagValues(args []shell.Word, flag string) []shell.Word {
	var found []shell.Word
	for i, w := range args {
		value, joined := strings.CutPrefix(w.Text, flag+"=")
		short := len(flag) == 2 && strings.HasPrefix(w.Text, flag) && len(w.Text) > 2 && !joined
		switch {
		case joined:
			found = append(found, shell.Word{Text: value, Known: w.Known})
		case short:
			found = append(found, shell.Word{Text: w.Text[2:], Known: w.Known})
		case w.Text == flag && i+1 < len(args):
			found = append(found, args[i+1])
		case !w.Known && shell.MayMatch(flag+"*", w.Text):
			found = append(found, shell.Word{Text: shell.Unknown})
		}
	}
	return found
}

// operandsOf are the words that are neither flags nor values of flags. They are not
// sure behind a flag that nobody knows, which may take a value, and behind a word that
// is not known.
func operandsOf(words []shell.Word, flags []string) (operands []shell.Word, sure bool) {
	sure = true
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.Known && strings.HasPrefix(w.Text, shell.Unknown):
			sure = false
			operands = append(operands, w)
		case len(w.Text) < 2 || w.Text[0] != '-':
			operands = append(operands, w)
		case slices.Contains(flags, w.Text):
			i++
		case !strings.Contains(w.Text, "=") && !slices.ContainsFunc(flags, func(f string) bool { return len(f) == 2 && strings.HasPrefix(w.Text, f) }) && i+1 < len(words):
			sure = false
		}
	}
	return operands, sure
}

// oneOf is the one value that is found. Two that differ, and one that is not known, are
// told and cannot be read.
func oneOf(found []shell.Word) (value any, told bool) {
	if len(found) == 0 {
		return nil, false
	}
	for _, w := range found {
		if !w.Known || w.Text != found[0].Text {
			return nil, true
		}
	}
	return found[0].Text, true
}

// scaled counts a value in whole units. What is no plain number stays as it is, for who
// reads it.
func scaled(value any, digits int32) any {
	text, isText := value.(string)
	if digits == 0 || !isText {
		return value
	}
	d, err := exact.ParsePlain(text)
	if err != nil {
		return text
	}
	return d.DividePow10(digits).String()
}

// addBody adds the members of a JSON object. A body that is none, or from a file, makes
// every argument that it could have one that cannot be read.
func addBody(args map[string]any, w shell.Word) {
	v := gjson.Parse(w.Text)
	if !w.Known || hooks.Strict([]byte(w.Text)) != nil || !v.IsObject() {
		args["body"] = nil
		return
	}
	v.ForEach(func(k, m gjson.Result) bool {
		if _, twice := args[k.Str]; twice {
			args[k.Str] = nil
			return true
		}
		args[k.Str] = rawMessage(m.Raw)
		return true
	})
}

// rawMessage is JSON that is encoded as it is.
type rawMessage string

// MarshalJSON returns the text itself.
func (r rawMessage) MarshalJSON() ([]byte, error) { return []byte(r), nil }
