package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gatewright/gate/ledger"
	"gatewright/hooks"
)

func (c *cli) releaseCommand() *cobra.Command {
	var session string
	var spend bool
	cmd := &cobra.Command{
		Use:   "release [ID | --session ID]",
		Short: "give a reserved amount back, or reopen a session; list what is reserved",
		Long: `Without an argument, list every amount that is reserved or spent, newest last.
With an ID, give that amount back: it no longer counts against its limit.
With --session, reopen a session that was closed because a call ran with other
arguments than were checked, whose ledger is damaged (it is set aside), or whose
memory was removed because it was not used for long (it begins anew).
With --spend, set a damaged ledger of the limits over a time aside.
All but the list need a terminal: an agent must not be able to do it.`,
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&session, "session", "", "the client's session id")
	cmd.Flags().BoolVar(&spend, "spend", false, "the ledger of limits over a time")
	cmd.MarkFlagsMutuallyExclusive("session", "spend")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir, err := stateDir(c.env)
		if err != nil {
			return err
		}
		r := releaser{dir: dir, stdout: c.stdout}
		switch {
		case len(args) == 0 && session == "" && !spend:
			return r.list()
		case len(args) == 1 && (session != "" || spend):
			return errors.New("name a reservation or a ledger, not both")
		case !isTerminal(c.stdin):
			return errors.New("this needs a person at a terminal")
		case session != "":
			return r.reopen(session)
		case spend:
			return r.unfreeze(filepath.Join(r.dir, "spend"))
		}
		return r.release(args[0])
	}
	return cmd
}

// isTerminal reports whether a person can be typing there.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// releaser works on every book of the state folder.
type releaser struct {
	dir    string
	stdout io.Writer
}

// holdName is how people name a hold: short, and the same wherever it is shown.
func holdName(shared bool, h ledger.Hold) string {
	sum := sha256.Sum256([]byte(h.Call + "\x00" + h.ID()))
	prefix := "s"
	if shared {
		prefix = "u"
	}
	return prefix + "-" + hex.EncodeToString(sum[:5])
}

// folders lists the folders of the user's book and of the sessions' books.
func (r releaser) folders() ([]string, error) {
	sessions, err := filepath.Glob(filepath.Join(r.dir, "sessions", "*"))
	return append([]string{filepath.Join(r.dir, "spend")}, sessions...), err
}

func (r releaser) list() error {
	folders, err := r.folders()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(r.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tWHEN\tLIMIT\tAMOUNT\tTOOL\tSTATE")
	for i, folder := range folders {
		err := withBook(folder, view, func(tx *ledger.Tx) (bool, error) {
			return false, tx.Holds(func(h ledger.Hold) error {
				status := "reserved"
				if h.Settled {
					status = "spent"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", holdName(i == 0, h),
					h.At.Local().Format(time.DateTime), h.Limit, h.Amount, h.Tool, status)
				return nil
			})
		})
		if err != nil {
			fmt.Fprintf(w, "-\t\t%v\n", err)
		}
	}
	return w.Flush()
}

// release gives back the hold of that name, whichever book it is in.
func (r releaser) release(name string) error {
	folders, err := r.folders()
	if err != nil {
		return err
	}
	var unread error // of other ledgers: the one we look for may be whole
	for i, folder := range folders {
		if strings.HasPrefix(name, "u-") != (i == 0) {
			continue
		}
		found, err := r.releaseIn(folder, i == 0, name)
		if found {
			return err
		}
		unread = errors.Join(unread, err)
	}
	if unread != nil {
		return unread
	}
	return fmt.Errorf("there is no reservation %s; run gatewright release to see them", name)
}

func (r releaser) releaseIn(folder string, shared bool, name string) (bool, error) {
	if _, err := os.Stat(filepath.Join(folder, ledger.FileName)); err != nil {
		return false, nil
	}
	var hold *ledger.Hold
	err := withBook(folder, create, func(tx *ledger.Tx) (bool, error) {
		err := tx.Holds(func(h ledger.Hold) error {
			if holdName(shared, h) == name {
				hold = &h
			}
			return nil
		})
		if err != nil || hold == nil {
			return false, err
		}
		return true, tx.Release(hold.ID())
	})
	if err == nil && hold != nil {
		fmt.Fprintf(r.stdout, "released %s: %s under %s no longer counts\n", name, hold.Amount, hold.Limit)
	}
	return hold != nil, err
}

// reopen unfreezes the session of any client that has this id. A ledger that
// cannot be read is set aside, not deleted: what it held is lost to the session,
// which then has to prove everything anew.
func (r releaser) reopen(session string) error {
	known := false
	for _, client := range hooks.Clients() {
		folder := sessionDirOf(r.dir, client.Name, session)
		path := filepath.Join(folder, ledger.FileName)
		revived, err := ledger.Revive(folder)
		if err != nil {
			return err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !revived {
			continue
		}
		known = true
		if err := r.unfreeze(folder); err != nil {
			return err
		}
		fmt.Fprintf(r.stdout, "reopened the %s session %s\n", client.Name, session)
	}
	if !known {
		return fmt.Errorf("no client has a session %s here", session)
	}
	return nil
}

// unfreeze opens a session's book again, or sets a damaged one aside.
func (r releaser) unfreeze(folder string) error {
	err := withBook(folder, create, func(tx *ledger.Tx) (bool, error) { return true, tx.Freeze("") })
	if !ledger.Damaged(err) {
		return err
	}
	path := filepath.Join(folder, ledger.FileName)
	aside := ledger.Aside(path, time.Now())
	if err := os.Rename(path, aside); err != nil {
		return err
	}
	fmt.Fprintf(r.stdout, "its ledger cannot be read (%v): set aside as %s; what it held is forgotten\n", err, aside)
	return nil
}
