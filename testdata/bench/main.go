// Command bench measures what a hook call costs as a whole process, as a ratio
// to an empty Go program in the same run: machines are noisy, ratios less so.
//
//	go run ./testdata/bench [-rounds 200]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatewright/hooks"
	"gatewright/install"
)

// subject is one kind of call. Event is given a number, so that each round can
// be a call of its own.
type subject struct {
	name  string
	argv  []string
	dir   string
	event func(round int) string
	says  string // part of what it prints; "": it prints nothing
	wall  []time.Duration
	cpu   []time.Duration
}

func main() {
	rounds := flag.Int("rounds", 200, "calls of each kind")
	flag.Parse()
	log.SetFlags(0)
	work, err := os.MkdirTemp("", "gatewright-bench-")
	check(err)
	defer os.RemoveAll(work)

	subjects := prepare(work)
	for round := range *rounds {
		for _, s := range subjects {
			s.run(work, round)
		}
	}
	report(subjects)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func prepare(work string) []*subject {
	empty := filepath.Join(work, "empty")
	check(os.MkdirAll(empty, 0o700))
	write(filepath.Join(empty, "main.go"), "package main\n\nfunc main() {}\n")
	write(filepath.Join(empty, "go.mod"), "module empty\n\ngo 1.26\n")
	build(empty, filepath.Join(work, "bin-empty"), ".")
	program := filepath.Join(work, ".local", "bin", "gatewright") // work is the home
	build("", program, "./cmd/gatewright")
	gatewright := []string{program, "hook", "claude"}
	copies := filepath.Join(work, "copies")
	write(filepath.Join(copies, "main.go"), "package main\n\nimport (\n\t\"io\"\n\t\"os\"\n)\n\nfunc main() {\n\ttext, _ := io.ReadAll(os.Stdin)\n\tos.Stdout.Write(text[:0])\n}\n")
	write(filepath.Join(copies, "go.mod"), "module copies\n\ngo 1.26\n")
	build(copies, filepath.Join(work, "bin-copies"), ".")

	syncs := filepath.Join(work, "syncs")
	write(filepath.Join(syncs, "main.go"), syncProgram)
	write(filepath.Join(syncs, "go.mod"), "module syncs\n\ngo 1.26\n")
	build(syncs, filepath.Join(work, "bin-syncs"), ".")

	none := repository(work, "none", "")
	rules := repository(work, "rules", manyRules(50))
	more := repository(work, "more", manyRules(500))
	lines := repository(work, "lines", manyRules(45)+linesPolicy)
	forms := repository(work, "forms", manyRules(49)+formPolicy)
	refund := func(amount string) func(int) string {
		return func(round int) string {
			return event("PreToolUse", "mcp__billing__process_refund", round,
				`"tool_input":{"customer_id":"C-1","amount_usd":`+amount+`}`)
		}
	}
	read := func(round int) string {
		return event("PreToolUse", "Read", round, `"tool_input":{"file_path":"/repo/a.go"}`)
	}
	verified := func(round int) string {
		return event("PostToolUse", "mcp__crm__verify", round,
			`"tool_input":{"customer_id":"C-1"},"tool_response":[{"type":"text","text":"{\"ok\":true,\"customer_id\":\"C-1\"}"}]`)
	}
	gated := func(round int) string {
		return event("PreToolUse", "mcp__crm__close_account", round, `"tool_input":{"customer_id":"C-1"}`)
	}
	cancels := func(round int) string {
		return event("PreToolUse", "mcp__airline__cancel", round, `"tool_input":{"id":"R-7","user":"U-7"}`)
	}
	bash := func(line string) func(int) string {
		return func(round int) string {
			return event("PreToolUse", "Bash", round, fmt.Sprintf(`"tool_input":{"command":%q}`, line))
		}
	}
	list := func(round int) string {
		return event("PostToolUse", "mcp__shop__orders", round, fmt.Sprintf(`"tool_input":{},"tool_response":[{"type":"text","text":%q}]`, tenKB()))
	}
	return []*subject{
		{name: "empty Go program", argv: []string{filepath.Join(work, "bin-empty")}, dir: none, event: func(int) string { return "" }},
		{name: "a Go program that reads and writes", argv: []string{filepath.Join(work, "bin-copies")}, dir: none, event: read},
		{name: "a Go program that makes two pages durable", argv: []string{filepath.Join(work, "bin-syncs"), filepath.Join(work, "pages")}, dir: none, event: read},
		{name: "no policy: silence", argv: gatewright, dir: none, event: read},
		{name: "50 rules: silence", argv: gatewright, dir: rules, event: read},
		{name: "50 rules: deny", argv: gatewright, dir: rules, event: refund("900"), says: `"deny"`},
		{name: "500 rules: silence", argv: gatewright, dir: more, event: read},
		{name: "500 rules: deny", argv: gatewright, dir: more, event: refund("900"), says: `"deny"`},
		{name: "50 rules: a Bash line, without tables for it", argv: gatewright, dir: rules, event: bash("cd src && go test ./... 2>&1 | tail -20")},
		{name: "50 tables: a Bash line, with command and path rules", argv: gatewright, dir: lines, event: bash("cd src && go test ./... 2>&1 | tail -20")},
		{name: "50 tables: a result of 10 KB normalised", argv: gatewright, dir: forms, event: list, says: "2023-11-14T"},
		{name: "50 rules: fact recorded", argv: gatewright, dir: rules, event: verified},
		{name: "50 rules: gate, fact read", argv: gatewright, dir: rules, event: gated},
		{name: "50 rules: durable reservation", argv: gatewright, dir: rules, event: refund("0.01")},
		{name: "3 facts over 1,000 recorded calls", argv: gatewright, dir: recorded(work, gatewright, 1000), event: cancels},
		{name: "3 facts over 10,000 recorded calls", argv: gatewright, dir: recorded(work, gatewright, 10000), event: cancels},
		{name: "the registered line: silence", argv: registered(hooks.PreToolUse), dir: rules, event: read},
		{name: "the registered line: deny", argv: registered(hooks.PreToolUse), dir: rules, event: refund("900"), says: `"deny"`},
		{name: "the registered line: fact recorded", argv: registered(hooks.PostToolUse), dir: rules, event: verified},
	}
}

// recorded is a repository with a session of calls of which each fed a fact.
func recorded(work string, gatewright []string, calls int) string {
	dir := repository(work, fmt.Sprint("facts-", calls), factsPolicy)
	for i := range calls {
		tool, id := []string{"get", "user", "change"}[i%3], i/3%10
		result := fmt.Sprintf(`{"id":"%s-%d","user":"U-%d","level":"gold","legs":[{"cabin":"economy"},{"cabin":"business"}]}`, map[string]string{"get": "R", "user": "U", "change": "R"}[tool], id, id)
		done := &subject{name: "recorded", argv: gatewright, dir: dir, event: func(int) string {
			return event("PostToolUse", "mcp__airline__"+tool, i, fmt.Sprintf(`"tool_input":{"id":"R-%d"},"tool_response":[{"type":"text","text":%q}]`, id, result))
		}}
		done.run(work, i)
	}
	return dir
}

// registered is the line of one event, as Claude Code starts it.
func registered(kind hooks.Kind) []string {
	c := hooks.Claude()
	i := slices.IndexFunc(c.Events, func(r hooks.Registration) bool { return r.Kind == kind })
	return []string{"/bin/sh", "-c", install.Shared().Text(c, c.Events[i])}
}

func build(dir, out, pkg string) {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	check(cmd.Run())
}

func write(path, text string) {
	check(os.MkdirAll(filepath.Dir(path), 0o700))
	check(os.WriteFile(path, []byte(text), 0o600))
}

func repository(work, name, policy string) string {
	dir := filepath.Join(work, name)
	check(os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
	if policy != "" {
		write(filepath.Join(dir, ".gatewright", "policy.toml"), policy)
	}
	return dir
}

func event(name, tool string, round int, rest string) string {
	return fmt.Sprintf(`{"session_id":"bench","transcript_path":"/home/dev/t.jsonl","cwd":"@DIR","permission_mode":"default","hook_event_name":%q,"tool_name":%q,"tool_use_id":"toolu_%d",%s}`+"\n", name, tool, round, rest)
}

func (s *subject) run(work string, round int) {
	cmd := exec.Command(s.argv[0], s.argv[1:]...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + work, "XDG_STATE_HOME=" + s.dir + "-state"}
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(s.event(round), "@DIR", s.dir))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	s.wall = append(s.wall, time.Since(start))
	if err != nil || stderr.Len() > 0 || !strings.Contains(stdout.String(), s.says) || s.says == "" && stdout.Len() > 0 {
		log.Fatalf("%s: %v %s %s", s.name, err, stdout.String(), stderr.String())
	}
	s.cpu = append(s.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

func report(subjects []*subject) {
	floor := subjects[0]
	fmt.Printf("| call | wall ms | × empty | CPU ms | × empty |\n|---|---|---|---|---|\n")
	for _, s := range subjects {
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", s.name,
			ms(median(s.wall)), ratio(s.wall, floor.wall), ms(median(s.cpu)), ratio(s.cpu, floor.cpu))
	}
}

// ratio is the median of the ratios within each round.
func ratio(a, floor []time.Duration) float64 {
	r := make([]float64, len(a))
	for i := range a {
		r[i] = float64(a[i]) / float64(floor[i])
	}
	slices.Sort(r)
	return r[len(r)/2]
}

func median(d []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[len(sorted)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
