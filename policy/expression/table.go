package expression

// quantified are the functions whose last argument may be a predicate.
func quantified() map[string]function {
	return map[string]function{
		"all":    {takes: []kinds{of(List)}, least: 2, most: 2, gives: Bool, condition: true, over: allOf},
		"any":    {takes: []kinds{of(List)}, least: 2, most: 2, gives: Bool, condition: true, over: anyOf},
		"none":   {takes: []kinds{of(List)}, least: 2, most: 2, gives: Bool, condition: true, over: noneOf},
		"one":    {takes: []kinds{of(List)}, least: 2, most: 2, gives: Bool, condition: true, over: oneOf},
		"filter": {takes: []kinds{of(List)}, least: 2, most: 2, gives: List, condition: true, over: filter},
		"count":  {takes: []kinds{of(List)}, least: 1, most: 2, gives: Number, condition: true, over: count},
		"find":   {takes: []kinds{of(List)}, least: 2, most: 2, gives: anyKind, condition: true, over: find},
		"map":    {takes: []kinds{of(List)}, least: 2, most: 2, gives: List, over: mapped},
		"sum":    {takes: []kinds{of(List)}, least: 1, most: 2, gives: Number, over: sum},
	}
}

func onLists() map[string]function {
	return map[string]function{
		"len":          {takes: []kinds{of(Text, List, Object)}, least: 1, most: 1, gives: Number, call: length},
		"min":          {takes: []kinds{of(Number, Text, Time, Duration, List)}, least: 1, most: many, gives: anyKind, call: least},
		"max":          {takes: []kinds{of(Number, Text, Time, Duration, List)}, least: 1, most: many, gives: anyKind, call: most},
		"join":         {takes: []kinds{of(List), of(Text)}, least: 1, most: 2, gives: Text, call: join},
		"first":        {takes: []kinds{of(List)}, least: 1, most: 1, gives: anyKind, call: first},
		"last":         {takes: []kinds{of(List)}, least: 1, most: 1, gives: anyKind, call: last},
		"keys":         {takes: []kinds{of(Object)}, least: 1, most: 1, gives: List, call: keys},
		"values":       {takes: []kinds{of(Object)}, least: 1, most: 1, gives: List, call: values},
		"uniq":         {takes: []kinds{of(List)}, least: 1, most: 1, gives: List, call: uniq},
		"concat":       {takes: []kinds{of(List)}, least: 1, most: many, gives: List, call: concat},
		"flatten":      {takes: []kinds{of(List)}, least: 1, most: 1, gives: List, call: flatten},
		"same_set":     {takes: []kinds{of(List), of(List), of(Text)}, least: 2, most: many, gives: Bool, call: sameSet},
		"sub_multiset": {takes: []kinds{of(List)}, least: 2, most: 2, gives: Bool, call: subMultiset},
	}
}

func onScalars() map[string]function {
	return map[string]function{
		"abs":           {takes: []kinds{of(Number)}, least: 1, most: 1, gives: Number, call: rounded(absolute)},
		"floor":         {takes: []kinds{of(Number)}, least: 1, most: 1, gives: Number, call: rounded(floor)},
		"ceil":          {takes: []kinds{of(Number)}, least: 1, most: 1, gives: Number, call: rounded(ceil)},
		"round":         {takes: []kinds{of(Number)}, least: 1, most: 1, gives: Number, call: rounded(round)},
		"decimal":       {takes: []kinds{of(Number, Text)}, least: 1, most: 1, gives: Number, call: decimal},
		"string":        {takes: []kinds{of(Bool, Number, Text)}, least: 1, most: 1, gives: Text, call: asText},
		"upper":         {takes: []kinds{of(Text)}, least: 1, most: 1, gives: Text, call: upper},
		"lower":         {takes: []kinds{of(Text)}, least: 1, most: 1, gives: Text, call: lower},
		"trim":          {takes: []kinds{of(Text)}, least: 1, most: 1, gives: Text, call: trim},
		"split":         {takes: []kinds{of(Text)}, least: 2, most: 2, gives: List, call: split},
		"hasPrefix":     {takes: []kinds{of(Text)}, least: 2, most: 2, gives: Bool, call: prefix},
		"hasSuffix":     {takes: []kinds{of(Text)}, least: 2, most: 2, gives: Bool, call: suffix},
		"extract":       {takes: []kinds{of(Text)}, least: 2, most: 2, gives: List, call: extract},
		"glob":          {takes: []kinds{of(Text)}, least: 2, most: 2, gives: Bool, call: globbed},
		"contains_word": {takes: []kinds{of(Text)}, least: 2, most: 2, gives: Bool, call: containsWord},
		"lookup":        {takes: []kinds{of(Text), of(Text, Number)}, least: 2, most: many, gives: anyKind, call: lookup},
		"age":           {takes: []kinds{of(Text, Time)}, least: 1, most: 1, gives: Duration, call: age},
		"date":          {takes: []kinds{of(Text, Time)}, least: 1, most: 1, gives: Time, call: date},
		"time":          {takes: []kinds{of(Text, Time)}, least: 1, most: 1, gives: Time, call: instant},
		"duration":      {takes: []kinds{of(Text)}, least: 1, most: 1, gives: Duration, call: duration},
	}
}
