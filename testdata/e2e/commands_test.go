package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const commandsPolicy = `version = 1

[[fact]]
id = "verified"
from = ["mcp__payments__identity_verification"]
where = 'past.result.verified == true and past.result.customer_id == args.customer_id'

[[gate]]
id = "verify-before-refund"
tools = ["process_refund"]
needs = "verified"

[[limit]]
id = "cap"
tools = ["process_refund"]
amount = "amount_usd"
max = "500"
redirect = "mcp__support__escalate_to_human"

[[command]]
id = "stripe"
run = ["stripe", "refunds", "create"]
tool = "mcp__payments__process_refund"
args = { amount_usd = "--amount", customer_id = "--customer" }
scale = { amount_usd = 100 }

[[rule]]
id = "no-force"
effect = "deny"
match = { command = ["git push --force*"] }

[[dispatcher]]
id = "execute"
tools = ["mcp__payments__execute"]
target = "tool_slug"
args = "arguments"
names = { VERIFY = "mcp__payments__identity_verification", REFUND = "mcp__payments__process_refund" }
`

const perSession = `
[[limit]]
id = "cap-a-session"
tools = ["process_refund"]
amount = "amount_usd"
max = "600"
per = "session"
`

// Why calls are refused.
const (
	needsVerified = `"requiredTool":"mcp__payments__identity_verification"`
	overCap       = `"rule":"cap","layer":"repo","redirectTool":"mcp__support__escalate_to_human"`
	overSession   = `"rule":"cap-a-session"`
	noForce       = `"rule":"no-force"`
	unclear       = `It cannot be told what this command line runs.`
)

// newCommands is a world in which a program refunds, too, and writes down how it was
// called.
func newCommands(t *testing.T, c client) *world {
	t.Helper()
	w := newInstalled(t, c)
	w.write(w.policy(), commandsPolicy)
	program := filepath.Join(w.home, ".local", "bin", "stripe")
	w.write(program, "#!/bin/sh\necho \"$*\" >> \"$HOME/stripe.log\"\n")
	w.must(os.Chmod(program, 0o755))
	// The shell of a client may be one of a login, which sets PATH anew.
	w.write(filepath.Join(w.home, ".profile"), "PATH=\"$HOME/.local/bin:$PATH\"\n")
	return w
}

// paid are the command lines with which the program was really called.
func (w *world) paid() []string {
	w.Helper()
	text, err := os.ReadFile(filepath.Join(w.home, "stripe.log"))
	if os.IsNotExist(err) {
		return nil
	}
	w.must(err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// line runs a command line.
func (c client) line(text string) Call {
	if c.name == "claude" {
		return Call{Tool: "Bash", Args: object{"command": text}}
	}
	return Call{Tool: "exec_command", Args: object{"cmd": text}}
}

// execute makes a call through the tool that calls others.
func execute(slug string, args object) Call {
	return Call{Tool: "mcp__payments__execute", Args: object{"tool_slug": slug, "arguments": args}}
}

// checkRefused checks that exactly the calls with a reason were refused, and for it.
func (w *world) checkRefused(o outcome, thread string, steps []step) {
	w.Helper()
	for turn, s := range steps {
		told := o.Told(thread, turn)
		switch {
		case told == "":
			w.Errorf("%s %d: the model was told nothing", thread, turn)
		case s.reason == "" && says(told, `"rule":`), s.reason != "" && (!says(told, s.reason) || !says(told, `"isError":true`)):
			w.Errorf("%s %d: the model was told %q, want %s", thread, turn, told, s.reason)
		}
	}
}

// checkReached checks which refunds the server and the program have seen.
func (w *world) checkReached(refunds, paid []string) {
	w.Helper()
	if got := w.refunds(); !slices.Equal(got, refunds) {
		w.Errorf("refunds that reached the server: %q, want %q", got, refunds)
	}
	if got := w.paid(); !slices.Equal(got, paid) {
		w.Errorf("refunds that reached the program: %q, want %q", got, paid)
	}
}

// eachShell runs a test in every client, and where the model writes programs.
func eachShell(t *testing.T, test func(w *world, p play)) {
	for _, c := range clients {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			test(newCommands(t, c), play{Bypass: true})
		})
	}
	t.Run("code", func(t *testing.T) {
		t.Parallel()
		test(newCommands(t, clients[2]), play{Bypass: true, CodeMode: true})
	})
}

// TestCommand: a program that refunds meets the gate and the limit of the tool that it
// stands for, however the line calls it.
func TestCommand(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		c := w.client
		const stripe = "stripe refunds create --customer C-1 --amount "
		steps := []step{
			{c.line(`bash -c "` + stripe + `90000"`), overCap},
			{c.line(`bash -c "` + stripe + `40000"`), needsVerified},
			{c.line("env A=1 timeout 10 " + stripe + "40000"), needsVerified},
			{verify("payments", "C-1", "wrong"), ""},
			{c.line(stripe + "40000"), needsVerified},
			{verify("payments", "C-1", "good"), ""},
			{c.line(`bash -c "` + stripe + `40000"`), ""},
			{c.line("env A=1 timeout 10 " + stripe + "50000"), ""},
			{c.line("env A=1 timeout 10 " + stripe + "50001"), overCap},
			{c.line("echo refund && " + stripe + "2000 | cat"), ""},
			{c.line("echo refund && " + stripe + "90000 | cat"), overCap},
			{c.line(`echo "$(` + stripe + `90000)"`), overCap},
			{c.line("echo 90000 | xargs " + stripe), `"rule":"cap"`},
			{c.line("stripe refunds create --customer C-2 --amount 2000"), needsVerified},
		}
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		called := strings.TrimPrefix(stripe, "stripe ")
		w.checkReached(nil, []string{called + "40000", called + "50000", called + "2000"})
	})
}

// TestMention: a line that only speaks of the program runs.
func TestMention(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		const text = "stripe refunds create --amount 90000"
		steps := []step{
			{w.client.line(`echo "` + text + `" > said.txt`), ""},
			{w.client.line(`git -c user.name=n -c user.email=e commit -q --allow-empty -m "` + text + `"`), ""},
			{w.client.line(`grep -c "` + text + `" said.txt > found.txt # ` + text), ""},
		}
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		for _, got := range []string{w.read(filepath.Join(w.repo, "said.txt")), w.do(w.repo, "git", "log", "--format=%s")} {
			if got != text+"\n" {
				w.Errorf("the line did not run: %q", got)
			}
		}
		if got := w.read(filepath.Join(w.repo, "found.txt")); got != "1\n" {
			w.Errorf("the line did not run: %q", got)
		}
		w.checkReached(nil, nil)
	})
}

// opened is what Codex says of a program that still runs.
var opened = regexp.MustCompile(`(?:session_id\W+|session ID )(\d{4,6})\b`)

// feed types a line into the program that was opened last.
func feed(text string) Call {
	return Call{Tool: "write_stdin", Args: func(conversation []byte) any {
		id := 0
		for _, m := range opened.FindAllStringSubmatch(string(conversation), -1) {
			id, _ = strconv.Atoi(m[1])
		}
		return object{"session_id": id, "chars": text + "\n", "yield_time_ms": 3000}
	}}
}

// TestOpenShell: what is typed into a program later reaches no hook, so a program that
// waits for it is not opened, and there is nothing to type into.
func TestOpenShell(t *testing.T) {
	for name, p := range map[string]play{"direct": {Bypass: true}, "code": {Bypass: true, CodeMode: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newCommands(t, clients[2])
			open := func(line string) Call {
				return Call{Tool: "exec_command", Args: object{"cmd": line, "tty": true, "yield_time_ms": 300}}
			}
			var steps []step
			for _, line := range []string{"python3", "env A=1 sh", "exec bash --norc", "bash -i", "bash"} {
				steps = append(steps, step{open(line), unclear})
			}
			steps = append(steps, step{open("bash -c 'echo ran > ran.txt'"), ""})
			p.Main = append(callsOf(steps), feed("stripe refunds create --customer C-1 --amount 90000"))
			w.checkRefused(w.run(p), "main", steps)
			w.checkReached(nil, nil)
			w.read(filepath.Join(w.repo, "ran.txt"))
		})
	}
}

// TestPush: a push by force does not reach the remote, from wherever the line goes; a
// plain one does.
func TestPush(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		remote := filepath.Join(filepath.Dir(w.repo), "remote.git")
		w.do(w.home, "git", "init", "-q", "--bare", remote)
		w.do(w.repo, "git", "remote", "add", "origin", remote)
		w.do(w.repo, "git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "first")
		w.must(os.Mkdir(filepath.Join(w.repo, "sub"), 0o755))
		steps := []step{
			{w.client.line("cd sub && git push --force origin HEAD:refs/heads/main"), noForce},
			{w.client.line(`sh -c 'git push "--force" origin HEAD:refs/heads/main'`), noForce},
			{w.client.line("git push --force-with-lease origin HEAD:refs/heads/main"), noForce},
			{w.client.line("git status --short --branch > status.txt"), ""},
			{w.client.line("cd sub && git push origin HEAD:refs/heads/plain"), ""},
		}
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		if got := w.do(remote, "git", "for-each-ref", "--format=%(refname:short)"); got != "plain\n" {
			w.Errorf("the remote has the branches %q", got)
		}
		if got := w.read(filepath.Join(w.repo, "status.txt")); !strings.HasPrefix(got, "## ") {
			w.Errorf("the status is %q", got)
		}
	})
}

// TestFiles: a rule about the files that tools write holds for command lines, too, and
// lets through what only reads them or writes others.
func TestFiles(t *testing.T) {
	eachShell(t, func(w *world, p play) {
		w.write(w.policy(), "version = 1\n[[rule]]\nid = \"secrets\"\neffect = \"deny\"\nmatch = { tool = [\"@write\"], path = [\"secrets/**\"] }\n")
		secrets := filepath.Join(w.repo, "secrets")
		key := filepath.Join(secrets, "key")
		w.write(key, "before\n")
		w.must(os.Symlink("secrets", filepath.Join(w.repo, "link")))
		const refused = `"rule":"secrets"`
		here := "cd '" + w.repo + "' && "
		steps := []step{
			{w.client.line("echo after > '" + key + "'"), refused},
			{w.client.line(here + "cd link && sed -i s/before/after/ key"), refused},
			{w.client.line(here + `bash -c "cp /etc/hosts secrets/key"`), refused},
			{w.client.line(here + "rm -rf sec*"), refused},
			{w.client.line(here + "mv secrets other"), refused},
			{w.client.line(here + "cat secrets/key > copy.txt 2>/dev/null"), ""},
			{w.edits(filepath.Join(secrets, "new")), refused},
			{w.edits(filepath.Join(w.repo, "new.txt")), ""},
		}
		p.Main = callsOf(steps)
		w.checkRefused(w.run(p), "main", steps)
		if got := w.read(key) + w.read(filepath.Join(w.repo, "copy.txt")) + w.read(filepath.Join(w.repo, "new.txt")); got != "before\nbefore\nx\n" {
			w.Errorf("the files are %q", got)
		}
	})
}

// edits makes a file with the client's own tool.
func (w *world) edits(path string) Call {
	if w.client.name == "claude" {
		return Call{Tool: "Write", Args: object{"file_path": path, "content": "x\n"}}
	}
	return Call{Tool: "apply_patch", Args: "*** Begin Patch\n*** Add File: " + path + "\n+x\n*** End Patch\n"}
}
