package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNewUser goes the way of somebody who has Go and a client: clone, install.sh, and
// the first call that is denied; doctor finds nothing wrong. The times are in the log.
func TestNewUser(t *testing.T) {
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(source, ".git")); err != nil {
		t.Skip("SKIPPED: this is no clone that could be cloned")
	}
	for _, c := range []client{clients[0], clients[2]} {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c)
			w.prepare()
			w.must(os.Remove(w.gatewright()))
			clone := filepath.Join(filepath.Dir(w.repo), "gatewright")
			start := time.Now()
			w.do(w.home, "git", "-c", "safe.directory=*", "clone", "-q", source, clone)
			t.Logf("git clone: %.1f s", time.Since(start).Seconds())
			said := w.withGo(clone, "sh", "install/install.sh", w.repo)
			t.Logf("sh install/install.sh REPOSITORY: %.1f s", time.Since(start).Seconds())
			for _, part := range []string{".local/bin/gatewright is installed", "registered for", "a refund of 900 is denied"} {
				if !strings.Contains(said, part) {
					t.Errorf("install.sh does not say %q:\n%s", part, said)
				}
			}
			if report := w.do(w.repo, "gatewright", "doctor", "--client", c.name); strings.Contains(report, "✗") || !strings.Contains(report, c.version) {
				t.Errorf("doctor is not content:\n%s", report)
			}
			o := w.run(play{Script: Script{Main: []Call{refund("C-1", 900)}}, Bypass: true})
			t.Logf("the first call that is denied: %.1f s", time.Since(start).Seconds())
			if told := o.Told("main", 0); !strings.Contains(told, `isError`) || len(w.refunds()) > 0 {
				t.Errorf("the model was told %q; refunds %q", told, w.refunds())
			}
		})
	}
}

// withGo runs a program that may build with Go, whose caches are this machine's.
func (w *world) withGo(dir string, argv ...string) string {
	w.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, w.env()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		value, err := exec.Command("go", "env", name).Output()
		w.must(err)
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
	}
	root := strings.TrimPrefix(cmd.Env[len(cmd.Env)-1], "GOROOT=")
	for i, v := range cmd.Env {
		if strings.HasPrefix(v, "PATH=") {
			cmd.Env[i] = v + ":" + filepath.Join(root, "bin")
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}
