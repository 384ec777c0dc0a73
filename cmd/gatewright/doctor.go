package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

const doctorAbout = `Looks, for every client that is here, at all that decides whether it calls gatewright, and
at what gatewright needs itself. It changes nothing. One line for each check: a tick is well, a cross
is not and has the fix below it, a dash is worth knowing. It ends with 0 without a cross, else with 1.

A client is here if its program is on PATH or if it has settings. The registered line is run
as the client runs it, with a call that must be denied; it records nothing. If there is a codex,
it is asked (codex app-server) whether it trusts the handlers, else its config.toml is read.

--json prints one object instead:
  {"ok": true,                 no check has failed
   "checks": [{
     "client": "claude",       or codex; "" for what concerns both
     "check":  "switches",     which check; there can be several lines of one
     "ok":     true,           false: a cross
     "note":   true,           there only if it is worth knowing and no fault: a dash
     "detail": "...",          what is found, and where
     "fix":    "..."}]}        what to do, "" if nothing
Checks of a client: version, abilities, settings, switches, env, registered, handlers, trust,
program, self-check, others. Checks of no client: policy, state, lists, clock.`

func (c *cli) doctorCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "find what keeps gatewright from working, and say how to mend it",
		Long:  doctorAbout,
		Args:  cobra.MaximumNArgs(1),
	}
	client := command.Flags().String("client", "all", "claude, codex or all")
	asJSON := command.Flags().Bool("json", false, "print one JSON object")
	command.RunE = func(_ *cobra.Command, args []string) error {
		r, err := c.registrar(*client, string(install.Project), append(args, ".")[0])
		if err != nil {
			return err
		}
		return (&doctor{registrar: r, named: len(args) > 0}).run(*asJSON)
	}
	return command
}

// finding is one line of what doctor says.
type finding struct {
	Client string `json:"client"` // none: it concerns all
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Note   bool   `json:"note,omitempty"` // it is worth knowing, and no fault
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

// doctor looks at an installation and changes nothing.
type doctor struct {
	*registrar
	named    bool        // the folder was named on the command line
	set      *policy.Set // nil if there is none to use
	problem  error       // why not
	needed   bool        // a registered line needs a policy
	findings []finding
}

// How long the clients' own programs may take. Only tests change it.
var (
	clientLimit = 10 * time.Second
	serverLimit = 30 * time.Second
)

var errUnwell = errors.New("not everything is as it has to be: see ✗")

func (d *doctor) run(asJSON bool) error {
	d.set, d.problem = policy.Load(d.dir, placesOf(d.env))
	here := 0
	for _, c := range d.clients {
		if p := d.patient(c); p.isHere() {
			here++
			p.examine()
		}
	}
	if here == 0 {
		d.note("", "clients", "neither their programs nor their settings are here", "")
	}
	d.checkPolicy()
	d.checkState()
	d.checkLists()
	d.checkClock()
	d.print(asJSON)
	if !d.isWell() {
		return errUnwell
	}
	return nil
}

func (d *doctor) well(client, check, detail string) {
	d.findings = append(d.findings, finding{Client: client, Check: check, OK: true, Detail: detail})
}

func (d *doctor) note(client, check, detail, fix string) {
	d.findings = append(d.findings, finding{Client: client, Check: check, OK: true, Note: true, Detail: detail, Fix: fix})
}

func (d *doctor) fault(client, check, detail, fix string) {
	d.findings = append(d.findings, finding{Client: client, Check: check, Detail: detail, Fix: fix})
}

func (d *doctor) isWell() bool {
	for _, f := range d.findings {
		if !f.OK {
			return false
		}
	}
	return true
}

// hasPolicy reports that calls are judged here, or denied because they cannot be.
func (d *doctor) hasPolicy() bool { return !errors.Is(d.problem, policy.ErrNone) }

// patient is one client that is looked at.
type patient struct {
	*doctor
	client  hooks.Client
	program string // of the client; empty if it is not on PATH
	watch   install.Watch
	report  install.Report
}

func (d *doctor) patient(c hooks.Client) *patient {
	p := &patient{doctor: d, client: c}
	p.watch = install.Watch{Client: c, Dir: d.dir, Repo: d.repo, Home: d.home}
	p.report = p.watch.Report()
	name := c.Name
	if name == "codex" {
		name = codexName
	}
	if path, err := d.lookPath(name); err == nil {
		p.program = path
	}
	return p
}

func (p *patient) isHere() bool { return p.program != "" || len(p.report.Files) > 0 }

func (p *patient) examine() {
	p.checkVersion()
	p.checkSettings()
	p.checkSwitches()
	p.checkEnv()
	p.checkRegistered()
	p.checkHandlers()
	if p.client.Name == "codex" {
		p.checkTrust()
	}
	p.checkPrograms()
	p.checkLines()
	p.listOthers()
}

func (p *patient) well(check, detail string)       { p.doctor.well(p.client.Name, check, detail) }
func (p *patient) note(check, detail, fix string)  { p.doctor.note(p.client.Name, check, detail, fix) }
func (p *patient) fault(check, detail, fix string) { p.doctor.fault(p.client.Name, check, detail, fix) }

// faultIf is a fault, or else a note.
func (p *patient) faultIf(bad bool, check, detail, fix string) {
	if bad {
		p.fault(check, detail, fix)
	} else {
		p.note(check, detail, fix)
	}
}
