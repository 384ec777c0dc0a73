package main

import (
	"errors"

	"gatewright/gate"
	"gatewright/hooks"
	"gatewright/install"
	"gatewright/policy"
)

// greet tells the user at the start of a session what keeps us from working.
// Without a policy there is nothing to say.
func (h *hook) greet(ev hooks.Event) hooks.Reply {
	_, _, err := h.policy(ev)
	if errors.Is(err, policy.ErrNone) {
		return hooks.Reply{}
	}
	if err != nil {
		return hooks.Reply{Notice: "gatewright denies every tool call here: " + err.Error()}
	}
	if lost := h.lost(ev); lost != "" {
		return hooks.Reply{Notice: "gatewright does not see everything here: " + lost + ". Mend it with: gatewright install"}
	}
	return hooks.Reply{}
}

// reconfigure keeps the client from taking settings without us. The file stays
// changed; the client goes on with what it had. An administrator's settings
// cannot be kept out.
func (h *hook) reconfigure(ev hooks.Event) hooks.Reply {
	if ev.Source == "policy_settings" {
		return hooks.Reply{Answer: hooks.Silence}
	}
	set, _, err := h.policy(ev)
	if errors.Is(err, policy.ErrNone) {
		return hooks.Reply{Answer: hooks.Silence}
	}
	var v gate.Verdict
	if err != nil {
		v = gate.Broken(err.Error())
	} else if lost := h.lost(ev); lost != "" {
		v = gate.Disarmed(lost)
	} else {
		return hooks.Reply{Answer: hooks.Silence}
	}
	h.judged(ev, set, v, "", nil)
	return hooks.Reply{Answer: hooks.Deny, Reason: v.Findings[0].Message}
}

// lost says what is wrong with our registration, or nothing.
func (h *hook) lost(ev hooks.Event) string {
	dir, err := h.startDir(ev)
	if err != nil {
		return err.Error()
	}
	return lostIn(h.client, dir, h.env, h.requirePolicy)
}

func lostIn(c hooks.Client, dir string, env environment, required bool) string {
	repo, err := install.FindRepository(dir, policy.MainCheckout)
	if err != nil {
		return err.Error()
	}
	return install.Lost(c, dir, repo, install.FindHome(env.get), required)
}
