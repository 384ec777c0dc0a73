package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const spendPolicy = `version = 1
[[limit]]
id = "cap-a-session"
tools = ["refund"]
amount = "amount"
max = "10"
per = "session"
[[limit]]
id = "cap-a-day"
tools = ["refund"]
amount = "amount"
max = "15"
per = "24h"
`

// spender plays calls of two sessions against a state folder.
type spender struct {
	t       *testing.T
	home    string
	running map[string]int // amounts of calls that may run, by session and id
	spent   [2]int         // by session
}

func (s *spender) hook(event string) string {
	var out, errs bytes.Buffer
	env := []string{"HOME=" + s.home, "CLAUDE_PROJECT_DIR=" + filepath.Join(s.home, "repo")}
	if code := runHook([]string{"claude"}, strings.NewReader(event), &out, &errs, env); code != 0 {
		s.t.Fatalf("exit %d: %s", code, errs.String())
	}
	return out.String()
}

// step is a call that is announced, or the end of one that may run: a success, a refusal
// by the server, or nothing that tells.
func (s *spender) step(b byte) {
	session, id, amount := int(b&1), int(b>>1&3), []int{1, 4, 6, 11}[b>>3&3]
	key := fmt.Sprint(session, " ", id)
	head := fmt.Sprintf(`{"session_id":"s%d","cwd":%q,"permission_mode":"default","tool_name":"mcp__pay__refund","tool_use_id":"t%d","tool_input":{"amount":`, session, filepath.Join(s.home, "repo"), id)
	ran, runs := s.running[key]
	switch end := b >> 5 & 3; {
	case !runs:
		if out := s.hook(head + fmt.Sprint(amount) + `},"hook_event_name":"PreToolUse"}`); out == "" {
			s.running[key] = amount
		} else if !strings.Contains(out, `"deny"`) {
			s.t.Fatal(out)
		}
		return
	case end == 0:
		s.hook(head + fmt.Sprint(ran) + `},"hook_event_name":"PostToolUseFailure","error":"{\"status\":422,\"message\":\"no\"}"}`)
	case end == 1:
		s.hook(head + fmt.Sprint(ran) + `},"hook_event_name":"PostToolUseFailure","error":"timed out"}`)
		s.spent[session] += ran // it may have moved
	default:
		s.hook(head + fmt.Sprint(ran) + `},"hook_event_name":"PostToolUse","tool_response":[{"type":"text","text":"{\"ok\":true}"}]}`)
		s.spent[session] += ran
	}
	delete(s.running, key)
}

// FuzzSpend: in whatever order calls of two sessions begin and end, what has run and what
// may still run never exceeds a limit.
func FuzzSpend(f *testing.F) {
	f.Add([]byte{0x08, 0x28, 0x0a, 0x2a, 0x09, 0x4b})
	f.Add([]byte{0x10, 0x70, 0x10, 0x11, 0x31, 0x12})
	f.Add([]byte{0x08, 0x0a, 0x0c, 0x0e, 0x09, 0x0b, 0x0d, 0x08, 0x2a, 0x4c})
	f.Fuzz(func(t *testing.T, steps []byte) {
		if len(steps) > 16 {
			return
		}
		s := &spender{t: t, home: t.TempDir(), running: map[string]int{}}
		for path, text := range map[string]string{"repo/.git/HEAD": "", "repo/.gatewright/policy.toml": spendPolicy} {
			path = filepath.Join(s.home, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, b := range steps {
			s.step(b)
			all, of := 0, s.spent
			for key, amount := range s.running {
				of[key[0]-'0'] += amount
			}
			if all = of[0] + of[1]; of[0] > 10 || of[1] > 10 || all > 15 {
				t.Fatalf("%x: %v of 10 each, %d of 15", steps, of, all)
			}
		}
	})
}
