package main

import (
	"fmt"
	"regexp"
	"strings"
)

// help is what a command says of itself.
type help struct {
	about    []string // lines
	usage    []string // lines, with the program's name
	commands []string // names of those below it
	flags    []option // without --help, which all have
}

// option is a flag with its value, and what it does.
type option struct{ name, text string }

// parse reads a help text: what the command is for, then sections. A section that is
// not known is an error, so that nothing is left out unseen.
func parse(text string) (help, error) {
	h, section := help{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "Usage:" || section != "" && strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " "):
			section = line
		case section == "":
			h.about = append(h.about, line)
		case strings.HasPrefix(line, `Use "gatewright`), line == "":
		default:
			if err := h.add(section, line); err != nil {
				return h, err
			}
		}
	}
	if len(h.usage) == 0 {
		return h, fmt.Errorf("no usage in %q", text)
	}
	return h, nil
}

func (h *help) add(section, line string) error {
	switch section {
	case "Usage:":
		h.usage = append(h.usage, strings.TrimSpace(line))
	case "Available Commands:":
		h.commands = append(h.commands, strings.Fields(line)[0])
	case "Flags:":
		o, err := parseFlag(line)
		if err != nil {
			return err
		}
		if o.name != "-h, --help" {
			h.flags = append(h.flags, o)
		}
	default:
		return fmt.Errorf("section %q is not known", section)
	}
	return nil
}

func parseFlag(line string) (option, error) {
	parts := regexp.MustCompile(`^ +((?:-\w, )?--[\w-]+(?: \S+)?)  +(.+)$`).FindStringSubmatch(line)
	if parts == nil {
		return option{}, fmt.Errorf("flag %q is not understood", line)
	}
	return option{parts[1], parts[2]}, nil
}
