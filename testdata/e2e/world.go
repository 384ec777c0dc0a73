package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is a throw-away home with a repository in it.
type world struct {
	*testing.T
	client client
	home   string
	repo   string
	log    string   // of the payment server
	more   []string // environment of the client
	etc    string   // what everything here sees as /etc; the machine's own if empty
}

// client is one version of a client and how it is run.
type client struct {
	pinned
	name string // gatewright's name of it
	run  func(w *world, p play) outcome
}

// play is one run of the client.
type play struct {
	Script
	Dir      string // where it starts; the repository's root by default
	Bypass   bool   // the mode in which nobody is asked anything
	CodeMode bool   // Codex: the model writes programs that call tools
	Prompt   string // instead of the one that begins the script
	Resume   bool   // goes on with the session of the play before
	Deferred bool   // Claude Code: goes on with the call that another hook put off
	Long     bool   // Codex: the conversation is too long and is shortened
	Approval string // of the servers' tools: with Codex's words "prompt" and "auto" the client asks; by default it does not
	Person   string // who is asked, and does "approve" or "decline"; nobody by default
}

// outcome is what a run left behind.
type outcome struct {
	*Model
	stdout, stderr string
	asked          []string // what Codex asked the person
}

// limit is how long one run may take.
const limit = 90 * time.Second

func newWorld(t *testing.T, c client) *world {
	t.Helper()
	root := t.TempDir()
	w := &world{T: t, client: c, home: filepath.Join(root, "home"), repo: filepath.Join(root, "a repo"), log: filepath.Join(root, "calls.jsonl")}
	program := c.program(t)
	bin := filepath.Join(w.home, ".local", "bin")
	w.must(os.MkdirAll(bin, 0o755))
	w.must(os.Symlink(program, filepath.Join(bin, c.name)))
	// A process of its own copies: a file that this one has open for writing cannot
	// be run while another test starts a program.
	w.do(w.home, "cp", filepath.Join(build(t), "gatewright"), w.gatewright())
	w.must(os.MkdirAll(w.repo, 0o755))
	w.do(w.repo, "git", "init", "-q")
	return w
}

// newInstalled is a world in which gatewright is installed for the repository.
func newInstalled(t *testing.T, c client) *world {
	t.Helper()
	w := newWorld(t, c)
	w.prepare()
	w.do(w.repo, "gatewright", "install", "--client", c.name)
	return w
}

// prepare writes what the client needs of its own, before anything of ours.
func (w *world) prepare() {
	if w.client.name == "codex" {
		w.write(filepath.Join(w.home, ".codex", "config.toml"), codexConfig)
	}
}

func (w *world) gatewright() string { return filepath.Join(w.home, ".local", "bin", "gatewright") }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(path, text string) {
	w.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), 0o644))
}

// env is the whole environment of everything that runs in the world.
func (w *world) env(more ...string) []string {
	tools := "/usr/local/bin:/usr/bin:/bin"
	if node, err := exec.LookPath("node"); err == nil {
		tools += ":" + filepath.Dir(node)
	}
	return append([]string{
		"HOME=" + w.home,
		"PATH=" + filepath.Join(w.home, ".local", "bin") + ":" + tools,
		"LANG=C.UTF-8",
		"TERM=dumb",
		"NO_PROXY=*",
	}, more...)
}

// do runs a program in the world and gives its output; it must succeed.
func (w *world) do(dir string, argv ...string) string {
	w.Helper()
	if argv[0] == "gatewright" {
		argv[0] = w.gatewright()
	}
	argv = w.inEtc(argv)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, w.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}

// run plays a script through the client.
func (w *world) run(p play) outcome {
	w.Helper()
	if p.Dir == "" {
		p.Dir = w.repo
	}
	if p.Prompt == "" {
		p.Prompt = mainPrompt
	}
	o := w.client.run(w, p)
	w.Cleanup(func() {
		if w.Failed() {
			w.Logf("the model was told %q\nstderr:\n%.2000s\nstdout ends:\n%s", o.told, o.stderr, o.stdout[max(0, len(o.stdout)-6000):])
		}
	})
	return o
}

// start runs the client's program against a mock model.
func (w *world) start(m *Model, p play, env []string, argv ...string) outcome {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	argv = w.inEtc(argv)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, w.env(append(env, w.more...)...), 2*time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	m.Close()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		w.Errorf("%v: %v %v", argv, err, ctx.Err())
	}
	return outcome{Model: m, stdout: stdout.String(), stderr: stderr.String()}
}

// refunds lists the refunds that reached the payment server, as "customer amount".
func (w *world) refunds() []string {
	var list []string
	for _, args := range w.received("process_refund") {
		var r struct {
			Customer string      `json:"customer_id"`
			Amount   json.Number `json:"amount_usd"`
		}
		w.must(json.Unmarshal([]byte(args), &r))
		list = append(list, fmt.Sprintf("%s %s", r.Customer, r.Amount))
	}
	return list
}

// received lists the arguments of a tool's calls that reached the server, as JSON.
func (w *world) received(tool string) []string {
	var list []string
	for _, line := range w.calls() {
		var c struct {
			Tool string
			Args json.RawMessage
		}
		w.must(json.Unmarshal([]byte(line), &c))
		if c.Tool == tool {
			list = append(list, string(c.Args))
		}
	}
	return list
}

// calls are the lines of the payment server's log.
func (w *world) calls() []string {
	text, err := os.ReadFile(w.log)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	w.must(err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
