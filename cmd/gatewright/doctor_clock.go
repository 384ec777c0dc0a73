package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
)

// tolerated is how far a record may lie ahead: clocks are set by parts of a second.
const tolerated = 10 * time.Second

// checkClock compares the newest record with the clock.
func (d *doctor) checkClock() {
	newest, err := newestRecord(d.env)
	ahead := time.Until(newest)
	switch {
	case errors.Is(err, errNoHome): // it was said
	case err != nil:
		d.note("", "clock", "the audit cannot be read: "+err.Error(), "")
	case newest.IsZero():
		d.well("", "clock", "nothing is recorded yet")
	case ahead > tolerated:
		d.fault("", "clock", fmt.Sprintf("the newest record is of %s, which is %s ahead: the clock went back, and what is proved or spent seems newer than it is",
			newest.Format(time.RFC3339), ahead.Round(time.Second)), "set the clock right (timedatectl set-ntp true); if it is right now, set the folder audit in the state folder aside")
	default:
		d.well("", "clock", "no record lies ahead of it")
	}
}

// newestRecord is the time of the newest line of the audit; zero if there is none.
func newestRecord(env environment) (time.Time, error) {
	home, err := stateDir(env)
	if err != nil {
		return time.Time{}, err
	}
	dir := (&state{dir: home}).auditDir()
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	var newest time.Time
	day := ""
	for _, e := range slices.Backward(entries) { // by name, so the last day comes first
		name := e.Name()
		if len(name) < len(time.DateOnly) || !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		if day != "" && name[:len(time.DateOnly)] != day && !newest.IsZero() {
			break
		}
		day = name[:len(time.DateOnly)]
		if at := lastRecord(filepath.Join(dir, name)); at.After(newest) {
			newest = at
		}
	}
	return newest, nil
}

// maxTail is how much of the end of an audit file is read, in bytes.
const maxTail = 64 << 10

// lastRecord is the time of the last line of a file that says one; zero if there is
// none. Opening does not wait.
func lastRecord(path string) time.Time {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return time.Time{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}
	}
	tail := make([]byte, min(info.Size(), maxTail))
	n, _ := f.ReadAt(tail, info.Size()-int64(len(tail)))
	for _, line := range slices.Backward(bytes.Split(tail[:n], []byte("\n"))) {
		if at, err := time.Parse(time.RFC3339, gjson.GetBytes(line, "time").Str); err == nil {
			return at
		}
	}
	return time.Time{}
}
