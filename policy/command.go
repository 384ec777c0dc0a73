package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Command maps a program that a command line runs to a tool: a [[command]].
type Command struct {
	Source
	Run   []string // the program and the words that say what it does
	Tool  string
	Args  map[string][]string // of the tool, by where the line has them
	Body  []string            // flags whose value is a JSON object of arguments
	Scale map[string]int32    // arguments that count units of 10^-n
}

// Shell is how command lines are judged besides: the [shell] table.
type Shell struct {
	Source
	AskOpaque bool // programs that run code which the line does not show
}

func readCommand(t *table) Command {
	t.need("run", "tool")
	c := Command{
		Source: t.source(),
		Run:    t.texts("run"),
		Tool:   t.text("tool"),
		Args:   t.places("args"),
		Body:   t.texts("body"),
		Scale:  t.scales("scale"),
	}
	if p, err := ParsePattern(c.Tool); c.Tool != "" && (err != nil || !p.Literal()) {
		t.problem("tool", fmt.Sprintf("%q is no tool's name", c.Tool), `write tool = "mcp__SERVER__TOOL"`)
	}
	if len(c.Run) > 0 && strings.ContainsAny(c.Run[0], "/ *?") {
		t.problem("run", fmt.Sprintf("%q is no program's name", c.Run[0]), `write run = ["stripe", "refunds", "create"], the program without its folder`)
	}
	for _, flag := range c.Body {
		if !strings.HasPrefix(flag, "-") {
			t.problem("body", fmt.Sprintf("%q is no flag", flag), `write body = ["-d", "--data"]`)
		}
	}
	for name := range c.Scale {
		if _, mapped := c.Args[name]; !mapped {
			t.problem("scale", fmt.Sprintf("args has no %q", name), "")
		}
	}
	return c
}

// places reads where a line has arguments: "--amount", "-a", the number of an operand,
// or "REGION=" for a variable.
func (t *table) places(key string) map[string][]string {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	values, isTable := v.(map[string]any)
	if !isTable || len(values) == 0 {
		t.problem(key, key+" must be a table", `write args = { amount = ["--amount", "-a"], customer_id = 1 }`)
		return nil
	}
	places := map[string][]string{}
	for name, value := range values {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, item := range list {
			text := fmt.Sprint(item)
			n, err := strconv.Atoi(text)
			if !strings.HasPrefix(text, "-") && !strings.HasSuffix(text, "=") && (err != nil || n < 1) || strings.ContainsAny(text, " \t") || text == "=" || text == "-" {
				t.problem(key, fmt.Sprintf("%q is no place in a line", text), `write a flag such as "--amount", the number of an operand such as 1, or "NAME=" for a variable`)
			}
			places[name] = append(places[name], text)
		}
	}
	return places
}

func (t *table) scales(key string) map[string]int32 {
	v, ok := t.value(key)
	if !ok {
		return nil
	}
	values, isTable := v.(map[string]any)
	scales := map[string]int32{}
	for name, value := range values {
		digits, ok := powerOfTen(value)
		isTable = isTable && ok
		scales[name] = digits
	}
	if !isTable {
		t.problem(key, key+" must be 10, 100 and so on for some arguments", `write scale = { amount = 100 } where the line counts cents`)
	}
	return scales
}

func readShell(t *table) Shell {
	id := t.text("id")
	if !t.has("id") {
		id = "shell"
	}
	return Shell{Source: t.sourceNamed(id), AskOpaque: t.word("opaque", "pass", "ask") == "ask"}
}

// ReadsCommands reports that some table speaks of what command lines run.
func (s *Set) ReadsCommands() bool {
	return slices.ContainsFunc(s.Layers, func(l *Layer) bool {
		return len(l.Commands)+len(l.Shells) > 0 || slices.ContainsFunc(l.Rules, func(r Rule) bool {
			return r.Match.readsLines() || r.Except != nil && r.Except.readsLines()
		})
	})
}

func (m Match) readsLines() bool { return len(m.Commands)+len(m.Paths) > 0 }

// IsShell reports a client's own tool that runs a command line.
func IsShell(tool string) bool { return slices.Contains(familyTools("shell"), tool) }
