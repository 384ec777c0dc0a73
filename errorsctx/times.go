package errorsctx

import (
	"fmt"
	"math/big"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"
)

// TimeForm says how a server writes times. They become RFC 3339 in UTC.
type TimeForm struct {
	Unit    string         // of numbers: s, ms, us, ns, or "auto"
	Layouts []string       // of texts, as package time writes them
	Zone    *time.Location // of texts that name none; nil = such texts are left
}

// TimeUnits are the units of numbers. With "auto" a unit in the member's name
// decides, or else the size.
var TimeUnits = []string{"auto", "s", "ms", "us", "ns"}

// nanoseconds of one unit.
func nanoseconds(unit string) int64 {
	return map[string]int64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[unit]
}

func (f *TimeForm) convert(name string, v gjson.Result) (string, string) {
	var at time.Time
	var ok bool
	switch v.Type {
	case gjson.Number:
		if at, ok = f.declared(v.Raw); !ok {
			at, ok = f.unix(name, v.Raw)
		}
	case gjson.String:
		at, ok = f.text(name, strings.TrimSpace(v.Str))
	}
	if year := at.UTC().Year(); !ok || year < 0 || year > 9999 {
		return "", "it is no time that is known here"
	}
	return quote(at.UTC().Format(time.RFC3339Nano)), ""
}

// maxDigits bounds what is read as a number; no time needs more.
const maxDigits = 40

// unix reads a count of units since 1970, which may be negative or have a fraction.
// What is finer than a nanosecond is cut off.
func (f *TimeForm) unix(name, text string) (time.Time, bool) {
	if len(text) > maxDigits || strings.Trim(text, "0123456789.+-eE") != "" {
		return time.Time{}, false
	}
	if _, exponent, found := strings.Cut(strings.ToLower(text), "e"); found && len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return time.Time{}, false
	}
	count, ok := new(big.Rat).SetString(text)
	if !ok {
		return time.Time{}, false
	}
	count.Mul(count, new(big.Rat).SetInt64(nanoseconds(f.unit(name, count))))
	total := new(big.Int).Div(count.Num(), count.Denom()) // Euclidean: down
	seconds, rest := new(big.Int).DivMod(total, big.NewInt(1e9), new(big.Int))
	if !seconds.IsInt64() {
		return time.Time{}, false
	}
	return time.Unix(seconds.Int64(), rest.Int64()), seconds.CmpAbs(big.NewInt(maxSeconds)) < 0
}

// maxSeconds is beyond the year 9999 on both sides.
const maxSeconds = 1e12

// unit is the declared one, or the one in the member's name, or what the size
// suggests: until 1e11 seconds, which is the year 5138, and so on by thousands.
func (f *TimeForm) unit(name string, count *big.Rat) string {
	if f.Unit != "auto" {
		return f.Unit
	}
	if unit := unitIn(name); unit != "" {
		return unit
	}
	size := new(big.Rat).Abs(count)
	for i, unit := range []string{"s", "ms", "us"} {
		if size.Cmp(new(big.Rat).SetFrac(bound(i), big.NewInt(1))) < 0 {
			return unit
		}
	}
	return "ns"
}

func bound(thousands int) *big.Int {
	return new(big.Int).Mul(big.NewInt(1e11), new(big.Int).Exp(big.NewInt(1000), big.NewInt(int64(thousands)), nil))
}

// unitWords are the last words of names that tell the unit.
func unitWords() map[string][]string {
	return map[string][]string{
		"s":  {"s", "sec", "secs", "second", "seconds"},
		"ms": {"ms", "msec", "msecs", "milli", "millis", "millisecond", "milliseconds"},
		"us": {"us", "usec", "usecs", "micro", "micros", "microsecond", "microseconds"},
		"ns": {"ns", "nsec", "nsecs", "nano", "nanos", "nanosecond", "nanoseconds"},
	}
}

// unitIn reads the unit at the end of a name such as created_ms or createdMs.
func unitIn(name string) string {
	runes := []rune(name)
	start := len(runes)
	for start > 0 && unicode.IsLower(runes[start-1]) {
		start--
	}
	if start == len(runes) { // CREATED_MS, createdMS
		for start > 0 && unicode.IsUpper(runes[start-1]) {
			start--
		}
	} else if start > 0 && unicode.IsUpper(runes[start-1]) {
		start-- // createdMs
	}
	if start == 0 {
		return "" // the name is one word, which may be about anything
	}
	last := strings.ToLower(string(runes[start:]))
	for unit, words := range unitWords() {
		for _, word := range words {
			if word == last {
				return unit
			}
		}
	}
	return ""
}

// Layouts of texts that are known everywhere: with a zone, and without one.
var (
	zoned = []string{time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05 Z07:00", "2006-01-02 15:04:05Z0700",
		"2006-01-02 15:04:05 Z0700", time.RFC1123Z, "Mon, 02 Jan 2006 15:04:05 GMT"}
	zoneless = []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04"}
)

// text reads a written time: in a common form with a zone, in one of the declared
// layouts, as a number, or in a common form without a zone.
func (f *TimeForm) text(name, text string) (time.Time, bool) {
	for _, layout := range zoned {
		if at, err := time.Parse(layout, text); err == nil {
			return at, true
		}
	}
	if at, ok := f.declared(text); ok {
		return at, true
	}
	if at, ok := f.unix(name, text); ok {
		return at, true
	}
	return f.byLayouts(zoneless, text)
}

func (f *TimeForm) declared(text string) (time.Time, bool) { return f.byLayouts(f.Layouts, text) }

func (f *TimeForm) byLayouts(layouts []string, text string) (time.Time, bool) {
	for _, layout := range layouts {
		if at, ok := f.local(layout, text); ok {
			return at, true
		}
	}
	return time.Time{}, false
}

// local reads a text by a layout, in the declared zone if the layout has none.
func (f *TimeForm) local(layout, text string) (time.Time, bool) {
	if hasZone(layout) {
		at, err := time.Parse(layout, text)
		return at, err == nil
	}
	if f.Zone == nil {
		return time.Time{}, false
	}
	at, err := time.ParseInLocation(layout, text, f.Zone)
	if err != nil {
		return time.Time{}, false
	}
	written, _ := time.Parse(layout, text)
	return at, at.Format(wallClock) == written.Format(wallClock) && happensOnce(at)
}

func hasZone(layout string) bool {
	return strings.Contains(layout, "Z07") || strings.Contains(layout, "-07") || strings.HasSuffix(layout, "Z") || strings.Contains(layout, "UTC") || strings.Contains(layout, "GMT")
}

const wallClock = "2006-01-02T15:04:05"

// happensOnce reports that a wall clock shows this time exactly once: when clocks
// are changed an hour is left out, or comes twice.
func happensOnce(at time.Time) bool {
	shown := at.Format(wallClock)
	for _, shift := range []time.Duration{20 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 7 * time.Hour} {
		if at.Add(shift).Format(wallClock) == shown || at.Add(-shift).Format(wallClock) == shown {
			return false
		}
	}
	return true
}

// CheckLayout says what is wrong with a layout, or nothing: it must tell a day, and
// a zone only by its distance from UTC.
func CheckLayout(layout string) error {
	at := time.Date(2023, 11, 24, 21, 43, 56, 0, time.FixedZone("", 3600))
	if strings.Contains(layout, "MST") {
		return fmt.Errorf("%q has the abbreviation of a zone, which may stand for several", layout)
	}
	back, err := time.ParseInLocation(layout, at.Format(layout), at.Location())
	if err != nil || back.Year() != at.Year() || back.YearDay() != at.YearDay() {
		return fmt.Errorf("%q does not tell the day", layout)
	}
	if back.Hour() != at.Hour() && back.Hour() != 0 {
		return fmt.Errorf("%q does not tell the hour", layout)
	}
	return nil
}
