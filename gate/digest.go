package gate

import (
	"gatewright/policy/exact"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Canonical writes arguments so that the same arguments always give the same
// bytes: members in order of their names, no space, numbers as plain decimals.
// Clients order members differently before and after a call.
func Canonical(args []byte) []byte {
	return canonical(nil, gjson.ParseBytes(args))
}

func canonical(out []byte, v gjson.Result) []byte {
	switch {
	case v.IsObject():
		return canonicalObject(out, v)
	case v.IsArray():
		out = append(out, '[')
		v.ForEach(func(_, element gjson.Result) bool {
			out = append(canonical(out, element), ',')
			return true
		})
		return closed(out, ']')
	case v.Type == gjson.Number:
		if d, err := exact.ParseDecimal(v.Raw); err == nil {
			return append(out, d.String()...)
		}
	case v.Type == gjson.String && !strings.ContainsRune(v.Str, '\uFFFD'):
		return gjson.AppendJSONString(out, v.Str)
	}
	return append(out, v.Raw...)
}

func canonicalObject(out []byte, object gjson.Result) []byte {
	type member struct {
		name  string
		value gjson.Result
	}
	var members []member
	object.ForEach(func(k, v gjson.Result) bool {
		members = append(members, member{k.Str, v})
		return true
	})
	slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	out = append(out, '{')
	for _, m := range members {
		out = append(gjson.AppendJSONString(out, m.name), ':')
		out = append(canonical(out, m.value), ',')
	}
	return closed(out, '}')
}

// closed ends a list of which every part has a comma behind it.
func closed(out []byte, end byte) []byte {
	if out[len(out)-1] == ',' {
		out = out[:len(out)-1]
	}
	return append(out, end)
}
