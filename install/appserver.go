package install

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"gatewright/hooks"

	"github.com/tidwall/gjson"
)

// appServer is a running `codex app-server`: the way in which an editor drives
// Codex, and the only one that lists hooks with their trust and sets it. It
// speaks JSON-RPC, one message a line.
type appServer struct {
	warning string // of Codex, about the file that was asked about last
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	errs    bytes.Buffer // what it says when it cannot start
	cancel  context.CancelFunc
	calls   int
}

// patience is how long one conversation with Codex may take.
const patience = 30 * time.Second

// startAppServer starts it in a folder, with the CODEX_HOME that we take for the
// user's.
func startAppServer(program, dir string, home Home) (*appServer, error) {
	return startAppServerFor(patience, program, dir, home)
}

func startAppServerFor(limit time.Duration, program, dir string, home Home) (*appServer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	s := &appServer{cmd: exec.CommandContext(ctx, program, "app-server"), cancel: cancel}
	s.cmd.Dir, s.cmd.Env, s.cmd.Stderr = dir, os.Environ(), &s.errs
	if os.Getenv("CODEX_HOME") != "" { // may be relative, and so to another folder
		s.cmd.Env = append(s.cmd.Env, "CODEX_HOME="+home.Codex)
	}
	s.cmd.WaitDelay = time.Second
	InGroup(s.cmd)
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewScanner(out)
	s.out.Buffer(nil, 16<<20)
	if err := s.cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	who := map[string]any{
		"clientInfo":   map[string]string{"name": mark, "title": mark, "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	}
	if err := s.call("initialize", who, nil); err != nil {
		s.close()
		return nil, err
	}
	return s, s.send(map[string]string{"method": "initialized"})
}

// close ends the server. Everything that matters was confirmed before.
func (s *appServer) close() {
	s.in.Close()
	s.cmd.Wait()
	s.cancel()
}

func (s *appServer) send(message any) error {
	_, err := s.in.Write(append(hooks.EncodeJSON(message), '\n'))
	return err
}

// call sends a request and reads until its answer, past notifications. The
// server's own requests are none of ours.
func (s *appServer) call(method string, params, result any) error {
	s.calls++
	if err := s.send(map[string]any{"id": s.calls, "method": method, "params": params}); err != nil {
		return fmt.Errorf("codex app-server: %w", err)
	}
	for s.out.Scan() {
		var m struct {
			ID            int
			Method        string
			Result, Error json.RawMessage
		}
		if json.Unmarshal(s.out.Bytes(), &m) != nil || m.Method != "" || m.ID != s.calls {
			continue
		}
		if m.Error != nil {
			return fmt.Errorf("codex app-server: %s: %s", method, m.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
	s.close() // so that all is there that it has said
	return fmt.Errorf("codex app-server did not answer %s: %s", method, firstLine(s.errs.String()))
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// codexHook is one handler as Codex lists it.
type codexHook struct {
	Key, EventName, SourcePath, Command, CurrentHash, TrustStatus string
	Enabled                                                       bool
}

// list gives our handlers that Codex would take from a file for work in dir.
func (s *appServer) list(dir, file string) ([]codexHook, error) {
	return s.listed(dir, file, true)
}

// others gives those that are not ours.
func (s *appServer) others(dir, file string) ([]codexHook, error) {
	return s.listed(dir, file, false)
}

func (s *appServer) listed(dir, file string, ours bool) ([]codexHook, error) {
	var answer struct {
		Data []struct {
			Hooks    []codexHook
			Warnings []json.RawMessage
		}
	}
	if err := s.call("hooks/list", map[string]any{"cwds": []string{dir}}, &answer); err != nil {
		return nil, err
	}
	var list []codexHook
	s.warning = ""
	for _, entry := range answer.Data {
		for _, raw := range entry.Warnings {
			if text := gjson.ParseBytes(raw).String(); strings.Contains(text, file) {
				s.warning = text
			}
		}
		for _, h := range entry.Hooks {
			if callsUs(h.Command) == ours && IsSameFile(h.SourcePath, file) {
				list = append(list, h)
			}
		}
	}
	return list, nil
}

// set writes values into the user's config.toml; a nil value removes its key.
func (s *appServer) set(values map[string]any) error {
	var edits []any
	for key, value := range values {
		strategy := "upsert"
		if value == nil {
			strategy = "replace"
		}
		edits = append(edits, map[string]any{"keyPath": key, "mergeStrategy": strategy, "value": value})
	}
	return s.call("config/batchWrite", map[string]any{"edits": edits, "reloadUserConfig": true}, nil)
}
