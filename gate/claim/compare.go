package claim

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"gatewright/errorsctx"
	"gatewright/policy"
	"gatewright/policy/exact"
	"gatewright/policy/wildcard"
)

// Facts are what a claim is compared with. None of them comes from the model.
type Facts struct {
	Caller policy.Caller
	Args   gjson.Result // without the claim
	// Said is what every layer says of the tool, Known only what those down to the
	// one with [claims] say: what a narrower one says settles nothing.
	Said, Known []policy.Description
	// Intents holds the open intents of every layer that has intents; Known tells
	// whether the one with [claims] is among them.
	Intents     [][]policy.Intent
	IntentKnown bool
}

// Compare makes every check that needs no memory.
func Compare(c Claim, f Facts) []Check {
	return slices.Concat(
		[]Check{checkTool(c, f), checkOperation(c, f), checkType(c, f)},
		checkIntents(c, f),
		[]Check{checkResources(c, f), checkItems(c, f), checkDestination(c, f), checkRisk(c, f), checkUncertainty(c)},
	)
}

func checkTool(c Claim, f Facts) Check {
	const name = "tool"
	if p, err := policy.ParsePattern(c.Tool); err != nil || !p.Literal() || !policy.SameName(c.Tool, f.Caller.Tool) {
		return denied(name, OtherCall, "it names another tool")
	}
	return allowed(name)
}

// checkOperation compares with what every layer says that the tool does.
func checkOperation(c Claim, f Facts) Check {
	const name = "operation"
	for _, d := range f.Said {
		if d.Operation != "" && d.Operation != c.Effect.Operation {
			return denied(name, OtherCall, "the tool does something else")
		}
	}
	if !slices.ContainsFunc(f.Known, func(d policy.Description) bool { return d.Operation != "" && !d.Conflicting() }) {
		return review(name, "nobody says what the tool does")
	}
	return allowed(name)
}

func checkType(c Claim, f Facts) Check {
	const name = "resource type"
	for _, d := range f.Said {
		if d.ResourceType != "" && d.ResourceType != c.Effect.Type {
			return denied(name, OtherCall, "the tool is about other resources")
		}
		if d.Conflicting() {
			return review(name, "what is said of the tool contradicts itself")
		}
	}
	return allowed(name)
}

// checkIntents: in every layer that has intents, one that is open must cover the whole
// claim.
func checkIntents(c Claim, f Facts) []Check {
	var checks []Check
	for _, open := range f.Intents {
		checks = append(checks, checkIntent(c, f, open))
	}
	if !f.IntentKnown {
		checks = append(checks, review("intent", "no intent is authorised where claims are asked for"))
	}
	return checks
}

func checkIntent(c Claim, f Facts, open []policy.Intent) Check {
	onRoute := slices.DeleteFunc(slices.Clone(open), func(i policy.Intent) bool { return !policy.AnyGrants(i.Tools, f.Caller) })
	if len(onRoute) == 0 {
		return denied("route", OtherRoute, "no open intent has the tool on its route")
	}
	best := denied("intent", NoIntent, "")
	for _, i := range onRoute {
		detail := outside(c, i)
		if detail == "" {
			if detail = untold(c, f, i); detail == "" {
				return allowed("intent")
			}
			best = review("intent", detail)
		} else if best.Outcome == Deny {
			best.Detail = detail
		}
	}
	return best
}

// outside says in what the claim goes beyond an intent, or nothing.
func outside(c Claim, i policy.Intent) string {
	globs := func(list []string, s string) bool {
		return list == nil || slices.ContainsFunc(list, func(glob string) bool { return wildcard.Match(glob, s) })
	}
	e := c.Effect
	switch {
	case !slices.Contains(i.Classes, c.Class):
		return "the class is outside the intent"
	case !slices.Contains(i.Operations, e.Operation):
		return "the operation is outside the intent"
	case i.Types != nil && e.Type != "" && !slices.Contains(i.Types, e.Type):
		return "the type of resource is outside the intent"
	case slices.ContainsFunc(e.Resources, func(id string) bool { return !globs(i.Resources, id) || i.Resources != nil && climbs(id) }):
		return "a resource is outside the intent"
	case i.MaxItems > 0 && e.MaxItems > i.MaxItems:
		return "there are more items than the intent has"
	case e.Destination != "" && i.Destinations != nil && !slices.ContainsFunc(forms(e.Destination), func(form string) bool { return globs(i.Destinations, form) }):
		return "the destination is outside the intent"
	}
	return ""
}

// untold says what an intent restricts and the server side does not tell of the tool,
// or nothing.
func untold(c Claim, f Facts, i policy.Intent) string {
	tells := func(of func(policy.Description) bool) bool { return slices.ContainsFunc(f.Said, of) }
	switch {
	case i.Types != nil && c.Effect.Type == "" && !tells(func(d policy.Description) bool { return d.ResourceType != "" }):
		return "nobody says what type of resource the tool is about"
	case i.Resources != nil && !tells(func(d policy.Description) bool { return len(d.Resources) > 0 }):
		return "nobody says which arguments name resources"
	}
	return ""
}

// climbs reports an id that leads out of where it begins.
func climbs(id string) bool { return slices.Contains(strings.Split(id, "/"), "..") }

// values reads the arguments that some layer's paths name. It fails for one that is
// there and cannot be told.
func values(args gjson.Result, paths []errorsctx.Path) (list []string, ok bool) {
	for _, p := range paths {
		found, presence := p.Lookup(args)
		switch presence {
		case errorsctx.Absent:
			continue
		case errorsctx.Found:
		default:
			return nil, false
		}
		for _, v := range found {
			text := exact.KeyText(v)
			if v.Type == gjson.String {
				text = strings.TrimSpace(v.Str)
			}
			if text == "" {
				return nil, false
			}
			list = append(list, text)
		}
	}
	return list, true
}

func pathsOf(said []policy.Description, of func(policy.Description) []errorsctx.Path) []errorsctx.Path {
	var paths []errorsctx.Path
	for _, d := range said {
		paths = append(paths, of(d)...)
	}
	return paths
}

func checkResources(c Claim, f Facts) Check {
	const name = "resources"
	ids, ok := values(f.Args, pathsOf(f.Said, func(d policy.Description) []errorsctx.Path { return d.Resources }))
	if !ok || slices.ContainsFunc(ids, func(id string) bool { return !policy.IsIdentifier(id) }) {
		return review(name, "an argument that names a resource cannot be read")
	}
	if slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(c.Effect.Resources, id) }) {
		return denied(name, OtherCall, "the call is about a resource that the claim leaves out")
	}
	return allowed(name)
}

func checkItems(c Claim, f Facts) Check {
	const name = "items"
	paths := pathsOf(f.Said, func(d policy.Description) []errorsctx.Path { return d.Items })
	for _, p := range paths {
		n, ok := countItems(p, f.Args)
		if !ok {
			return review(name, "the items cannot be counted")
		}
		if n > c.Effect.MaxItems {
			return denied(name, OtherCall, "the call touches more items than the claim says")
		}
	}
	ids, ok := values(f.Args, pathsOf(f.Said, func(d policy.Description) []errorsctx.Path { return d.Resources }))
	switch {
	case ok && len(ids) > c.Effect.MaxItems:
		return denied(name, OtherCall, "the call touches more resources than the claim says")
	case len(paths) == 0 && longest(f.Args) > c.Effect.MaxItems:
		return review(name, "nobody says how the tool counts, and a list is longer than the claim says")
	}
	return allowed(name)
}

// longest is the length of the longest list in the arguments.
func longest(v gjson.Result) int {
	most := 0
	if v.IsArray() {
		most = len(v.Array())
	}
	if v.IsArray() || v.IsObject() {
		v.ForEach(func(_, m gjson.Result) bool { most = max(most, longest(m)); return true })
	}
	return most
}

// countItems counts elements of arrays, and a single text or object as one. A whole
// number at the end of the path is the count itself.
func countItems(p errorsctx.Path, args gjson.Result) (int, bool) {
	found, presence := p.Lookup(args)
	if presence != errorsctx.Found {
		return 0, false
	}
	if len(found) != 1 || p.Plural() {
		return len(found), true
	}
	switch v := found[0]; {
	case v.IsArray():
		return len(v.Array()), true
	case v.Type == gjson.Number:
		n := v.Int()
		return int(min(n, maxCount+1)), n >= 0 && float64(n) == v.Num
	case v.Type == gjson.String:
		return 1, strings.Trim(v.Str, " 0123456789.+-") != "" // a number as a text may be a count
	}
	return 0, false
}

func checkDestination(c Claim, f Facts) Check {
	const name = "destination"
	paths := pathsOf(f.Said, func(d policy.Description) []errorsctx.Path { return d.Destinations })
	found, ok := values(f.Args, paths)
	switch {
	case !ok:
		return review(name, "an argument that says where it goes cannot be read")
	case slices.ContainsFunc(found, func(to string) bool { return !goesTo(to, c.Effect.Destination) }):
		return denied(name, OtherCall, "the call goes somewhere else")
	case c.Effect.Operation == policy.Send && len(found) == 0:
		return review(name, "nobody says where the call sends")
	}
	return allowed(name)
}

// checkRisk: a declared risk can raise the server's, never lower it, and what is high
// is reviewed even if everything fits.
func checkRisk(c Claim, f Facts) Check {
	const name = "risk"
	risk, settled := policy.UnknownRisk, false
	for _, d := range f.Said {
		risk = max(risk, d.Risk)
	}
	for _, d := range f.Known {
		settled = settled || d.Risk != policy.UnknownRisk
	}
	switch {
	case !settled:
		return review(name, "nobody says how much harm the tool can do")
	case risk == policy.High:
		return review(name, "the tool can do much harm")
	case c.Risk > risk:
		return review(name, "the claim says that it can do more harm than is known")
	}
	return allowed(name)
}

func checkUncertainty(c Claim) Check {
	const name = "uncertainty"
	if c.Uncertain == policy.High {
		return review(name, "the model is not certain")
	}
	return allowed(name)
}
