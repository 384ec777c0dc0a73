package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// keeper keeps policies in a form that is read quickly: each file's beside the state,
// sealed with the installation's key together with the text that it was made of, and an
// administrator's beside that policy, where only root can write.
type keeper struct {
	dir string
	key func() []byte // nil if there is none
}

// reading is how a hook reads policies. Whatever keeps a form from being used has the
// TOML read.
func (h *hook) reading(ev hooks.Event) policy.Reading {
	var how policy.Reading
	if !h.explains && (ev.Kind == hooks.PreToolUse || ev.Kind == hooks.PostToolUse || ev.Kind == hooks.PostToolUseFailure) {
		how.Tool = ev.Tool
	}
	dir, err := stateDir(h.env)
	if err != nil {
		return how
	}
	k := keeper{filepath.Join(dir, "policies"), sync.OnceValue(func() []byte {
		key, err := readKey(filepath.Join(dir, "key"))
		if err != nil {
			return nil
		}
		return key
	})}
	how.Kept, how.Keep = k.kept, k.keep
	return how
}

func (k keeper) kept(layer string, t policy.Text) []byte {
	text, err := policy.ReadRegular(k.path(layer, t.Path), maxKept)
	if err != nil || len(text) < sha256.Size || !k.mayTrust(layer, t.Path) {
		return nil
	}
	if form := text[sha256.Size:]; hmac.Equal(k.seal(layer, t.Text, form), text[:sha256.Size]) {
		return form
	}
	return nil
}

// maxKept is the size of the largest form that is read, in bytes.
const maxKept = 4 << 20

// path is named by the policy's own, so that there is one form for each.
func (k keeper) path(layer, path string) string {
	if layer == policy.Managed {
		return path + ".kept"
	}
	sum := sha256.Sum256([]byte(layer + "\x00" + path))
	return filepath.Join(k.dir, hex.EncodeToString(sum[:16]))
}

// seal binds a form to its text. Beside an administrator's policy it needs no key: nobody
// else can write there.
func (k keeper) seal(layer string, text, form []byte) []byte {
	var key []byte
	if layer != policy.Managed {
		key = k.key()
	}
	of := sha256.Sum256(text)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(layer + "\x00"))
	mac.Write(of[:])
	mac.Write(form)
	return mac.Sum(nil)
}

// mayTrust reports whether nobody but us, or for an administrator's layer nobody but
// root, can have made a form.
func (k keeper) mayTrust(layer, path string) bool {
	if layer != policy.Managed {
		return k.key() != nil
	}
	return install.Guarded(k.path(layer, path), roots.owner, roots.top) == nil
}

// keep writes a form for the calls to come. If that fails they read the TOML.
func (k keeper) keep(layer string, t policy.Text, form []byte) {
	folder := k.dir
	if layer == policy.Managed {
		if folder = filepath.Dir(t.Path); os.Geteuid() != roots.owner || install.Guarded(folder, roots.owner, roots.top) != nil {
			return
		}
	} else if k.key() == nil || os.MkdirAll(folder, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(folder, ".kept-*")
	if err != nil {
		return
	}
	_, err = f.Write(append(k.seal(layer, t.Text, form), form...))
	if layer == policy.Managed {
		err = errors.Join(err, f.Chmod(0o644))
	}
	if f.Close() != nil || err != nil || os.Rename(f.Name(), k.path(layer, t.Path)) != nil {
		os.Remove(f.Name())
	}
}
