package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
)

// ownEtc gives everything that runs in the world an /etc of its own, in a mount
// namespace: the clients cannot be told to look for an administrator's settings
// elsewhere.
func (w *world) ownEtc() {
	w.Helper()
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		w.Skipf("SKIPPED: NO MOUNT NAMESPACE CAN BE MADE HERE: %v %s", err, out)
	}
	etc := filepath.Join(filepath.Dir(w.home), "etc")
	w.do(w.home, "cp", "-a", "/etc", etc)
	w.must(os.Chmod(etc, 0o755))
	w.etc = etc
}

func (w *world) inEtc(argv []string) []string {
	if w.etc == "" {
		return argv
	}
	return append([]string{"unshare", "-m", "sh", "-c", `mount --bind "$0" /etc && exec "$@"`, w.etc}, argv...)
}
