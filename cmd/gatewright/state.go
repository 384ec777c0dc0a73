package main

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"gatewright/hooks"
	"gatewright/policy"
)

// state is the folder in which everything is kept. Its errors are remembered
// and come up only where something is needed from it.
type state struct {
	dir string
	key []byte // per installation, secret
	err error
}

// viewState finds the folder for reading; nothing is made. Without a key nothing
// was ever kept.
func viewState(env environment) (*state, error) {
	dir, err := stateDir(env)
	if err != nil {
		return nil, err
	}
	s := &state{dir: dir}
	s.key, err = readKey(filepath.Join(dir, "key"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return s, err
}

const keySize = 32

// openState finds the folder and the key. It makes both if they are not there.
func openState(env environment) *state {
	dir, err := stateDir(env)
	if err != nil {
		return &state{err: err}
	}
	s := &state{dir: dir}
	s.key, s.err = installKey(dir)
	return s
}

var errNoHome = errors.New("neither XDG_STATE_HOME nor HOME is an absolute path, so nothing can be kept")

// stateDir is the platform's place for what a program remembers.
func stateDir(env environment) (string, error) {
	if dir := env.get("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "gatewright"), nil
	}
	home := env.get("HOME")
	if !filepath.IsAbs(home) {
		return "", errNoHome
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Application Support", "gatewright"), nil
	}
	return filepath.Join(home, ".local", "state", "gatewright"), nil
}

// installKey reads the secret, or makes it. Of several processes that make it
// at once the first wins: a link is made only if the name is free.
func installKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, "key")
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeKey(dir, path); err != nil {
			return nil, err
		}
		key, err = readKey(path)
	}
	return key, err
}

func readKey(path string) ([]byte, error) {
	key, err := policy.ReadRegular(path, keySize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(key) != keySize {
		return nil, fmt.Errorf("%s is damaged: it has %d bytes instead of %d", path, len(key), keySize)
	}
	return key, nil
}

func makeKey(dir, path string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "key-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	key := make([]byte, keySize)
	rand.Read(key) // never fails
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// digest is a keyed digest, so that short values cannot be guessed from it. It
// is empty without a key; decide and learn then fail before they use it.
func (s *state) digest(text []byte) string {
	if s.err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// sessionDir is named by a hash, because a session id is not a file name.
func (s *state) sessionDir(ev hooks.Event) string {
	return sessionDirOf(s.dir, ev.Client, ev.Session)
}

// sessionHash is how many bytes of a hash name a session's folder.
const sessionHash = 16

func sessionDirOf(dir, client, session string) string {
	sum := sha256.Sum256([]byte(client + "\x00" + session))
	return filepath.Join(dir, "sessions", hex.EncodeToString(sum[:sessionHash]))
}

func (s *state) spendDir() string { return filepath.Join(s.dir, "spend") }

func (s *state) auditDir() string { return filepath.Join(s.dir, "audit") }
