package gate

import (
	"gatewright/hooks"
	"gatewright/policy"
	"gatewright/policy/expression"
)

// User is what a person has said in the session.
type User struct {
	Known bool   // a prompt was recorded
	Text  string // all prompts, one after the other
	Turns int    // prompts since the last call that writes
}

// maxUserText bounds what is kept of prompts, in bytes. Of more the newest stays.
const maxUserText = 256 << 10

// value is unknown where no prompt was ever recorded: that nothing is known of the
// person does not mean that they said nothing.
func (u User) value() expression.Value {
	if !u.Known {
		return expression.NewUnknown()
	}
	return expression.NewObject(map[string]expression.Value{
		"text":              expression.NewText(u.Text),
		"turns_since_write": expression.NewInt(u.Turns),
	})
}

// hear keeps what a person says and that a call wrote something, if some table asks.
func (l *lesson) hear(set *policy.Set, u User) {
	switch {
	case !set.ReadsUser():
	case l.ev.Kind == hooks.UserPrompt:
		u.Text += l.ev.Prompt + "\n"
		u.Text = u.Text[max(len(u.Text)-maxUserText, 0):]
		u.Known, u.Turns = true, u.Turns+1
		l.Lesson.User = &u
	case u.Turns > 0 && l.ev.Kind == hooks.PostToolUse && l.writes(set):
		u.Turns = 0
		l.Lesson.User = &u
	}
}

// writes reports a call that some layer describes as one that changes something.
func (c *call) writes(set *policy.Set) bool {
	for _, layer := range set.Layers {
		for _, d := range layer.Describe(c.caller()) {
			if d.Operation != "" && d.Operation != policy.Read {
				return true
			}
		}
	}
	return false
}
