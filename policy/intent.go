package policy

import "strings"

// Intent is what a task is authorised to do: an [[intent]].
type Intent struct {
	Source
	Classes      []string    // of intents
	Operations   []Operation // what calls may do
	Tools        []Pattern   // granting: the route
	Types        []string    // of resources; nil = any
	Resources    []string    // globs over their ids; nil = any
	MaxItems     int         // how many items one call may touch; 0 = any number
	Destinations []string    // globs; nil = any
	When         []Context   // where it is open by itself; nil = everywhere
	ByGrant      bool        // a person opens it for a time
}

func readIntent(t *table) Intent {
	t.need("intent_classes", "operations", "tools")
	i := Intent{
		Source:       t.source(),
		Classes:      t.texts("intent_classes"),
		Tools:        t.patterns("tools", true),
		Types:        t.texts("resource_types"),
		Resources:    t.texts("resources"),
		MaxItems:     t.count("max_items"),
		Destinations: t.texts("destinations"),
		ByGrant:      t.yes("grant"),
	}
	for _, word := range t.words("operations", operationWords) {
		i.Operations = append(i.Operations, Operation(word))
	}
	fromEnv := t.yes("from_env")
	if fromEnv && t.file.layer.Name != Managed && t.file.layer.Name != User {
		t.problem("from_env", "the environment opens an intent only where the managed or the user policy says so", "move the intent there")
	}
	if w := t.sub("when"); w != nil {
		effect := Allow // which may not read the environment
		if fromEnv {
			effect = Deny
		}
		i.When = readWhen(w, effect)
	}
	if fromEnv && !i.readsEnv() {
		t.problem("from_env", "from_env without an env.NAME in when has nothing to read", "")
	}
	return i
}

func (i Intent) readsEnv() bool {
	for _, c := range i.When {
		if strings.HasPrefix(c.Key, EnvPrefix) {
			return true
		}
	}
	return false
}

// Untrusted names inputs that nobody vouches for: an [[untrusted]].
type Untrusted struct {
	Source
	Tools   []Pattern // restricting
	Servers []Server
	Files   bool // that are read from outside the project
}

func readUntrusted(t *table) Untrusted {
	u := Untrusted{Source: t.source(), Tools: t.patterns("tools", false), Servers: t.servers("servers"), Files: t.word("files", "outside") != ""}
	if !t.has("tools") && !t.has("servers") && !t.has("files") {
		t.problem("", "[[untrusted]] names no input", `add tools = ["@web"], servers = ["mail"] or files = "outside"`)
	}
	if !IsIdentifier(u.ID) {
		t.problem("id", "this id is what claims cite, so it must be an identifier", "use letters, digits and - _ .")
	}
	return u
}
