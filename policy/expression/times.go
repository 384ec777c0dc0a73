package expression

import (
	"strconv"
	"strings"
	"time"
)

// layouts of times in texts, with a zone and without.
var (
	zoned    = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00"}
	zoneless = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"}
)

// maxTimeText bounds texts that are read as times, in bytes.
const maxTimeText = 64

func (e *evaluator) zone() *time.Location {
	if e.env.Zone == nil {
		return time.UTC
	}
	return e.env.Zone
}

// timeOf reads a time: RFC 3339, or a date with or without a time of day, which are
// then in the policy's time zone.
func (e *evaluator) timeOf(v Value) (time.Time, bool) {
	if v.kind == Time {
		return v.at, true
	}
	if v.kind != Text || len(v.text) > maxTimeText || !e.spend(len(zoned)+len(zoneless)) {
		return time.Time{}, false
	}
	for _, layout := range zoned {
		if t, err := time.Parse(layout, v.text); err == nil {
			return t, true
		}
	}
	if day, err := time.Parse(time.DateOnly, v.text); err == nil {
		return dayStart(day, e.zone()), true
	}
	for _, layout := range zoneless {
		if t, err := time.ParseInLocation(layout, v.text, e.zone()); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// age is how long ago a time was; negative for one to come.
func age(e *evaluator, args []Value) Value {
	t, ok := e.timeOf(args[0])
	if !ok {
		return unknown
	}
	return between(e.env.Now, t)
}

// date is the day of a time in the policy's time zone: its first instant.
func date(e *evaluator, args []Value) Value {
	t, ok := e.timeOf(args[0])
	if !ok {
		return unknown
	}
	return NewTime(dayStart(t.In(e.zone()), e.zone()))
}

// dayStart is the first instant of a day in a time zone. Clocks that are set forward
// at midnight skip it, and clocks that are set back may show it twice.
func dayStart(t time.Time, zone *time.Location) time.Time {
	year, month, day := t.Date()
	midnight := time.Date(year, month, day, 0, 0, 0, 0, zone)
	begin, end := midnight.ZoneBounds()
	switch {
	case midnight.Day() != day:
		return end
	case midnight.Hour() != 0 || midnight.Minute() != 0:
		return begin
	}
	if earlier := sameClock(midnight, begin); !begin.IsZero() && earlier.Before(begin) {
		return earlier
	}
	return midnight
}

// sameClock is when clocks showed the same as at t, by what they showed before a
// transition.
func sameClock(t, transition time.Time) time.Time {
	_, before := transition.Add(-time.Second).Zone()
	_, now := t.Zone()
	return t.Add(time.Duration(now-before) * time.Second)
}

func instant(e *evaluator, args []Value) Value {
	t, ok := e.timeOf(args[0])
	if !ok {
		return unknown
	}
	return NewTime(t)
}

// duration reads 30m, 24h or 7d.
func duration(e *evaluator, args []Value) Value {
	if args[0].kind != Text || len(args[0].text) > maxTimeText || !e.spend(1) {
		return unknown
	}
	text := args[0].text
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return unknown
		}
		return NewDuration(time.Duration(n) * 24 * time.Hour)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return unknown
	}
	return NewDuration(d)
}
