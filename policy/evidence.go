package policy

import "slices"

// readTool reads a [[tool]].
func readTool(t *table) Tool {
	t.need("name")
	tool := Tool{
		Source:    Source{t.file.layer.Name, "", t.file.path, t.mark.line},
		Names:     t.patterns("name", true),
		Tags:      t.texts("tags"),
		Operation: Operation(t.word("operation", operationWords...)),
		Risk:      t.risk("risk"),
		Exposure:  Exposure(t.word("exposure", exposureWords...)),

		Claim:        t.yes("claim"),
		ResourceType: t.text("resource_type"),
		Resources:    t.argPaths("resources"),
		Items:        t.argPath("items"),
		Destinations: t.argPaths("destination"),
	}
	says := []string{"tags", "operation", "risk", "exposure", "claim", "resource_type", "resources", "items", "destination"}
	if !slices.ContainsFunc(says, t.has) {
		t.problem("", "this [[tool]] says nothing about its tools", "add tags, operation, risk or exposure")
	}
	for _, p := range tool.Names {
		if tool.Claim && (p.names != nil || IsBuiltin(p.text)) {
			t.problem("claim", p.text+" is a client's own tool, which takes no argument more", "claims are for tools of servers")
		}
	}
	return tool
}

var operationWords = []string{
	string(Read), string(Create), string(Update), string(Delete), string(Send), string(Execute),
}

var riskWords = []string{"low", "medium", "high"}

// String is the risk as policies say it.
func (r Risk) String() string {
	if r == UnknownRisk {
		return "unknown"
	}
	return riskWords[r-Low]
}

func (t *table) risk(key string) Risk {
	word := t.word(key, riskWords...)
	for i, w := range riskWords {
		if w == word {
			return Low + Risk(i)
		}
	}
	return UnknownRisk
}
