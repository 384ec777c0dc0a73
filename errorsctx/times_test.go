package errorsctx

import (
	"testing"
	"time"
)

// TestTimes is B40, and what belongs to it.
func TestTimes(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("SKIPPED: this machine knows no time zones")
	}
	local := &TimeForm{Unit: "auto", Zone: berlin, Layouts: []string{"02.01.2006 15:04", "Jan 2, 2006", "02/01/2006 15:04 -0700"}}
	for _, tt := range []struct {
		form             *TimeForm
		name, from, want string // want "" = left
	}{
		{auto, "created_at_unix", `1772452800`, "2026-03-02T12:00:00Z"},
		{auto, "updated_at", `1772452800000`, "2026-03-02T12:00:00Z"},
		{auto, "a_unix", `1772452800000000`, "2026-03-02T12:00:00Z"},
		{auto, "b_unix", `1772452800000000000`, "2026-03-02T12:00:00Z"},
		{auto, "c_unix", `1772452800.5`, "2026-03-02T12:00:00.5Z"},
		{auto, "d_unix", `"1772452800"`, "2026-03-02T12:00:00Z"},
		{auto, "e_ms", `-1`, "1969-12-31T23:59:59.999Z"},
		{auto, "createdMs", `1772452800`, "1970-01-21T12:20:52.8Z"},
		{auto, "t_seconds", `1772452800000`, ""},
		{auto, "t_ns", `1`, "1970-01-01T00:00:00.000000001Z"},
		{auto, "status", `99999999999`, "5138-11-16T09:46:39Z"},
		{auto, "t", `100000000000`, "1973-03-03T09:46:40Z"},
		{auto, "t", `-99999999999`, ""},
		{auto, "t", `-62135596800`, "0001-01-01T00:00:00Z"},
		{auto, "t", `1.7724528e9`, "2026-03-02T12:00:00Z"},
		{auto, "t", `0`, "1970-01-01T00:00:00Z"},
		{&TimeForm{Unit: "ms"}, "t_s", `1`, "1970-01-01T00:00:00.001Z"},
		{auto, "t", `1772452800.1234567891234`, "2026-03-02T12:00:00.123456789Z"},
		{auto, "t", `"2026-03-02T13:00:00+01:00"`, "2026-03-02T12:00:00Z"},
		{auto, "t", `"2026-03-02 13:00:00.25+0100"`, "2026-03-02T12:00:00.25Z"},
		{auto, "t", `"Mon, 02 Mar 2026 12:00:00 GMT"`, "2026-03-02T12:00:00Z"},
		{auto, "t", `"2026-03-02T12:00:00Z"`, "2026-03-02T12:00:00Z"},
		{auto, "t", `"2026-03-02T13:00:00"`, ""}, // no zone is known
		{local, "t", `"2026-03-02T13:00:00"`, "2026-03-02T12:00:00Z"},
		{local, "t", `"02.03.2026 13:00"`, "2026-03-02T12:00:00Z"},
		{local, "t", `"Mar 2, 2026"`, "2026-03-01T23:00:00Z"},
		{local, "t", `"02/03/2026 13:00 -0500"`, "2026-03-02T18:00:00Z"},
		{local, "t", `"29.03.2026 02:30"`, ""}, // the hour that is left out
		{local, "t", `"25.10.2026 02:30"`, ""}, // the hour that comes twice
		{local, "t", `"25.10.2026 03:30"`, "2026-10-25T02:30:00Z"},
		{local, "t", `"31.02.2026 13:00"`, ""},
		{&TimeForm{Unit: "auto", Layouts: []string{"20060102"}, Zone: time.UTC}, "t", `"20260302"`, "2026-03-02T00:00:00Z"},
		{&TimeForm{Unit: "auto", Layouts: []string{"20060102150405"}, Zone: time.UTC}, "t", `20260302120000`, "2026-03-02T12:00:00Z"},
		{&TimeForm{Unit: "auto", Layouts: []string{"20060102T150405Z"}, Zone: berlin}, "t", `"20260302T120000Z"`, "2026-03-02T12:00:00Z"},
		{&TimeForm{Unit: "auto", Layouts: []string{"2006-01-02 15:04 UTC"}, Zone: berlin}, "t", `"2026-03-02 12:00 UTC"`, "2026-03-02T12:00:00Z"},
		{auto, "CREATED_AT_MS", `86400000`, "1970-01-02T00:00:00Z"},
		{auto, "createdMS", `86400000`, "1970-01-02T00:00:00Z"},
		{auto, "eventTS", `86400000`, "1972-09-27T00:00:00Z"},
		{auto, "f_unix", `null`, ""},
		{auto, "g_unix", `"soon"`, ""},
		{auto, "h_unix", `1e30`, ""},
		{auto, "t", `1e999999999`, ""},
		{auto, "t", `"0x10"`, ""},
		{auto, "t", `"1/3"`, ""},
		{auto, "t", `""`, ""},
		{auto, "t", `true`, ""},
		{auto, "t", `{"a":1}`, ""},
		{auto, "t", `"9999-12-31T23:59:59-01:00"`, ""},
	} {
		from := `{"` + tt.name + `":` + tt.from + `}`
		d := normalized(from, on(tt.name, Change{Time: tt.form}))
		want := from
		if tt.want != "" {
			want = `{"` + tt.name + `":"` + tt.want + `"}`
		}
		if d.Text != want || (tt.want == "" && tt.from != "null") != (len(d.Left) > 0) {
			t.Errorf("%s: %+v, want %s", from, d, want)
		}
	}
}

// TestLayouts: one that does not tell the day, or only by a zone's abbreviation, is
// none.
func TestLayouts(t *testing.T) {
	for layout, good := range map[string]bool{"2006-01-02": true, "02.01.2006 15:04:05": true, "Jan 2, 2006 3:04 PM": true, "2006-002": true, "20060102150405": true,
		"15:04": false, "01/02": false, "2006-01-02 15:04 MST": false, "YYYY-MM-DD": false, "": false, "02.01.2006 03:04": false} {
		if err := CheckLayout(layout); (err == nil) != good {
			t.Errorf("%q: %v", layout, err)
		}
	}
}
