package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/policy"
)

const replayAbout = `replay runs recorded sessions through the policy and counts what every rule would have done: which calls it
would have denied, closed a gate before, asked about, or could not have decided. Nothing is recorded. FILES hold one
event a line: hook events, a Claude Code transcript or a Codex rollout. A session's time is that of its lines'
"timestamp" members; where they have none, it stands still at --now. Codex never asks: there a call is denied about
which a rule asks.`

// replayFlags are the options of replay.
type replayFlags struct {
	policies       []string
	now, client    string
	expect, labels string
	json           bool
}

func (c *cli) replayCommand() *cobra.Command {
	var f replayFlags
	command := &cobra.Command{
		Use:   "replay --policy FILE SESSIONS...",
		Short: "show what a policy would have done to recorded sessions",
		Long:  replayAbout,
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(_ *cobra.Command, files []string) error { return c.replay(f, files) },
	}
	flags := command.Flags()
	flags.StringArrayVar(&f.policies, "policy", nil, "policy file; several are layers, broad first (default: what applies here)")
	flags.StringVar(&f.now, "now", "", "the time of lines without one, such as 2024-05-15T15:00:00 (default: now)")
	flags.StringVar(&f.client, "client", "claude", "the client of hook events that do not name it: claude or codex")
	flags.StringVar(&f.expect, "expect", "", "file with the verdicts to expect; differences fail")
	flags.StringVar(&f.labels, "labels", "", "file with a line for each session, to count by its success")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return command
}

func (c *cli) replay(f replayFlags, files []string) error {
	set, err := c.replayPolicy(f.policies)
	if err != nil {
		return err
	}
	now, err := replayTime(f.now)
	if err != nil {
		return err
	}
	if _, known := hooks.ClientNamed(f.client); !known {
		return fmt.Errorf("--client cannot be %q: write claude or codex", f.client)
	}
	bar := c.progressBar(files)
	rec, err := readRecordings(files, f.client, bar.add)
	bar.done()
	if err != nil {
		return err
	}
	if len(rec.order) == 0 {
		return errors.New("there is no event in these files; they hold one a line: hook events, a Claude Code transcript or a Codex rollout")
	}
	t := newTally(set)
	if t.labels, err = readLabels(f.labels); err != nil {
		return err
	}
	for _, id := range rec.order {
		t.session(id, replaySession(set, now, rec.sessions[id]))
	}
	if f.json {
		t.printJSON(c.stdout)
	} else {
		t.print(c.stdout)
	}
	if f.expect == "" {
		return nil
	}
	return c.compare(t, f.expect)
}

// replaySession plays one session; its calls come back in their order. now is the
// time of a session that does not say when it was.
func replaySession(set *policy.Set, now time.Time, events []recorded) []*replayed {
	book, ctx := newReplayBook(firstTime(events, now)), gate.Context{}
	var calls []*replayed
	for _, ev := range events {
		book.tick(ev)
		if ev.Kind == hooks.PreToolUse {
			calls = append(calls, book.judge(set, ctx, ev))
		} else {
			book.learn(set, ctx, ev.Event)
		}
	}
	return calls
}

// firstTime is the first time that a session tells.
func firstTime(events []recorded, now time.Time) time.Time {
	for _, ev := range events {
		if !ev.at.IsZero() {
			return ev.at
		}
	}
	return now
}

// replayPolicy reads the named files as layers of their own, or what applies here.
func (c *cli) replayPolicy(files []string) (*policy.Set, error) {
	if len(files) == 0 {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		set, err := policy.Load(dir, placesOf(c.env))
		if errors.Is(err, policy.ErrNone) {
			err = errors.New("no policy applies here; name one with --policy FILE")
		}
		return set, err
	}
	set := &policy.Set{}
	for _, path := range files {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		layer, err := policy.ReadBelow(set, absolute)
		var problems policy.Problems
		if err == nil && len(layer.Expressions()) > 0 {
			err = layer.Expressions()
		}
		if errors.As(err, &problems) {
			c.report("", problems)
			return nil, errProblems
		}
		if err != nil {
			return nil, err
		}
	}
	return set, nil
}

func replayTime(text string) (time.Time, error) {
	if text == "" {
		return time.Now(), nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("--now cannot be %q: write 2024-05-15T15:00:00, or with a zone", text)
}
