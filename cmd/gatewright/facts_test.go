package main

import (
	"fmt"
	"testing"
)

// The tools of a bank that gives quotes, and transfers under them.
const quotesPolicy = `version = 1
[[tool]]
name = ["mcp__bank__transfer"]
operation = "send"
[[fact]]
id = "account"
from = ["mcp__bank__get_account"]
where = 'past.result.account_id == args.from'
[[fact]]
id = "owner"
from = ["mcp__bank__get_customer"]
where = 'past.args.customer_id == account.customer_id and past.result.active == true'
value = 'past.result.level'
[[fact]]
id = "quote"
from = ["mcp__bank__quote"]
where = 'past.result.quote_id == args.quote_id and past.result.level == owner'
max_uses = 1
invalidated_by = ["reprice"]
[[fact]]
id = "transfers"
from = ["mcp__bank__transfer"]
keep = "count"
where = 'past.args.from == args.from'
[[fact]]
id = "moved"
from = ["mcp__bank__transfer"]
keep = "sum"
value = 'decimal(past.args.amount)'
[[gate]]
id = "quote-first"
tools = ["transfer"]
needs = ["quote"]
[[require]]
id = "three-an-account"
tools = ["transfer"]
use = ["transfers"]
all = ['transfers < 3']
[[require]]
id = "no-more-than-1000"
tools = ["transfer"]
use = ["moved"]
all = ['moved + decimal(args.amount) <= 1000']
`

func post(tool, id, args, response string) step {
	return step{Event: "PostToolUse", Tool: "mcp__bank__" + tool, ID: id, Args: args, Response: response, Expect: "silence"}
}

func transfer(id, from, quote, amount, want string) step {
	s := step{Tool: "mcp__bank__transfer", ID: id, Args: fmt.Sprintf(`{"from":%q,"quote_id":%q,"amount":%s}`, from, quote, amount), Expect: "silence"}
	if want != "" {
		s.Expect, s.Contains = "deny", []string{`"rule":"` + want + `"`}
	}
	return s
}

// done is the transfer's end.
func (s step) done() step {
	s.Event, s.Response, s.Expect, s.Contains = "PostToolUse", `{"ok":true}`, "silence", nil
	return s
}

func quoted(id, level string) step {
	return post("quote", "q-"+id, `{}`, fmt.Sprintf(`{"quote_id":%q,"level":%q}`, id, level))
}

// customer makes the facts that quotes are joined to.
func customer(account string) []step {
	return []step{
		post("get_account", "a-"+account, `{}`, fmt.Sprintf(`{"account_id":%q,"customer_id":"C-%s","balance":5}`, account, account)),
		post("get_customer", "c-"+account, fmt.Sprintf(`{"customer_id":"C-%s"}`, account), `{"active":true,"level":"gold"}`),
	}
}

// playAll plays steps one after the other and compares each answer.
func (p *place) playAll(steps ...step) {
	p.t.Helper()
	for i, s := range steps {
		p.expect(fmt.Sprintf("step %d, %s %s", i+1, s.Tool, s.Args), s, p.play(s))
	}
}

// TestFactsInTheLedger: facts with value, joined to facts, counted and summed, in a
// session of real processes.
func TestFactsInTheLedger(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(quotesPolicy)
	p.playAll(quoted("Q1", "gold"), transfer("t1", "A", "Q1", "10", "quote-first")) // nobody's quote
	p.playAll(customer("A")...)
	first, last := transfer("t1", "A", "Q1", "10", ""), transfer("t5", "A", "Q6", "0", "three-an-account")
	second, third := transfer("t3", "A", "Q3", `"490.5"`, ""), transfer("t4", "A", "Q5", "499.5", "")
	p.playAll(first, first.done(), first.done(),
		quoted("Q2", "silver"), transfer("t2", "A", "Q2", "10", "quote-first"), // another level
		quoted("Q3", "gold"), transfer("t3", "A", "Q3", `"990.01"`, "no-more-than-1000"), second, second.done(),
		quoted("Q4", "gold"), post("reprice", "r1", `{}`, `1`), transfer("t4", "A", "Q4", "1", "quote-first"),
		quoted("Q5", "gold"), transfer("t4", "A", "Q5", "499.51", "no-more-than-1000"), third, third.done(),
		quoted("Q6", "gold"), last)
	p.playAll(customer("B")...)
	other := transfer("t6", "B", "Q6", "0", "")
	p.playAll(other)
	other.Session, other.Expect, other.Contains = "s-2", "deny", []string{`"rule":"quote-first"`}
	p.playAll(other) // another session has proved nothing
	p.noStrayFiles()
}

// TestOneUseAtOnce: of two calls at the same time under a proof for one, one passes;
// one that is announced by two hooks at the same time passes in both.
func TestOneUseAtOnce(t *testing.T) {
	for range 4 {
		p := newPlace(t)
		p.writePolicy(quotesPolicy)
		p.playAll(append(customer("A"), quoted("Q1", "gold"), quoted("Q2", "gold"))...)
		reportCase{Steps: []step{transfer("t1", "A", "Q1", "1", ""), transfer("t2", "A", "Q1", "1", "")}, Pass: 1}.runAtOnce(p)
		reportCase{Steps: []step{transfer("t3", "A", "Q2", "1", ""), transfer("t3", "A", "Q2", "1", "")}, Pass: 2}.runAtOnce(p)
	}
}

// TestFactsAtOnce: processes that record at the same time lose nothing of a count.
func TestFactsAtOnce(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(quotesPolicy)
	var ends []step
	for i := range 8 {
		ends = append(ends, transfer(fmt.Sprint("t", i), fmt.Sprint("A", i%2), "Q", "1", "").done())
	}
	reportCase{Steps: ends, Pass: 8}.runAtOnce(p)
	for i := range 2 {
		account := fmt.Sprint("A", i)
		p.playAll(append(customer(account), quoted("Q", "gold"), transfer("t99", account, "Q", "1", "three-an-account"))...)
	}
}

// TestUndecidedInTheLedger: what a session cannot decide is asked, and denied where
// nobody can be asked; what is not proved is denied.
func TestUndecidedInTheLedger(t *testing.T) {
	p := newPlace(t)
	p.writePolicy(quotesPolicy)
	p.playAll(append(customer("A"), quoted("Q1", "gold"))...)
	s := transfer("t1", "A", "Q1", `"a lot"`, "")
	s.Expect, s.Contains = "ask", []string{"no-more-than-1000"}
	p.playAll(s)
	s.ID, s.Mode, s.Expect, s.Contains = "t2", "bypassPermissions", "deny", []string{`"rule":"quote-first"`} // the question has used the proof
	p.playAll(s, quoted("Q2", "gold"))
	s.Args, s.Contains = `{"from":"A","quote_id":"Q2","amount":[1]}`, []string{`"rule":"no-more-than-1000"`, "approval"}
	p.playAll(s)
	for _, args := range []string{`{}`, `{"from":null,"quote_id":"Q2","amount":1}`, `{"from":"A","quote_id":["Q2"],"amount":1}`, `{"from":"A","quote_id":"Q2","Quote_ID":"Q2","amount":1}`} {
		p.playAll(step{Tool: "mcp__bank__transfer", ID: "t4", Args: args, Expect: "deny", Contains: []string{`"rule":"quote-first"`}})
	}
}
