package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gatewright/gate/ledger"
	"gatewright/hooks"
	"gatewright/policy"
)

// unused is after how long without a write a session has expired; a person may set
// another time, but not one in which a session may be at work.
const (
	unused         = 30 * 24 * time.Hour
	shortestUnused = 24 * time.Hour
)

func (c *cli) gcCommand() *cobra.Command {
	var age string
	var dry bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "remove what sessions that were not used for long have left",
		Long: `Remove the memory of sessions in which nothing was recorded for 30 days, and say
which. One with a reservation that is not settled, or that was closed, stays; so do
the limits over a time. If somebody goes on with such a session, whatever depends on
its memory is denied until gatewright release --session ID. A few are removed
whenever a session begins, at most once a day.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().StringVar(&age, "older-than", "30d", "how long nothing was recorded, such as 90d")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	cmd.RunE = func(*cobra.Command, []string) error {
		length, err := policy.ParseDuration(age)
		if err != nil || length < shortestUnused {
			return fmt.Errorf("--older-than cannot be %q: write a time of at least a day, such as 90d", age)
		}
		dir, err := stateDir(c.env)
		if err != nil {
			return err
		}
		return sweep{dir: dir, before: clock().Add(-length), dry: dry}.report(c.stdout)
	}
	return cmd
}

// sweep removes the sessions that were not written to since before.
type sweep struct {
	dir    string // the state
	before time.Time
	dry    bool
	stop   func(removed int) bool // nil: when all are done
}

var errSweeping = errors.New("another gatewright gc is at work")

// run looks at one session after the other and tells done of each that has expired:
// why it was not removed, or nothing. One process sweeps at a time.
func (s sweep) run(done func(name string, last time.Time, err error)) error {
	sessions := filepath.Join(s.dir, "sessions")
	held, err := ledger.TryLock(sessions)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, ledger.ErrInUse):
		return errSweeping
	case err != nil:
		return err
	}
	defer held.Close()
	top, err := os.Open(sessions)
	if err != nil {
		return err
	}
	defer top.Close()
	removed := 0
	for {
		names, err := top.Readdirnames(256)
		for _, name := range names {
			if s.stop != nil && s.stop(removed) {
				return nil
			}
			last, expired := s.expired(name)
			if !expired {
				continue
			}
			err := s.expire(name)
			if err == nil {
				removed++
			}
			done(name, last, err)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// expired reports whether a session's folder was not written to for long. What is no
// folder of ours is none.
func (s sweep) expired(name string) (time.Time, bool) {
	path := filepath.Join(s.dir, "sessions", name)
	hash, err := hex.DecodeString(name)
	if err != nil || len(hash) != sessionHash {
		return time.Time{}, false
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !info.ModTime().Before(s.before) {
		return time.Time{}, false
	}
	last, err := ledger.LastUse(path)
	return last, err == nil && last.Before(s.before)
}

// expire removes one session, except for the notes that make it stricter whether or not
// it has a book.
func (s sweep) expire(name string) error {
	folder := filepath.Join(s.dir, "sessions", name)
	return sound(folder, func() error { return ledger.Expire(folder, s.before, s.dry, strict) })
}

func strict(note string) bool {
	return note == answererName || strings.HasPrefix(note, unreadName)
}

func (s sweep) report(out io.Writer) error {
	removed, verb := 0, "removed"
	if s.dry {
		verb = "would remove"
	}
	err := s.run(func(name string, last time.Time, err error) {
		switch {
		case err == nil:
			removed++
			fmt.Fprintf(out, "%s %s, last used %s\n", verb, name, last.Local().Format(time.DateOnly))
		case !errors.Is(err, ledger.ErrInUse):
			fmt.Fprintf(out, "kept %s: %v\n", name, err)
		}
	})
	s.dropForms()
	if err == nil {
		fmt.Fprintf(out, "%s %d sessions that nothing was recorded in since %s\n", verb, removed, s.before.Local().Format(time.DateOnly))
	}
	return err
}

// dropForms removes forms of policies that were made long ago. One that is still in use is
// made anew.
func (s sweep) dropForms() {
	folder := filepath.Join(s.dir, "policies")
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if info, infoErr := e.Info(); err == nil && infoErr == nil && info.ModTime().Before(s.before) && !s.dry {
			_ = os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// How much is tidied up at the beginning of a session.
const (
	sweepEvery = 24 * time.Hour
	sweepMost  = 50
	sweepTime  = 200 * time.Millisecond
	sweptName  = "swept" // when it was done last
)

// goesOn keeps a session from expiring of which a call may only ever read.
func (h *hook) goesOn(ev hooks.Event) {
	if dir, err := stateDir(h.env); err == nil {
		now := clock()
		_ = os.Chtimes(sessionDirOf(dir, ev.Client, ev.Session), now, now) // if there is one
	}
}

// tidyUp removes a few expired sessions now and then. What fails here matters to no
// call.
func (h *hook) tidyUp(ev hooks.Event) {
	dir, err := stateDir(h.env)
	if err != nil {
		return
	}
	now := clock()
	h.goesOn(ev)
	swept := filepath.Join(dir, sweptName)
	if info, err := os.Lstat(swept); err == nil && (!info.Mode().IsRegular() || now.Sub(info.ModTime()).Abs() < sweepEvery) {
		return
	}
	if os.WriteFile(swept, nil, 0o600) != nil || os.Chtimes(swept, now, now) != nil {
		return // nothing is kept yet, or nothing can be
	}
	_ = sweep{dir: dir, before: now.Add(-unused), stop: func(removed int) bool {
		return removed >= sweepMost || clock().Sub(now) > sweepTime
	}}.run(func(string, time.Time, error) {})
}
