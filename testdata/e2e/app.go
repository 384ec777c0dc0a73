package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// editor is a program in which a person uses Codex: it speaks JSON-RPC with the app
// server, which asks it for approvals.
type editor struct {
	person string
	in     *json.Encoder
	out    *json.Decoder
	sent   int
	asked  []string
}

// rpc is a request, an answer or a notification.
type rpc struct {
	ID                    json.RawMessage
	Method                string
	Params, Result, Error json.RawMessage
}

// startApp plays the script for a person who answers what Codex asks.
func (w *world) startApp(m *Model, p play, argv ...string) outcome {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = p.Dir, w.env(append(codexEnv, w.more...)...), 2*time.Second
	in, err := cmd.StdinPipe()
	w.must(err)
	out, pipe := io.Pipe()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&stdout, pipe), &stderr
	w.must(cmd.Start())
	ended := make(chan error, 1)
	go func() {
		ended <- cmd.Wait()
		pipe.Close()
	}()
	e := &editor{person: p.Person, in: json.NewEncoder(in), out: json.NewDecoder(out)}
	if err := e.play(p); err != nil {
		w.Errorf("%v: %v", argv, err)
	}
	in.Close()
	go io.Copy(io.Discard, out)
	if err := <-ended; err != nil {
		w.Errorf("%v: %v", argv, err)
	}
	m.Close()
	return outcome{m, stdout.String(), stderr.String(), e.asked}
}

// play starts a session, says the prompt and waits until Codex is done.
func (e *editor) play(p play) error {
	if _, err := e.call("initialize", object{"clientInfo": object{"name": "editor", "version": "1"}}); err != nil {
		return err
	}
	if err := e.in.Encode(object{"method": "initialized"}); err != nil {
		return err
	}
	result, err := e.call("thread/start", object{"cwd": p.Dir, "approvalPolicy": "on-request", "sandbox": "read-only"})
	if err != nil {
		return err
	}
	var started struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(result, &started); err != nil {
		return err
	}
	if _, err := e.call("turn/start", object{"threadId": started.Thread.ID, "input": []object{{"type": "text", "text": p.Prompt}}}); err != nil {
		return err
	}
	_, err = e.until(func(r rpc) bool { return r.Method == "turn/completed" })
	return err
}

// call makes a request and gives its result.
func (e *editor) call(method string, params any) (json.RawMessage, error) {
	e.sent++
	id := fmt.Sprint(e.sent)
	if err := e.in.Encode(object{"id": e.sent, "method": method, "params": params}); err != nil {
		return nil, err
	}
	r, err := e.until(func(r rpc) bool { return r.Method == "" && string(r.ID) == id })
	if err == nil && r.Error != nil {
		err = fmt.Errorf("%s: %s", method, r.Error)
	}
	return r.Result, err
}

// until reads up to a message, and answers what is asked before.
func (e *editor) until(last func(rpc) bool) (rpc, error) {
	for {
		var r rpc
		if err := e.out.Decode(&r); err != nil {
			return r, err
		}
		if last(r) {
			return r, nil
		}
		if r.Method != "" && r.ID != nil {
			e.asked = append(e.asked, r.Method+" "+string(r.Params))
			action := map[string]string{"approve": "accept", "decline": "decline"}[e.person]
			if err := e.in.Encode(object{"id": r.ID, "result": object{"action": action}}); err != nil {
				return r, err
			}
		}
	}
}
