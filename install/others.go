package install

import (
	"path/filepath"

	"gatewright/hooks"
)

// Others is what Codex remembers of the handlers of others in a file of ours. It
// knows each by its place in the file, which moves when an entry of ours before it
// goes: then Codex would skip it without a word.
type Others struct {
	program, file string
	repo          Repository
	home          Home
	list          []codexHook
}

// OthersIn asks Codex about a file before it changes. Codex is not started for one
// without handlers of others.
func OthersIn(program string, file *File, repo Repository, home Home) (Others, error) {
	o := Others{program: program, file: file.Path, repo: repo, home: home}
	list, err := handlers(file.Text, hooks.Codex())
	if err != nil || file.Text == nil || !hasOthers(list) {
		return o, nil
	}
	s, err := startAppServer(program, repo.Main, home)
	if err != nil {
		return o, err
	}
	defer s.close()
	o.list, err = s.others(repo.Main, file.Path)
	return o, err
}

func hasOthers(list []found) bool {
	for _, f := range list {
		if !f.isOurs() {
			return true
		}
	}
	return false
}

// Keep tells Codex, after the file has changed, what it remembered: the same
// handler, by its hash, is as trusted and as enabled at its new place.
func (o Others) Keep() error {
	if len(o.list) == 0 {
		return nil
	}
	return keepForm(filepath.Join(o.home.Codex, "config.toml"), func() error {
		s, err := startAppServer(o.program, o.repo.Main, o.home)
		if err != nil {
			return err
		}
		defer s.close()
		now, err := s.others(o.repo.Main, o.file)
		if err != nil {
			return err
		}
		if values := o.moved(now); len(values) > 0 {
			return s.set(values)
		}
		return nil
	})
}

// moved is what has to be set for handlers that are at another place now. What was
// remembered for the old place goes, unless another handler is there.
func (o Others) moved(now []codexHook) map[string]any {
	values, taken := map[string]any{}, map[string]bool{}
	for _, h := range now {
		taken[h.Key] = true
	}
	for i, h := range now {
		before, has := o.nth(now[:i], h)
		if !has || before.Key == h.Key {
			continue
		}
		if before.TrustStatus == "trusted" && h.TrustStatus != "trusted" {
			values["hooks.state."+keyPart(h.Key)+".trusted_hash"] = h.CurrentHash
		}
		if !before.Enabled && h.Enabled {
			values["hooks.state."+keyPart(h.Key)+".enabled"] = false
		}
		if !taken[before.Key] {
			values["hooks.state."+keyPart(before.Key)] = nil
		}
	}
	return values
}

// nth finds the handler as it was before: of several that are the same, the one
// with as many before it.
func (o Others) nth(earlier []codexHook, h codexHook) (codexHook, bool) {
	same := func(other codexHook) bool {
		return other.EventName == h.EventName && other.CurrentHash == h.CurrentHash
	}
	skip := 0
	for _, e := range earlier {
		if same(e) {
			skip++
		}
	}
	for _, before := range o.list {
		if same(before) {
			if skip--; skip < 0 {
				return before, true
			}
		}
	}
	return codexHook{}, false
}
