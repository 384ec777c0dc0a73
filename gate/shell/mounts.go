package shell

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Away is a container or another machine.
type Away struct {
	Mounts []Mount
	Folder string // where a command starts; empty if that is not known
}

// Mount is a folder of this machine under another name.
type Mount struct{ From, To string }

// awayFrom reads a wrapper's own arguments.
func awayFrom(args []Word) *Away {
	away := &Away{}
	o := options{values: "vwuepn", long: strings.Fields("volume mount workdir user env publish name network entrypoint namespace container context")}
	for _, g := range o.read(args).given {
		switch g.name {
		case "v", "volume":
			from, rest, _ := strings.Cut(g.value.Text, ":")
			to, how, _ := strings.Cut(rest, ":")
			if !slices.Contains(strings.Split(how, ","), "ro") {
				away.Mounts = append(away.Mounts, Mount{from, to})
			}
		case "mount":
			if m := readMount(g.value.Text); m.To != "" {
				away.Mounts = append(away.Mounts, m)
			}
		case "w", "workdir":
			away.Folder = g.value.Text
		}
	}
	return away
}

// readMount reads type=bind,source=FROM,target=TO.
func readMount(text string) (m Mount) {
	for _, field := range strings.Split(text, ",") {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "source", "src":
			m.From = value
		case "target", "destination", "dst":
			m.To = value
		case "readonly", "ro":
			if is, err := strconv.ParseBool(cmp.Or(value, "true")); err == nil && is {
				return Mount{}
			}
		}
	}
	return m
}

// seenHere are effects on what is mounted, by the names that it has here.
func (away Away) seenHere(list []Effect, dirs []Word) []Effect {
	if away.Folder == "" || len(dirs) == 0 {
		dirs = []Word{{Text: away.Folder}}
	}
	var in []Effect
	for _, e := range list {
		for _, dir := range dirs {
			one := e
			if !strings.HasPrefix(e.Path.Text, "/") && away.Folder != "" {
				one.Path.Text = path.Join(dir.Text, e.Path.Text)
			}
			in = append(in, one)
		}
	}
	var out []Effect
	for _, e := range in {
		hidden := !strings.HasPrefix(e.Path.Text, "/") || strings.Contains(e.Path.Text, Unknown)
		for _, m := range away.Mounts {
			switch below, inside := strings.CutPrefix(e.Path.Text+"/", strings.TrimSuffix(m.To, "/")+"/"); {
			case m.To == "":
			case hidden:
				out = append(out, Effect{Path: Word{Text: Unknown}})
			case inside:
				here := e
				here.Path.Text = strings.TrimSuffix(m.From+"/"+below, "/")
				out = append(out, here)
			case e.Tree && strings.HasPrefix(m.To, strings.TrimSuffix(e.Path.Text, "/")+"/"):
				out = append(out, Effect{Path: word(m.From), Tree: true})
			}
		}
	}
	return out
}
