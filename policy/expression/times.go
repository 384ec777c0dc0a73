package expression

import (
	"strconv"
	"strings"
	"time"
)

// layouts of times in texts, with a zone and without.
var (
	zoned    = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05Z07:00"}
	zoneless = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly}
)

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
	if v.kind != Text {
		return time.Time{}, false
	}
	for _, layout := range zoned {
		if t, err := time.Parse(layout, v.text); err == nil {
			return t, true
		}
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
	year, month, day := t.In(e.zone()).Date()
	return NewTime(time.Date(year, month, day, 0, 0, 0, 0, e.zone()))
}

func instant(e *evaluator, args []Value) Value {
	t, ok := e.timeOf(args[0])
	if !ok {
		return unknown
	}
	return NewTime(t)
}

// duration reads 30m, 24h or 7d.
func duration(_ *evaluator, args []Value) Value {
	if args[0].kind != Text {
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
