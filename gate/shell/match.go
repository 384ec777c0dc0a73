package shell

import "strings"

// Line is a command as one text: the program's name without its folder and the words
// after it, with a space between. What is not known in it is Unknown.
func (c Command) Line() string {
	if len(c.Words) == 0 {
		return ""
	}
	var line strings.Builder
	line.WriteString(strings.TrimSuffix(c.Words[0].Text[strings.LastIndexByte(c.Words[0].Text, '/')+1:], ".exe"))
	for _, w := range c.Args() {
		switch {
		case w.IsQuoted(): // one word, whatever it is
			line.WriteString(" " + strings.ReplaceAll(w.Text, Unknown, unknownWord))
		case w.Text == Unknown: // which may be no word at all
			line.WriteString(w.Text)
		default:
			line.WriteString(" " + w.Text)
		}
	}
	return line.String()
}

// unknownWord stands in a line for what is not known within one word.
const unknownWord = "\x01"

// IsQuoted reports a word that stays one word whatever is in it.
func (w Word) IsQuoted() bool {
	return !w.Known && strings.HasPrefix(w.Source, `"`) && !strings.Contains(w.Source, "@")
}

// maxLine bounds what of a line with unknown parts is compared, in bytes.
const maxLine = 4096

// MayMatch reports that a line could match a pattern with * and ?, whatever stands in
// the place of what is not known.
func MayMatch(pattern, line string) bool {
	for i := 0; i < len(pattern) && i < len(line); i++ { // most lines differ at once
		if pattern[i] == '*' || line[i] == Unknown[0] || line[i] == unknownWord[0] {
			break
		}
		if pattern[i] != '?' && pattern[i] != line[i] {
			return false
		}
	}
	if len(line) > maxLine {
		line = line[:maxLine] + Unknown
	}
	// reach[j]: the pattern so far matches line[:j].
	reach := make([]bool, len(line)+1)
	reach[0] = true
	spread(reach, line)
	for i := 0; i < len(pattern); i++ {
		next := make([]bool, len(line)+1)
		for j := 0; j <= len(line); j++ {
			switch {
			case pattern[i] == '*':
				next[j] = reach[j] || j > 0 && next[j-1]
			case j > 0 && (line[j-1] == Unknown[0] || line[j-1] == unknownWord[0] && pattern[i] != ' '):
				next[j] = reach[j] || reach[j-1] || next[j-1] // it may hold this character, too
			case j > 0 && (pattern[i] == '?' || pattern[i] == line[j-1]):
				next[j] = reach[j-1]
			}
		}
		spread(next, line)
		reach = next
	}
	return reach[len(line)]
}

// spread: what is not known may be nothing.
func spread(reach []bool, line string) {
	for j := 1; j < len(reach); j++ {
		reach[j] = reach[j] || (line[j-1] == Unknown[0] || line[j-1] == unknownWord[0]) && reach[j-1]
	}
}
