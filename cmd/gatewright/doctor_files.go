package main

import (
	"bytes"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
)

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
