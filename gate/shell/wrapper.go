package shell

import (
	"slices"
	"strings"
)

// wrapper is a program that runs the command in its arguments.
type wrapper struct {
	short   string   // options of one letter that take a value
	long    []string // long options that take the next word as their value
	skip    int      // operands before the command
	assigns bool     // NAME=value comes before the command
	verbs   []string // the first operand must be one of these
}

// wrapperNamed is a switch, because a map would be built at every start.
func wrapperNamed(name string) (wrapper, bool) {
	switch name {
	case "env":
		return wrapper{short: "uCS", long: []string{"unset", "chdir", "split-string"}, assigns: true}, true
	case "sudo":
		return wrapper{short: "ugpCDhRTrtU", long: []string{"user", "group", "prompt", "close-from", "chdir", "host", "chroot", "command-timeout", "role", "type", "other-user"}, assigns: true}, true
	case "doas", "runuser":
		return wrapper{short: "uCgG"}, true
	case "nohup", "setsid", "command", "builtin", "unbuffer", "busybox", "toybox", "caffeinate", "noglob", "nocorrect", "-", "arch":
		return wrapper{}, true
	case "time", "gtime":
		return wrapper{short: "of", long: []string{"output", "format"}}, true
	case "ltrace":
		return wrapper{short: "oeuplansADFwxX"}, true
	case "timeout", "gtimeout":
		return wrapper{short: "ks", long: []string{"kill-after", "signal"}, skip: 1}, true
	case "nice":
		return wrapper{short: "n", long: []string{"adjustment"}}, true
	case "ionice":
		return wrapper{short: "cn", long: []string{"class", "classdata"}}, true
	case "stdbuf":
		return wrapper{short: "ioe", long: []string{"input", "output", "error"}}, true
	case "exec":
		return wrapper{short: "a"}, true
	case "taskset", "chrt":
		return wrapper{skip: 1}, true
	case "flock":
		return wrapper{short: "wEc", long: []string{"timeout", "wait", "conflict-exit-code", "command"}, skip: 1}, true
	case "strace":
		return wrapper{short: "eopsEuSabIOXP"}, true
	case "xargs", "parallel":
		return wrapper{short: "aEILnPsdj", long: []string{"arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var", "jobs"}}, true
	case "watch":
		return wrapper{short: "n", long: []string{"interval"}}, true
	case "ssh":
		return wrapper{short: "BbcDEeFIiJLlmOopQRSWw", skip: 1}, true
	case "docker", "podman", "nerdctl", "kubectl", "oc":
		return wrapper{short: "neuvwpcfeml", long: []string{"namespace", "container", "env", "user", "volume", "workdir", "publish", "name", "network", "entrypoint", "mount", "env-file", "context"}, skip: 2, verbs: []string{"exec", "run"}}, true
	case "npx", "bunx", "pnpx", "uvx":
		return wrapper{short: "pc", long: []string{"package", "call"}}, true
	case "pnpm", "yarn", "npm", "bun", "uv", "poetry", "pipenv", "mise", "bundle", "rye", "hatch", "pdm":
		return wrapper{short: "Cc", long: []string{"call", "dir", "prefix", "package", "filter", "with"}, skip: 1, verbs: []string{"dlx", "exec", "x", "run"}}, true
	}
	return wrapper{}, false
}

// unwrap gives the commands that a wrapper starts; nil if cmd is none.
func (w *walker) unwrap(cmd Command) []Command {
	name := cmd.Name()
	if name == "find" {
		return w.found(cmd)
	}
	wrap, ok := wrapperNamed(name)
	if name == "command" && asksOnly(cmd.Args()) || !ok || name == "runuser" && optionValue(cmd.Args(), "c", "command") != nil {
		return nil
	}
	inner := cmd
	inner.Assigns = slices.Clip(cmd.Assigns)
	args := cmd.Args()
	if name == "docker" && len(args) > 0 && (args[0].Text == "container" || args[0].Text == "compose") {
		args = args[1:]
	}
	inner.Words = wrap.rest(args, &inner)
	if inner.Words == nil {
		return nil // it starts nothing, or nothing that the line shows
	}
	inner.Wrappers = append(slices.Clip(cmd.Wrappers), name)
	switch name {
	case "strace", "ltrace", "time", "gtime": // -o FILE
		own := cmd
		own.Words = cmd.Words[:len(cmd.Words)-len(inner.Words)]
		if len(own.Words) > 1 {
			w.emit(own)
		}
	case "xargs", "parallel":
		for _, code := range replaced(inner.Words, "{}", Unknown) {
			if name == "parallel" {
				w.given(cmd, code)
			}
		}
		inner.Found = w.names
		return fed(inner, cmd)
	case "docker", "podman", "nerdctl", "kubectl", "oc", "ssh":
		w.emit(cmd) // what it is given besides matters, too: docker run -v
		inner.Away = awayFrom(cmd.Args()[:max(0, len(cmd.Args())-len(inner.Words))])
		if inner.Away.Folder != "" {
			inner.Dirs = []Word{{Text: inner.Away.Folder, Known: true}}
		}
	}
	switch name {
	case "ssh", "watch": // gives its words to a shell
		inner.Words = []Word{{Text: "sh", Known: true}, {Text: "-c", Known: true}, word(texts(inner.Words))}
	}
	w.given(cmd, inner.Words[0]) // sudo -s 'rm x'
	return []Command{inner}
}

// asksOnly reports command -v and -V, which run nothing.
func asksOnly(args []Word) bool {
	return len(args) > 0 && len(args[0].Text) > 1 && args[0].Text[0] == '-' && strings.ContainsAny(args[0].Text, "vV")
}

// rest skips the wrapper's own arguments and notes what they do to the
// environment.
func (wrap wrapper) rest(args []Word, inner *Command) []Word {
	skip := wrap.skip
	for len(args) > 0 {
		text := args[0].Text
		name, _, assigned := strings.Cut(text, "=")
		switch {
		case text == "--":
			args = args[1:]
			if skip >= len(args) {
				return nil
			}
			return args[skip:]
		case len(text) > 1 && text[0] == '-' || text == "-" && wrap.assigns:
			n := wrap.option(args, inner)
			if n < 0 {
				return split(args[0], args[1:])
			}
			args = args[min(n, len(args)):]
		case wrap.assigns && assigned && name != "":
			inner.Assigns = append(inner.Assigns, Assign{Name: name, Value: Word{Text: text[len(name)+1:], Known: args[0].Known}})
			args = args[1:]
		case skip > 0:
			if wrap.verbs != nil && skip == wrap.skip && !slices.Contains(wrap.verbs, text) {
				return nil
			}
			skip--
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

// option says how many words an option takes, or -1 where the command itself is
// its value (env -S).
func (wrap wrapper) option(args []Word, inner *Command) int {
	text := args[0].Text
	n := 1
	if name, ok := strings.CutPrefix(text, "--"); ok {
		if slices.ContainsFunc(wrap.long, func(long string) bool { return long == name || len(name) > 2 && strings.HasPrefix(long, name) }) {
			n = 2
		}
	} else if i := strings.IndexAny(text[1:], wrap.short); i >= 0 && i == len(text)-2 {
		n = 2
	}
	if !wrap.assigns {
		return n
	}
	if name := strings.TrimLeft(text, "-"); strings.HasPrefix(name, "C") || strings.HasPrefix(name, "D") || strings.HasPrefix(name, "chdir") {
		inner.Dirs = []Word{{Text: Unknown}}
	}
	switch short := !strings.HasPrefix(text, "--"); {
	case short && strings.Contains(text, "S"), strings.HasPrefix(text, "--split-string"):
		return -1
	case text == "-", text == "--ignore-environment", short && strings.Contains(text, "i"):
		inner.BareEnv = true
	case (text == "-u" || text == "--unset") && len(args) > 1:
		inner.Assigns = append(inner.Assigns, Assign{Name: args[1].Text, Removed: true})
	case short && text[1] == 'u':
		inner.Assigns = append(inner.Assigns, Assign{Name: text[2:], Removed: true})
	case strings.HasPrefix(text, "--unset="):
		inner.Assigns = append(inner.Assigns, Assign{Name: text[len("--unset="):], Removed: true})
	}
	return n
}
