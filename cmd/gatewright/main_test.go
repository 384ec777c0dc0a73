package main

import (
	"cmp"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary be gatewright when a test runs it by that
// name: scripts and cases drive the real program, in processes of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gatewright": func() {
			roots.managed, roots.passwd = os.Getenv("TEST_ROOTS")+"/gatewright", os.Getenv("TEST_ROOTS")+"/passwd"
			roots.clients, roots.codex = os.Getenv("TEST_ROOTS")+"/claude-code", os.Getenv("TEST_ROOTS")+"/codex"
			roots.owner, roots.top = os.Geteuid(), os.Getenv("TEST_ROOTS")
			codexName = cmp.Or(os.Getenv("TEST_CODEX"), "codex-of-no-one")
			if limit, err := time.ParseDuration(os.Getenv("TEST_LIMIT")); err == nil {
				clientLimit, serverLimit, lineLimit = limit, limit, limit
			}
			if d, err := time.ParseDuration(os.Getenv("TEST_DEADLINE")); err == nil {
				deadline = d
			}
			if ahead, err := time.ParseDuration(os.Getenv("TEST_CLOCK")); err == nil {
				clock = func() time.Time { return time.Now().Add(ahead) }
			}
			if pipe := os.Getenv("TEST_PID"); pipe != "" {
				if err := os.WriteFile(pipe, []byte(strconv.Itoa(os.Getpid())), 0); err != nil {
					os.Exit(99)
				}
			}
			os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
		},
		"fake-codex": func() { os.Exit(fakeCodex(os.Args[1:], os.Stdin, os.Stdout, os.Environ())) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir+"/home")
			env.Setenv("TEST_ROOTS", env.WorkDir+"/home/etc")
			env.Setenv("XDG_STATE_HOME", "")
			env.Vars = append(env.Vars, noRaceSleep)
			return os.Mkdir(env.WorkDir+"/home", 0o700)
		},
	})
}
