package exact

import (
	"math/big"
	"strings"
	"testing"
)

func TestDecimal(t *testing.T) {
	same := map[string]string{
		"0": "0", "-0": "0", "-0.0": "0", "500.00": "500", "5e2": "500", "5E+2": "500", "1e-3": "0.001",
		"9007199254740993": "9007199254740993", "0.1": "0.1", "-1.50": "-1.5",
		"1e64": "1" + strings.Repeat("0", 64),
	}
	for token, want := range same {
		if d, err := ParseDecimal(token); err != nil || d.String() != want {
			t.Errorf("%s: %s %v, want %s", token, d, err, want)
		}
	}
	for _, token := range []string{"", "-", "+1", "01", "1.", ".1", "1e", "1e+", "1e65", "1e-65", "1e00065", "NaN", "Infinity", "0x1", "1_0", "1/2", " 1", "1 ", "٥", strings.Repeat("1", 65)} {
		if d, err := ParseDecimal(token); err == nil {
			t.Errorf("%q is %s", token, d)
		}
	}
	a, _ := ParseDecimal("0.1")
	b, _ := ParseDecimal("0.2")
	if got := a.Add(b).String(); got != "0.3" {
		t.Errorf("0.1 + 0.2 = %s", got)
	}
	if got := a.Sub(b).DividePow10(2).String(); got != "-0.001" {
		t.Errorf("(0.1 - 0.2) / 100 = %s", got)
	}
	if (Decimal{}).String() != "0" || (Decimal{}).Sign() != 0 {
		t.Error("the zero Decimal is not 0")
	}
}

// FuzzDecimal: whatever is accepted is what math/big reads, and its text reads
// back as the same number.
func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"1.50", "-3e2", "00.1", "1e-64", "0007"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, parse := range []func(string) (Decimal, error){ParseDecimal, ParsePlain} {
			d, err := parse(s)
			if err != nil {
				continue
			}
			want, ok := new(big.Rat).SetString(s)
			if !ok || d.rat().Cmp(want) != 0 {
				t.Fatalf("%q was read as %s", s, d)
			}
			if len(d.String()) <= maxNumberText {
				if again, err := ParseDecimal(d.String()); err != nil || again.Cmp(d) != 0 {
					t.Fatalf("%q is written as %s", s, d)
				}
			}
		}
	})
}
