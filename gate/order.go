package gate

import (
	"slices"
	"strings"

	"gatewright/gate/shell"
	"gatewright/policy/wildcard"
)

// named is a command as a glob that takes any more words is compared with it: wherever
// its options stand, git push origin --force is a git push --force*, and rm -fr x an
// rm -rf *.
type named struct {
	options  []string // that are still to be found
	operands []string
	gaps     bool // other words may stand between the operands
	letters  string
}

// hasAll says whether a command has all the words of such a glob.
func hasAll(cmd shell.Command, glob string) bool {
	want := strings.Fields(glob)
	if !strings.HasSuffix(glob, "*") || len(want) < 2 || len(cmd.Words) < len(want) || !wildcard.Match(want[0], cmd.Program()) {
		return false
	}
	n := apart(want[1:])
	args, isValue := cmd.Args(), false
	for i, w := range args {
		switch {
		case w.Text == "--":
			return n.takes(args[i+1:], false) && n.satisfied()
		case len(w.Text) > 1 && w.Text[0] == '-':
			n.option(w.Text)
			isValue = !strings.Contains(w.Text, "=")
		default:
			if !n.takes(args[i:i+1], isValue) {
				return false
			}
			isValue = false
		}
	}
	return n.satisfied()
}

// apart tells the options of a glob from its operands.
func apart(words []string) *named {
	n := &named{}
	for i, word := range words {
		switch {
		case word[0] == '-':
			n.options = append(n.options, word)
		case word != "*":
			n.operands = append(n.operands, word)
		default:
			n.gaps = n.gaps || i < len(words)-1
		}
	}
	return n
}

// takes compares operands with the next ones that are wanted. A word behind an option may
// be its value.
func (n *named) takes(words []shell.Word, isValue bool) bool {
	for _, w := range words {
		switch {
		case len(n.operands) == 0:
			return true
		case wildcard.Match(n.operands[0], w.Text):
			n.operands = n.operands[1:]
		case !isValue && !n.gaps:
			return false
		}
	}
	return true
}

// maxCluster is the length of a word with several short options, such as -rf. A longer
// one is a single option, such as -auto-approve.
const maxCluster = 9

func (n *named) option(text string) {
	if len(text) <= maxCluster && text[1] != '-' {
		n.letters += text[1:]
	}
	n.options = slices.DeleteFunc(n.options, func(option string) bool {
		return wildcard.Match(option, text) || isLong(option) && wildcard.Match(strings.TrimLeft(option, "-"), strings.TrimLeft(text, "-"))
	})
}

// isLong tells an option that is a word: some programs take it with one dash and with two.
func isLong(option string) bool { return len(strings.Trim(option, "-*")) > 2 }

// satisfied reports that everything was found.
func (n *named) satisfied() bool {
	return len(n.operands) == 0 && !slices.ContainsFunc(n.options, func(option string) bool {
		letters := strings.TrimSuffix(option[1:], "*")
		return letters == "" || letters[0] == '-' || strings.ContainsFunc(letters, func(r rune) bool { return !strings.ContainsRune(n.letters, r) })
	})
}
