package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"gatewright/install"
)

// limited is how another program is run that may hang, or leave a child behind that
// does, or never stop talking.
type limited struct {
	limit time.Duration
	dir   string
	env   environment
	stdin []byte
}

// output is what such a program left.
type output struct {
	stdout, stderr string
	exit           int
}

// maxOutput is how much of what a program says is kept, in bytes.
const maxOutput = 1 << 20

// run ends when the program does, or with its whole group when the limit passes.
func (l limited) run(program string, args ...string) (output, error) {
	ctx, cancel := context.WithTimeout(context.Background(), l.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = l.dir, l.env, bytes.NewReader(l.stdin)
	cmd.WaitDelay = time.Second // for a child that keeps the pipes open
	install.InGroup(cmd)
	var stdout, stderr beginning
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("no answer within %s", l.limit)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // it has ended itself
	}
	return output{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}, err
}

// beginning keeps the first bytes of what is written to it.
type beginning struct{ bytes.Buffer }

func (b *beginning) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, maxOutput-b.Len()))])
	return len(p), nil
}
