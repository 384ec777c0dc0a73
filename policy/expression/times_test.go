package expression

import (
	"fmt"
	"testing"
	"time"

	"gatewright/policy/exact"
)

// TestDays: a day begins at its first instant, which need not be midnight.
func TestDays(t *testing.T) {
	for _, c := range []struct{ zone, day, begins string }{
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00"}, // midnight is skipped
		{"America/Sao_Paulo", "2018-11-05", "2018-11-05T00:00:00-02:00"},
		{"America/New_York", "2024-03-10", "2024-03-10T00:00:00-05:00"},
		{"America/St_Johns", "2010-11-07", "2010-11-07T00:00:00-02:30"}, // there are two
		{"Pacific/Apia", "2011-12-31", "2011-12-31T00:00:00+14:00"},     // the day before is skipped
		{"UTC", "2024-05-15", "2024-05-15T00:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		source := fmt.Sprintf(`date(%[1]q) == time(%[2]q) and date("%[3]sT12:00:00") == date(%[1]q) and time(%[1]q) == date(%[1]q) and date(date(%[1]q)) == date(%[1]q)`, c.day, c.begins, c.day)
		p, err := Compile(source, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Holds(Env{Zone: zone}); got != exact.True {
			t.Errorf("%s in %s does not begin at %s: %v", c.day, c.zone, c.begins, p.Eval(Env{Zone: zone}))
		}
	}
}
