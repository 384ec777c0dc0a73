//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
	"gatewright/install"
)

// heard is what a client receives from the registered line.
type heard struct {
	word   string // deny, silence, told, context; line: the line denied in our place
	exit   int
	stderr string
}

// installProgram puts the program where the registered line looks first.
func (p *place) installProgram() {
	program, err := exec.LookPath("gatewright")
	p.must(err)
	p.must(os.MkdirAll(filepath.Dir(p.program()), 0o700))
	p.must(os.Symlink(program, p.program()))
}

func (p *place) program() string { return filepath.Join(p.home, ".local/bin/gatewright") }

// lineOf is the line that is registered for an event of a client.
func lineOf(line install.Line, client, event string) string {
	c, _ := hooks.ClientNamed(client)
	for _, r := range c.Events {
		if r.Event == event {
			return line.Text(c, r)
		}
	}
	panic("no line for " + event)
}

// command runs a registered line as a client does, in the place.
func (p *place) command(line string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Env, cmd.Dir = p.env, p.repo
	if p.uid != 0 {
		runAs(cmd, p.uid)
	}
	return cmd
}

// ask gives an event to a registered line. With open, stdin is not closed before the
// line has ended.
func (p *place) ask(line, event string, stdin []byte, open bool) heard {
	p.t.Helper()
	cmd := p.command(line)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pipe, err := cmd.StdinPipe()
	p.must(err)
	p.must(cmd.Start())
	if _, err := pipe.Write(stdin); err != nil && !errors.Is(err, syscall.EPIPE) {
		p.t.Error(err)
	}
	if !open {
		pipe.Close()
	}
	return p.hearing(event, cmd, &stdout, &stderr)
}

// hearing waits for a line and reads what it leaves as a client reads it.
func (p *place) hearing(event string, cmd *exec.Cmd, stdout, stderr *bytes.Buffer) heard {
	p.t.Helper()
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		p.t.Error(err)
	}
	h := heard{exit: cmd.ProcessState.ExitCode(), stderr: stderr.String()}
	for _, sign := range []string{"goroutine ", "panic:", "fatal error:"} {
		if strings.Contains(h.stderr, sign) {
			p.t.Errorf("a Go trace: %.2000s", h.stderr)
		}
	}
	h.word = answerWord(event, h, stdout.Bytes())
	return h
}

// answerWord names an answer; what a client would take for none has its exit code in it.
func answerWord(event string, h heard, stdout []byte) string {
	if len(stdout) == 0 && h.exit == 0 {
		return "silence"
	}
	nothing := fmt.Sprintf("NOTHING, exit %d: %.200s", h.exit, stdout)
	if hooks.Strict(stdout) != nil && event == "PreToolUse" {
		return nothing
	}
	out := gjson.ParseBytes(stdout)
	reason := out.Get("hookSpecificOutput.permissionDecisionReason").Str
	switch {
	case strings.Contains(reason+out.Get("systemMessage").Str, "gatewright did not answer"):
		return "line"
	case out.Get("hookSpecificOutput.permissionDecision").Str == "deny" && strings.TrimSpace(reason) != "" &&
		(h.exit == 0 || h.exit == hooks.ExitBlock && strings.TrimSpace(h.stderr) != ""):
		return "deny"
	case h.exit != 0 || event == "PreToolUse": // a call would run
		return nothing
	case out.Get("hookSpecificOutput.additionalContext").Exists():
		return "context"
	case out.Get("systemMessage").Exists():
		return "told"
	}
	return "ignored"
}

// pidPipe is where the program tells its process id, if there is one.
func (p *place) pidPipe() string { return filepath.Join(p.home, "pid") }

// askAndSignal sends a signal to the program while it waits for its event.
func (p *place) askAndSignal(line, event string, stdin []byte, signal syscall.Signal) heard {
	p.t.Helper()
	_ = os.Remove(p.pidPipe())
	p.must(syscall.Mkfifo(p.pidPipe(), 0o600))
	cmd := p.command(line)
	cmd.Env = append(cmd.Env, "TEST_PID="+p.pidPipe())
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	pipe, err := cmd.StdinPipe()
	p.must(err)
	p.must(cmd.Start())
	text, err := os.ReadFile(p.pidPipe()) // waits for the program to come up
	p.must(err)
	var pid int
	_, err = fmt.Sscan(string(text), &pid)
	p.must(err)
	p.must(syscall.Kill(pid, signal))
	if signal == syscall.SIGPIPE { // which kills nobody
		_, err = io.Copy(pipe, bytes.NewReader(stdin))
		p.must(errors.Join(err, pipe.Close()))
	}
	return p.hearing(event, cmd, &stdout, &stderr)
}
