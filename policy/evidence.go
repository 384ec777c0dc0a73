package policy

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
	}
	if !t.has("tags") && !t.has("operation") && !t.has("risk") && !t.has("exposure") {
		t.problem("", "this [[tool]] says nothing about its tools", "add tags, operation, risk or exposure")
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
