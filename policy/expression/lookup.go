package expression

// lookup reads a constant table by one key after the other. Where there is no such
// entry the value is absent.
func lookup(e *evaluator, args []Value) Value {
	v := e.env.Tables[args[0].text]
	for _, key := range args[1:] {
		name, ok := tableKey(key)
		if !ok {
			return unknown
		}
		if v.kind == Absent {
			return Value{}
		}
		v = e.member(v, name)
	}
	return v
}

// tableKey is a text or a number; one such as 1/3 names nothing.
func tableKey(v Value) (string, bool) {
	if v.kind == Number {
		return v.number.Finite()
	}
	return v.text, v.kind == Text
}
