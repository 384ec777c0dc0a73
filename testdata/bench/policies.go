package main

import (
	"fmt"
	"strings"
)

const factsPolicy = `version = 1
[[fact]]
id = "trip"
from = "mcp__airline__get"
where = 'past.result.id == args.id'
[[fact]]
id = "owner"
from = "mcp__airline__user"
where = 'past.result.id == trip.user'
[[fact]]
id = "changes"
from = "mcp__airline__change"
keep = "count"
where = 'past.args.id == args.id'
[[require]]
id = "can-be-cancelled"
tools = "cancel"
use = ["trip", "owner", "changes"]
all = ['owner.level == "gold" or any(trip.legs, .cabin == "business")', 'changes <= 4000']
`

// syncProgram writes what a ledger's transaction writes at least: data, then the page that
// makes it count, each durable before the next step.
const syncProgram = `package main

import (
	"os"
	"syscall"
)

func main() {
	f, err := os.OpenFile(os.Args[1], os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	for page := range int64(2) {
		if _, err := f.WriteAt(make([]byte, 4096), page*4096); err != nil {
			panic(err)
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			panic(err)
		}
	}
}
`

const linesPolicy = `
[[command]]
id = "stripe"
run = ["stripe", "refunds", "create"]
tool = "mcp__billing__process_refund"
args = { amount_usd = "--amount" }
[[rule]]
id = "no-force"
effect = "deny"
match = { command = ["git push --force*", "rm -rf *", "terraform destroy*"] }
[[rule]]
id = "secrets"
effect = "deny"
match = { tool = ["@write"], path = ["secrets/**", "*.pem", "~/.ssh/**"] }
`

const formPolicy = `
[[normalize]]
id = "times"
tools = ["mcp__shop__*"]
paths = ["orders[].created_at"]
time = "auto"
`

// tenKB is a result of about that size.
func tenKB() string {
	var b strings.Builder
	b.WriteString(`{"orders":[`)
	for i := range 100 {
		fmt.Fprintf(&b, `{"id":"O-%d","created_at":%d,"total":"%d.99","currency":"USD","note":"left at the door"},`, i, 1700000000+i, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

// manyRules is a policy of so many tables of mixed kinds.
func manyRules(tables int) string {
	var b strings.Builder
	b.WriteString("version = 1\n")
	b.WriteString("[[fact]]\nid = \"verified\"\nfrom = [\"mcp__crm__verify\"]\nwhere = 'past.result.ok == true and past.result.customer_id == args.customer_id'\n")
	b.WriteString("[[gate]]\nid = \"verify-first\"\ntools = [\"close_account\"]\nneeds = [\"verified\"]\nreason = \"Verify first.\"\n")
	b.WriteString("[[limit]]\nid = \"cap\"\ntools = [\"process_refund\"]\namount = \"amount_usd\"\nmax = \"500\"\nreason = \"Too much.\"\n")
	b.WriteString("[[limit]]\nid = \"cap-a-day\"\ntools = [\"process_refund\"]\namount = \"amount_usd\"\nmax = \"1000\"\nper = \"24h\"\nkey = [\"customer_id\"]\nreason = \"Too much.\"\n")
	for i := range tables - 4 {
		fmt.Fprintf(&b, "[[rule]]\nid = \"rule-%d\"\neffect = \"deny\"\nmatch = { tool = [\"mcp__server%d__delete_*\", \"drop_%d\"], arg = [{ path = \"permanent\", eq = true }] }\nreason = \"Not here.\"\n", i, i, i)
	}
	return b.String()
}
