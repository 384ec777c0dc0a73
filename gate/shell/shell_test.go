package shell_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"gatewright/gate/shell"
)

func environment(name string) (string, bool) {
	values := map[string]string{"HOME": "/home/me", "PWD": "/repo"}
	value, ok := values[name]
	return value, ok
}

// show writes commands as a test reads them: … is not known, >x is written.
func show(commands []shell.Command) string {
	var out []string
	for _, c := range commands {
		var parts []string
		for _, w := range c.Wrappers {
			parts = append(parts, w+":")
		}
		for _, w := range c.Words {
			parts = append(parts, text(w))
		}
		for _, r := range c.Redirects {
			if r.Writes {
				parts = append(parts, ">"+text(r.Target))
			} else {
				parts = append(parts, "<"+text(r.Target))
			}
		}
		if c.Stdin != nil {
			parts = append(parts, fmt.Sprintf("<<%q", c.Stdin.Text))
		}
		if len(c.Dirs) > 1 || c.Dirs[0].Text != "" {
			for _, d := range c.Dirs {
				parts = append(parts, "@"+text(d))
			}
		}
		out = append(out, strings.Join(parts, " "))
	}
	return strings.Join(out, " | ")
}

func text(w shell.Word) string {
	out := strings.ReplaceAll(w.Text, shell.Unknown, "…")
	if w.Known == strings.Contains(out, "…") {
		out += "!known"
	}
	if out == "" || strings.ContainsAny(out, " \n") {
		return fmt.Sprintf("[%s]", out)
	}
	return out
}

func TestList(t *testing.T) {
	for line, want := range map[string]string{
		`a b`:                                  `a b`,
		`a 'b c' "d e" f\ g $'\x68\n'`:         "a [b c] [d e] [f g] [h\n]",
		`a "" ''`:                              `a [] []`,
		`a ~ ~/x ~you/x "~"`:                   `a /home/me /home/me/x …/x ~`,
		`a $HOME/x "${HOME}" '$HOME' $NO`:      `a /home/me/x /home/me $HOME …`,
		`x=1; a $x; x=2; a $x`:                 ` | a 1 |  | a 2`,
		`x=1; if c; then x=2; fi; a $x`:        ` | c |  | a …`,
		`x="1 2"; a $x "$x"`:                   ` | a 1 2 [1 2]`,
		`a {b,c}d {1..3} {e`:                   `a bd cd … {e`,
		`a ${X:-b} ${HOME:-b} ${HOME%/*}`:      `a b!known /home/me /home`,
		`a $(echo b) $(pwd) $(c)`:              `echo b | pwd | c | a b /repo …`,
		`a > b 2>> c < d 2>&1 >& e`:            `a >b >c <d <1 >e`,
		`a && b || c; d & e`:                   `a | b | c | d | e`,
		`(a; b) | { c; }`:                      `a | b | c`,
		`if a; then b; elif c; then d; fi`:     `a | b | c | d`,
		`for x in 1 2; do a $x; done`:          `a 1 | a 2`,
		`for ((i=0; i<2; i++)); do a; done`:    `a`,
		`while a; do b; done`:                  `a | b`,
		`case $(a) in b) c;; esac`:             `a | c`,
		`f() { a; }; f`:                        `a | f | a`,
		`a <(b) $((1 + $(c)))`:                 `b | c | a /dev/fd/63 …`,
		`export A=b; a $A`:                     `export | a b`,
		`cd x && a; b`:                         `cd x | a @x | b @[] @x`,
		`cd /x || exit; a`:                     `cd /x | exit @[] @/x | a @/x`,
		`cd /x || exit 1; a; cd y; b`:          `cd /x | exit 1 @[] @/x | a @/x | cd y @/x | b @/x @/x/y`,
		`cd /x || b; a`:                        `cd /x | b @[] @/x | a @[] @/x`,
		`(cd x); a`:                            `cd x | a`,
		`cd $X && a`:                           `cd … | a @…`,
		`bash -lc 'a; b' c`:                    `bash -lc [a; b] c | a | b`,
		`eval a '>' b`:                         `eval a > b | a >b`,
		"sh <<E\na $HOME\nE":                   "sh <<\"a /home/me\\n\" | a /home/me",
		`echo a b | sh`:                        `echo a b | sh <<"a b" | a b`,
		`sudo -u me -E env -i A=b a c`:         `sudo: env: a c`,
		`timeout -k 1 2s nice -n 5 nohup a`:    `timeout: nice: nohup: a`,
		`xargs -n 1 -I{} a {}`:                 `xargs: a … <<""`,
		`echo b c | xargs a`:                   `echo b c | xargs: a b c <<""`,
		`find x -exec a {} \; -execdir b {} +`: `find x -exec a {} ; -execdir b {} + | find: a … | find: b …`,
		`npx -y a b`:                           `npx: a b`,
		`pnpm dlx a`:                           `pnpm: a`,
		`npm test`:                             `npm test`,
		`time a`:                               `a`,
		`command -v a`:                         `command -v a`,
		`env -S 'a b' c`:                       `env: a b c`,
	} {
		got, err := shell.List(line, environment)
		if shown := show(got); err != nil || shown != want {
			t.Errorf("%s\n got %s %v\nwant %s", line, shown, err, want)
		}
	}
}

// TestListBeforeMistake: what stands before a syntax error is listed.
func TestListBeforeMistake(t *testing.T) {
	got, err := shell.List("a b\nif; then", environment)
	if err == nil || show(got) != "a b" {
		t.Errorf("%s, %v", show(got), err)
	}
}

func TestListBounds(t *testing.T) {
	for name, c := range map[string]struct {
		line string
		want error
	}{
		"large":     {strings.Repeat("a ", 200<<10), shell.ErrTooLarge},
		"recursive": {"f() { f; }; f", shell.ErrTooDeep},
		"deep":      {strings.Repeat("eval ", 20) + "a", shell.ErrTooDeep},
		"nested":    {strings.Repeat("$(", 50000), shell.ErrTooDeep},
		"braces":    {"a " + strings.Repeat("{a,", 5000), shell.ErrTooDeep},
		"many":      {strings.Repeat("for x in 1 2 3 4 5 6 7 8; do ", 6) + "a" + strings.Repeat("; done", 6), shell.ErrTooMany},
	} {
		if _, err := shell.List(c.line, environment); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEnvironment(t *testing.T) {
	got, _ := shell.List("A=1; B=2 c; unset D; env -i -u E F=3 g", environment)
	last := got[len(got)-1]
	var names []string
	for _, a := range last.Assigns {
		names = append(names, fmt.Sprint(a.Name, a.Value.Text, a.Removed))
	}
	if want := "A1false Dtrue Etrue F3false"; strings.Join(names, " ") != want || !last.BareEnv {
		t.Errorf("%v %v, want %s", names, last.BareEnv, want)
	}
}

// FuzzList: no text makes it panic, and what it lists can be used.
func FuzzList(f *testing.F) {
	for _, name := range []string{"denied", "evading", "ordinary"} {
		lines, err := os.ReadFile("../../testdata/cases/shell/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(lines), "\n\n") {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line string) {
		commands, _ := shell.List(line, environment)
		for _, c := range commands {
			if len(c.Dirs) == 0 || len(c.Words)+len(c.Redirects)+len(c.Assigns) > 0 && strings.ContainsRune(c.Name(), '/') && c.Name() != "/" {
				t.Errorf("%q: %+v", line, c)
			}
			for _, w := range c.Words {
				if w.Known && strings.Contains(w.Text, shell.Unknown) {
					t.Errorf("%q: %+v", line, w)
				}
			}
		}
	})
}

func BenchmarkList(b *testing.B) {
	for b.Loop() {
		_, _ = shell.List("cd sub && npm test -- --run 2>&1 | tail -40", environment)
	}
}
