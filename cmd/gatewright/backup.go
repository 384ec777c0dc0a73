package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"gatewright/install"
)

// backups is where a client's files are kept as they were before our first change:
// not beside them, where somebody would commit them.
func (c *cli) backups() (string, error) {
	dir, err := stateDir(c.env)
	return filepath.Join(dir, "backups"), err
}

// backup keeps a client's file before it changes for the first time: one that has
// entries of ours has changed before.
func (r *registrar) backup(e edit) error {
	_, changed := install.RegisteredAt(e.file, e.client, "")
	if r.undo || changed || e.client.Name == "" || e.file.Text == nil || bytes.Equal(e.file.Text, e.after) {
		return nil
	}
	return r.keep(e.file)
}

func (r *registrar) keep(file *install.File) error {
	dir, err := r.backups()
	if err == nil {
		err = file.Backup(dir)
	}
	if err != nil {
		return fmt.Errorf("%s: its text cannot be kept first, so nothing was changed: %w", file.Path, err)
	}
	return nil
}

// configBefore is Codex's config.toml as it was before our first change; nil if that
// is not known.
func (r *registrar) configBefore() []byte {
	dir, err := r.backups()
	file, err2 := install.ReadFile(filepath.Join(r.home.Codex, "config.toml"))
	if err != nil || err2 != nil {
		return nil
	}
	return file.Before(dir)
}

// dropBackup forgets a file's former text where the file has that again.
func (r *registrar) dropBackup(file *install.File, now []byte) {
	dir, err := r.backups()
	if err != nil {
		return
	}
	if kept := file.DropBackup(dir, now); kept != "" {
		r.say("  %-7s %s is not as it was before gatewright first changed it; that text is kept in %s", "", r.short(file.Path), kept)
	}
}
