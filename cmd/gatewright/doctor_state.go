package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"gatewright/install"
	"gatewright/policy"
)

// checkPolicy looks at the policy as check does, and whether the registered lines
// would find one.
func (d *doctor) checkPolicy() {
	switch needs := d.needed && !d.set.Has(policy.Repo); {
	case d.problem != nil && d.hasPolicy():
		d.fault("", "policy", d.problem.Error()+". Every call is denied", "mend it at that place; gatewright check shows every problem")
	case needs:
		d.fault("", "policy", fmt.Sprintf("there is no %s from %s up, and a registered line needs one: every call is denied", policy.RepoFile, d.dir), "restore it, or: "+d.command("init"))
	case !d.hasPolicy():
		d.note("", "policy", "no policy applies here, so no call is judged", d.command("init"))
	default:
		d.checkLayers()
	}
}

func (d *doctor) checkLayers() {
	var files []string
	for _, layer := range d.set.Layers {
		if problems := problemsOf(layer); len(problems) > 0 {
			d.fault("", "policy", problems.Error(), "mend it at that place; gatewright check shows every problem")
		} else {
			files = append(files, layer.File)
		}
	}
	if len(files) == len(d.set.Layers) {
		d.well("", "policy", "valid: "+listed(files))
	}
}

// checkState looks at the folder in which everything is kept.
func (d *doctor) checkState() {
	dir, fix, err := stateTrouble(d.env)
	switch {
	case err != nil:
		d.fault("", "state", err.Error()+". Calls that depend on the memory are denied", fix)
	case !install.IsFolder(dir):
		d.well("", "state", dir+" is made when it is needed")
	case permissions(dir)&0o055 != 0:
		d.note("", "state", fmt.Sprintf("the mode of %s is %#o: others can look into it", dir, permissions(dir)), "chmod 700 "+shellWord(dir))
	default:
		d.well("", "state", dir+" is yours alone, and can be written")
	}
}

// permissions of a path; none if they are not known.
func permissions(path string) fs.FileMode {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Mode().Perm()
}

// stateTrouble says why the memory cannot be kept, or could be forged, and how to
// mend that. It reads nothing but the key, so that the start of a session can afford
// it.
func stateTrouble(env environment) (dir, fix string, err error) {
	if dir, err = stateDir(env); err != nil {
		return "", "set HOME", err
	}
	for _, name := range []string{"", "sessions", "spend", "audit"} {
		path := filepath.Join(dir, name)
		if fix, err := folderTrouble(path, name == ""); err != nil {
			return dir, fix, err
		}
	}
	key := filepath.Join(dir, "key")
	_, err = viewState(env)
	if err == nil && isLink(key) {
		_, err = readKey(key) // one to nowhere is no key that can still be made
	}
	if err != nil {
		return dir, "if it is damaged, set " + key + " aside: what was recorded under it counts no more", err
	}
	return dir, "", nil
}

// folderTrouble looks at one folder of the state. For the first one that is not there
// it looks at where it would be made.
func folderTrouble(path string, first bool) (fix string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isLink(path):
		return "rm " + shellWord(path), fmt.Errorf("%s is a link to nowhere", path)
	case errors.Is(err, fs.ErrNotExist) && first && filepath.Dir(path) != path:
		return parentTrouble(filepath.Dir(path))
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "make it one that you can read", err
	case !info.IsDir():
		return "mv " + shellWord(path) + " " + shellWord(path+".old"), fmt.Errorf("%s is not a folder", path)
	case !isMine(info):
		return "sudo chown -R \"$(id -un)\" " + shellWord(path), fmt.Errorf("%s belongs to somebody else", path)
	case info.Mode().Perm()&0o700 != 0o700:
		return "chmod 700 " + shellWord(path), fmt.Errorf("the mode of %s is %#o instead of 0700: it cannot be written", path, info.Mode().Perm())
	case info.Mode().Perm()&0o022 != 0:
		return "chmod 700 " + shellWord(path), fmt.Errorf("the mode of %s is %#o instead of 0700: others can change what was recorded", path, info.Mode().Perm())
	case !isWritable(path):
		return "make the file system writable, or set XDG_STATE_HOME to a folder on another one", fmt.Errorf("%s cannot be written", path)
	}
	return "", nil
}

// parentTrouble looks at the folder in which one has to be made.
func parentTrouble(path string) (fix string, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isLink(path) && filepath.Dir(path) != path:
		return parentTrouble(filepath.Dir(path))
	case err != nil:
		return "make it a folder that you can write", err
	case !info.IsDir():
		return "mv " + shellWord(path) + " " + shellWord(path+".old"), fmt.Errorf("%s is not a folder", path)
	case !isWritable(path):
		return "make it a folder that you can write, or set XDG_STATE_HOME to another one", fmt.Errorf("nothing can be made in %s", path)
	}
	return "", nil
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == fs.ModeSymlink
}

// checkLists asks what sync would change.
func (d *doctor) checkLists() {
	if d.problem != nil && d.hasPolicy() {
		d.note("", "lists", "not compared with the policy, which cannot be used", "")
		return
	}
	set := d.set
	if set == nil {
		set = &policy.Set{}
	}
	s := &syncer{registrar: d.registrar, dir: d.dir}
	l, err := s.plan(s.everywhere(set))
	if err != nil {
		d.fault("", "lists", fmt.Sprintf("what the policy hides cannot be compared: %v", err), "mend that, then: "+d.command("sync"))
		return
	}
	edits := l.edits()
	for _, e := range edits {
		if e.client.Name != "" {
			d.fault(e.client.Name, "lists", e.file.Path+" is not what the policy says: sync would make "+e.listed(), d.command("sync"))
		}
	}
	switch named := slices.ContainsFunc(edits, func(e edit) bool { return e.client.Name != "" }); {
	case len(edits) == 0:
		d.well("", "lists", "the clients' own lists are what the policy hides")
	case !named:
		d.fault("", "lists", edits[0].file.Path+" is not what sync has to remember", d.command("sync"))
	}
}
