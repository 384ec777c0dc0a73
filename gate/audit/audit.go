// Package audit writes one JSON line per verdict. It holds what was decided and
// why, never what the arguments were: those appear as a digest under a key that
// only this installation has.
package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"gatewright/gate"
	"gatewright/hooks"
)

// MaxFile is how large a day's file grows before the next part begins, in bytes.
const MaxFile = 64 << 20

// Entry is what one line says.
type Entry struct {
	Time     time.Time
	Event    hooks.Event
	Verdict  gate.Verdict
	Digest   string        // of the arguments
	Policy   string        // digest of the policy's text
	Holds    []string      // ids of reservations made, for `gatewright release`
	Notes    []string      // what a finished call left or failed to leave
	Duration time.Duration // from the start of the process
}

// Write appends the entry to the day's file in dir. The line is one write to a
// file opened for appending, so that processes do not mix their lines.
func Write(dir string, e Entry) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := openDay(dir, e.Time)
	if err != nil {
		return err
	}
	w := &checkedWriter{f: f}
	log := zerolog.New(w)
	line(&log, e)
	if err := f.Close(); w.err == nil {
		w.err = err
	}
	return w.err
}

// checkedWriter keeps the error that zerolog would print itself.
type checkedWriter struct {
	f   *os.File
	err error
}

func (w *checkedWriter) Write(p []byte) (int, error) {
	if _, err := w.f.Write(p); err != nil {
		w.err = err
	}
	return len(p), nil
}

// openDay opens the first part of the day's file that has room. Opening never
// waits: a pipe in its place is an error, not a way to hold up the hook.
func openDay(dir string, now time.Time) (*os.File, error) {
	day := now.UTC().Format(time.DateOnly)
	for part := 1; ; part++ {
		name := day + ".jsonl"
		if part > 1 {
			name = fmt.Sprintf("%s.%d.jsonl", day, part)
		}
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err != nil || info.Size() < MaxFile {
			return f, err
		}
		f.Close()
	}
}

func line(log *zerolog.Logger, e Entry) {
	ev := log.Log().
		Time("time", e.Time.UTC()).
		Str("client", e.Event.Client).
		Str("event", e.Event.Name).
		Str("session", e.Event.Session)
	optional(ev, "tool", e.Event.Tool)
	optional(ev, "tool_use_id", e.Event.ToolUseID)
	optional(ev, "agent_id", e.Event.AgentID)
	optional(ev, "mode", e.Event.Mode)
	if e.Event.Kind.CanBlock() {
		ev = ev.Str("verdict", e.Verdict.Decision.String())
	}
	if len(e.Verdict.Findings) > 0 {
		ev = ev.Array("rules", findings(e.Verdict.Findings))
	}
	if len(e.Verdict.Reaches) > 0 {
		ev = ev.Strs("reaches", e.Verdict.Reaches)
	}
	if len(e.Verdict.Checked) > 0 {
		ev = ev.Strs("claim", e.Verdict.Checked)
	}
	if len(e.Holds) > 0 {
		ev = ev.Strs("reserved", e.Holds)
	}
	if len(e.Notes) > 0 {
		ev = ev.Strs("notes", e.Notes)
	}
	optional(ev, "args", e.Digest)
	optional(ev, "policy", e.Policy)
	ev.Dur("ms", e.Duration).Send()
}

func optional(ev *zerolog.Event, key, value string) {
	if value != "" {
		ev.Str(key, value)
	}
}

// findings writes each objection with its place.
type findings []gate.Finding

func (fs findings) MarshalZerologArray(a *zerolog.Array) {
	for _, f := range fs {
		a.Object(finding(f))
	}
}

type finding gate.Finding

func (f finding) MarshalZerologObject(e *zerolog.Event) {
	e.Str("id", f.ID).Str("layer", f.Layer).Str("decision", f.Decision.String())
	optional(e, "category", string(f.Category))
	optional(e, "file", f.File)
	if f.Line > 0 {
		e.Int("line", f.Line)
	}
	optional(e, "detail", f.Detail)
}
