package main

import (
	"fmt"
	"io"
	"os"
)

// progress shows on a terminal how far a long reading has come.
type progress struct {
	out         io.Writer // nil: nobody looks
	read, total int64
	shown       int64
}

func (c *cli) progressBar(files []string) *progress {
	p := &progress{}
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			p.total += info.Size()
		}
	}
	if f, ok := c.stderr.(*os.File); ok && isTerminal(f) {
		p.out = f
	}
	return p
}

func (p *progress) add(n int) {
	if p.read += int64(n); p.out == nil || p.total == 0 {
		return
	}
	if percent := min(100*p.read/p.total, 100); percent != p.shown {
		p.shown = percent
		fmt.Fprintf(p.out, "\rreading %3d %%", percent)
	}
}

func (p *progress) done() {
	if p.out != nil {
		fmt.Fprint(p.out, "\r             \r")
	}
}
