package main

import (
	"io"
	"time"

	"gatewright/hooks"
)

// quiet is how long a client may pause after a complete event before we stop
// waiting for the end of a pipe that it leaves open.
const quiet = 150 * time.Millisecond

// readEvent reads stdin to its end, or until one complete object is in and
// nothing more comes. The second result says why the input cannot be an event.
// Input that is refused is still read, so that the client sees no broken pipe.
func readEvent(stdin io.Reader) ([]byte, string) {
	chunks := make(chan []byte)
	stop := make(chan struct{})
	defer close(stop)
	go readChunks(stdin, chunks, stop)

	var frame hooks.Frame
	var text []byte
	for {
		var pause <-chan time.Time
		if frame.Settled() {
			pause = time.After(quiet)
		}
		select {
		case chunk, open := <-chunks:
			if !open {
				return text, ended(&frame, text)
			}
			if text, chunk = startOf(text, chunk); frame.Problem() == "" {
				frame.Feed(chunk)
				text = append(text, chunk...)
			}
		case <-pause:
			return text, frame.Problem()
		}
	}
}

// startOf drops a byte order mark from the first chunk.
func startOf(text, chunk []byte) ([]byte, []byte) {
	if len(text) == 0 {
		return text, hooks.TrimBOM(chunk)
	}
	return text, chunk
}

func ended(frame *hooks.Frame, text []byte) string {
	switch {
	case frame.Settled():
		return frame.Problem()
	case len(text) == 0:
		return "empty"
	}
	return "it ends before the JSON object is complete"
}

func readChunks(stdin io.Reader, chunks chan<- []byte, stop <-chan struct{}) {
	defer close(chunks)
	defer func() { _ = recover() }() // what was read until then is judged
	for size := 8 << 10; ; {
		chunk := make([]byte, size)
		n, err := stdin.Read(chunk)
		if n == size { // there is more
			size = 256 << 10
		}
		if n > 0 {
			select {
			case chunks <- chunk[:n]:
			case <-stop:
				return
			}
		}
		if err != nil {
			return
		}
	}
}
