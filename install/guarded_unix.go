//go:build unix

package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Guarded says why a path is not safe for an administrator's registration: somebody
// else than the owner can put another file there, or not everybody can read what is
// there. What of the path is not there yet is no reason, and what lies above top
// is not looked at.
func Guarded(path string, owner int, top string) error {
	parts := strings.Split(filepath.Clean(path), string(filepath.Separator))
	here, links := string(filepath.Separator), 0
	for i := 0; i < len(parts); i++ {
		next := filepath.Join(here, parts[i])
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode().Type() == fs.ModeSymlink:
			to, err := os.Readlink(next)
			if links++; err != nil || links > 40 {
				return fmt.Errorf("%s is a circle of links", path)
			}
			if filepath.IsAbs(to) {
				here = string(filepath.Separator)
			}
			parts, i = append(strings.Split(to, string(filepath.Separator)), parts[i+1:]...), -1
			continue
		}
		if here = next; top == "" || strings.HasPrefix(here+"/", strings.TrimRight(top, "/")+"/") {
			if err := guardedOne(here, info, owner); err != nil {
				return err
			}
		}
	}
	return nil
}

func guardedOne(path string, info fs.FileInfo, owner int) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode(); {
	case !ok || int(stat.Uid) != owner:
		return fmt.Errorf("%s belongs to user %d, who could put something else there", path, stat.Uid)
	case mode&0o002 != 0:
		return fmt.Errorf("everybody can write %s and put something else there", path)
	case mode&0o020 != 0:
		return fmt.Errorf("the group %d can write %s and put something else there", stat.Gid, path)
	case mode.IsDir() && mode&0o001 == 0, mode.IsRegular() && mode&0o004 == 0:
		return fmt.Errorf("only some users can read %s, so the others' clients would not call gatewright", path)
	}
	return nil
}
