package claim

import "gatewright/policy"

type object = map[string]any

// Schema is the JSON schema of the argument, for the author of a tool.
func Schema(form *policy.Claims) map[string]any {
	r := reader{form: form}
	return object{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   form.Argument,
		"type":    "object",
		"properties": object{form.Argument: r.closed("What this call does and depends on. It is checked before the call runs and grants nothing.", object{
			"schema_version":  object{"const": form.Version},
			"intent_class":    object{"enum": form.Classes},
			"selected_tool":   identifierSchema("The full name of the tool that is called."),
			"expected_effect": r.effectSchema(),
			"risk_tier":       levelSchema(),
			"uncertainty":     levelSchema(),
			"untrusted_context": r.listSchema("Every untrusted input that the call depends on, as it was told to be cited.",
				r.closed("", object{"source": identifierSchema(""), "digest": identifierSchema("")})),
			"evidence_refs": r.listSchema("", r.closed("", object{"type": object{"enum": policy.EvidenceTypes}, "digest": identifierSchema("")})),
			"summary":       object{"type": "string", "maxLength": maxSummary, "description": "For people. Nothing checks it."},
		}, "summary")},
		"required": []string{form.Argument},
	}
}

func (r *reader) effectSchema() object {
	return r.closed("The most that the call does.", object{
		"operation":     object{"enum": []policy.Operation{policy.Read, policy.Create, policy.Update, policy.Delete, policy.Send, policy.Execute}},
		"resource_type": object{"enum": append(anyList(r.form.Types), nil)},
		"resource_ids":  r.listSchema("Every resource that the call touches.", identifierSchema("")),
		"max_items":     object{"type": "integer", "minimum": 0, "maximum": maxCount},
		"destination":   object{"anyOf": []object{identifierSchema("Where it goes: an address, or its host."), {"type": "null"}}},
	})
}

func anyList(words []string) []any {
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list
}

func levelSchema() object { return object{"enum": []string{"low", "medium", "high"}} }

// identifierSchema is the pattern of policy.IsIdentifier.
func identifierSchema(about string) object {
	s := object{"type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[!#$%&*+\\-./0-9:=?@A-Z^_a-z~]+$"}
	if about != "" {
		s["description"] = about
	}
	return s
}

func (r *reader) listSchema(about string, items object) object {
	s := object{"type": "array", "maxItems": r.form.MaxList, "items": items}
	if about != "" {
		s["description"] = about
	}
	return s
}

// closed is an object that has exactly these members, but for the optional ones.
func (r *reader) closed(about string, members object, optional ...string) object {
	properties, required := object{}, []string{}
	for _, name := range memberOrder {
		schema, has := members[name]
		if !has {
			continue
		}
		properties[r.spelt(name)] = schema
		if len(optional) == 0 || name != optional[0] {
			required = append(required, r.spelt(name))
		}
	}
	s := object{"type": "object", "additionalProperties": false, "properties": properties, "required": required}
	if about != "" {
		s["description"] = about
	}
	return s
}

// memberOrder is the order in which members are asked for.
var memberOrder = []string{"schema_version", "intent_class", "selected_tool", "expected_effect", "operation", "resource_type", "resource_ids", "max_items", "destination",
	"risk_tier", "uncertainty", "untrusted_context", "evidence_refs", "source", "type", "digest", "summary"}
