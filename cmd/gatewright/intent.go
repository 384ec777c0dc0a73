package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/policy"
)

// grant is an intent that a person has opened for a time. Its seal is by the key of
// this installation.
type grant struct {
	Layer string    `json:"layer"` // see policy.Layer.Key
	ID    string    `json:"id"`
	Means string    `json:"means"` // digest of what the intent allows
	Until time.Time `json:"until"`
	Seal  string    `json:"seal,omitempty"`
}

// usualGrant is how long a grant holds if nobody says so, and longestGrant the most.
const (
	usualGrant   = time.Hour
	longestGrant = 7 * 24 * time.Hour
)

func grantPath(dir, layer, id string) string {
	sum := sha256.Sum256([]byte(layer + "\x00" + id))
	return filepath.Join(dir, "intents", hex.EncodeToString(sum[:16]))
}

// sealed is the grant's seal by a key; nothing without one.
func (g grant) sealed(key []byte) string {
	if len(key) == 0 {
		return ""
	}
	g.Seal = ""
	mac := hmac.New(sha256.New, key)
	mac.Write(hooks.EncodeJSON(g))
	return hex.EncodeToString(mac.Sum(nil))
}

// isGranted reports a grant that holds now. One that cannot be read does not.
func isGranted(env environment, l *policy.Layer, i policy.Intent, now time.Time) bool {
	s, err := viewState(env)
	if err != nil {
		return false
	}
	g, ok := readGrant(grantPath(s.dir, l.Key(), i.ID), s.key)
	return ok && g.Layer == l.Key() && g.ID == i.ID && g.Means == meansOf(i) && now.Before(g.Until) && g.Until.Sub(now) <= longestGrant
}

// meansOf tells whether an intent is still the one that was opened. It is of Go's syntax,
// in which no two intents are written alike.
func meansOf(i policy.Intent) string {
	i.Source = policy.Source{}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%#v", i)))
	return hex.EncodeToString(sum[:16])
}

func readGrant(path string, key []byte) (grant, bool) {
	text, err := policy.ReadRegular(path, 1<<16)
	var g grant
	if err != nil || json.Unmarshal(text, &g) != nil {
		return grant{}, false
	}
	seal := g.sealed(key)
	return g, seal != "" && hmac.Equal([]byte(seal), []byte(g.Seal))
}

func (c *cli) intentCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "intent",
		Short: "list the intents of the policy that applies here, and open one for a time",
		Args:  cobra.NoArgs,
		RunE:  func(*cobra.Command, []string) error { return c.listIntents() },
	}
	give := &cobra.Command{
		Use:   "grant ID [--for 2h]",
		Short: "open an intent that says grant = true (needs a terminal)",
		Args:  cobra.ExactArgs(1),
	}
	length := give.Flags().Duration("for", usualGrant, "how long, up to a week")
	give.RunE = func(_ *cobra.Command, args []string) error {
		if !isTerminal(c.stdin) {
			return errors.New("this needs a person at a terminal")
		}
		return c.grantIntent(args[0], *length, time.Now())
	}
	take := &cobra.Command{
		Use:   "revoke ID",
		Short: "close an intent again",
		Args:  cobra.ExactArgs(1),
		RunE:  func(_ *cobra.Command, args []string) error { return c.revokeIntent(args[0]) },
	}
	command.AddCommand(give, take)
	return command
}

// policyHere is the policy of a client that starts in the current directory.
func (c *cli) policyHere() (*policy.Set, error) {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = physical(dir)
	}
	if err != nil {
		return nil, err
	}
	return policy.Load(dir, placesOf(c.env))
}

// intents finds the intents of the policy that applies here, with their layers.
func (c *cli) intents() ([]policy.Intent, []*policy.Layer, error) {
	set, err := c.policyHere()
	if err != nil {
		return nil, nil, err
	}
	var list []policy.Intent
	var layers []*policy.Layer
	for _, l := range set.Layers {
		for _, i := range l.Intents {
			list, layers = append(list, i), append(layers, l)
		}
	}
	return list, layers, nil
}

// grantable finds an intent that a person can open. Of several with one id each layer's
// is opened.
func (c *cli) grantable(id string) ([]*policy.Layer, []policy.Intent, error) {
	list, layers, err := c.intents()
	if err != nil {
		return nil, nil, err
	}
	var found []*policy.Layer
	var intents []policy.Intent
	for i, intent := range list {
		if intent.ID == id && intent.ByGrant {
			found, intents = append(found, layers[i]), append(intents, intent)
		}
	}
	if len(found) == 0 {
		return nil, nil, fmt.Errorf("the policy that applies here has no [[intent]] %q with grant = true", id)
	}
	return found, intents, nil
}

func (c *cli) grantIntent(id string, length time.Duration, now time.Time) error {
	if length <= 0 || length > longestGrant {
		return fmt.Errorf("--for %v is not between nothing and %v", length, longestGrant)
	}
	layers, intents, err := c.grantable(id)
	if err != nil {
		return err
	}
	s := openState(c.env)
	if s.err != nil {
		return s.err
	}
	for i, l := range layers {
		g := grant{Layer: l.Key(), ID: id, Means: meansOf(intents[i]), Until: now.Add(length).UTC().Truncate(time.Second)}
		g.Seal = g.sealed(s.key)
		if err := writeWhole(grantPath(s.dir, l.Key(), id), hooks.EncodeJSON(g)); err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "%s of %s is open until %s\n", id, l.File, g.Until.Local().Format(time.DateTime))
	}
	return nil
}

// writeWhole makes a file that is there with all of its text or not at all.
func writeWhole(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}

func (c *cli) revokeIntent(id string) error {
	layers, _, err := c.grantable(id)
	if err != nil {
		return err
	}
	dir, err := stateDir(c.env)
	if err != nil {
		return err
	}
	for _, l := range layers {
		if err := os.Remove(grantPath(dir, l.Key(), id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		fmt.Fprintf(c.stdout, "%s of %s is closed\n", id, l.File)
	}
	return nil
}

func (c *cli) listIntents() error {
	list, layers, err := c.intents()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tLAYER\tOPEN")
	for i, intent := range list {
		open := "where its when holds"
		switch {
		case intent.ByGrant && isGranted(c.env, layers[i], intent, time.Now()):
			open = "granted"
		case intent.ByGrant:
			open = "no: gatewright intent grant " + intent.ID
		case intent.When == nil:
			open = "always"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", intent.ID, layers[i].Name, open)
	}
	return w.Flush()
}
