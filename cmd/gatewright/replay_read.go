package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"gatewright/hooks"
)

// recording is sessions of events in the order in which they were recorded.
type recording struct {
	order    []string
	sessions map[string][]recorded
}

// recorded is one event of a recording.
type recorded struct {
	hooks.Event
	at   time.Time // zero if the line does not say
	made *madeCall // the call that it announces or ends, if that was announced
}

// maxLine bounds one recorded event, in bytes.
const maxLine = 64 << 20

// readRecordings reads files with one event a line: hook events, a Claude Code
// transcript or a Codex rollout. client is that of hook events that name none. seen
// is told how many bytes were read.
func readRecordings(files []string, client string, seen func(int)) (*recording, error) {
	r := &recording{sessions: map[string][]recorded{}}
	for _, path := range files {
		if err := r.readFile(path, client, seen); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *recording) readFile(path, client string, seen func(int)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return r.read(f, path, client, seen)
}

func (r *recording) read(in io.Reader, path, client string, seen func(int)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	reader := newLineReader(path, client)
	for n := 1; lines.Scan(); n++ {
		seen(len(lines.Bytes()) + 1)
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := r.readLine(reader, bytes.Clone(lines.Bytes())); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

var errNotJSON = errors.New("not JSON")

// readLine refuses what a hook refuses: of a member that is there twice nobody can
// say which one the client meant.
func (r *recording) readLine(reader *lineReader, text []byte) error {
	err := hooks.Strict(text)
	if errors.Is(err, hooks.ErrGrammar) {
		return errNotJSON
	}
	if err != nil {
		return err
	}
	line := gjson.ParseBytes(text)
	events, err := reader.events(line)
	at, timeErr := time.Parse(time.RFC3339, line.Get("timestamp").Str)
	for _, ev := range events {
		if timeErr == nil {
			ev.at = at
		}
		r.add(ev)
	}
	return err
}

func (r *recording) add(ev recorded) {
	if _, known := r.sessions[ev.Session]; !known {
		r.order = append(r.order, ev.Session)
	}
	r.sessions[ev.Session] = append(r.sessions[ev.Session], ev)
}
