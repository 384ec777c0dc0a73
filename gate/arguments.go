package gate

import (
	"encoding/json"
	"gatewright/gate/shell"
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/exact"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// argumentsOf reads a tool's arguments from a command. One that the line does not tell,
// or tells in two ways, is null.
func argumentsOf(table policy.Command, cmd shell.Command, after []shell.Word) map[string]any {
	args, readable := map[string]any{}, true
	for _, flag := range table.Body {
		for _, value := range flagValues(cmd.Args(), flag) {
			readable = addBody(args, value) && readable
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
		value, told := oneOf(found)
		if _, inBody := args[name]; told && !inBody {
			args[name] = scaled(value, table.Scale[name])
		} else if told || !readable {
			args[name] = nil // told twice, or perhaps by a body that cannot be read
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
		case !w.Known && shell.MayMatch(flag+"*", w.Text), abbreviates(w.Text, flag), clusters(w.Text, flag):
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

// addBody adds the members of a JSON object. It fails for a body that is none, or from a
// file.
func addBody(args map[string]any, w shell.Word) bool {
	v := gjson.Parse(w.Text)
	if !w.Known || hooks.Strict([]byte(w.Text)) != nil || !v.IsObject() {
		return false
	}
	v.ForEach(func(k, m gjson.Result) bool {
		if _, twice := args[k.Str]; twice {
			args[k.Str] = nil
			return true
		}
		args[k.Str] = json.RawMessage(m.Raw)
		return true
	})
	return true
}

// abbreviates reports a shorter spelling of a long flag, as many programs take.
func abbreviates(text, flag string) bool {
	name, _, _ := strings.Cut(text, "=")
	return len(name) > 2 && name != flag && strings.HasPrefix(name, "--") && strings.HasPrefix(flag, name)
}

// clusters reports several flags of one letter in one word, with this one behind others.
func clusters(text, flag string) bool {
	if len(flag) != 2 || len(text) < 3 || text[0] != '-' {
		return false
	}
	i := strings.IndexByte(text[2:], flag[1])
	return i >= 0 && isLetters(text[1:2+i]) // what is behind it may be its value
}

func isLetters(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
