// Package exact holds numbers without rounding and conditions with three values.
package exact

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Decimal is an exact decimal number, never changed once made. The zero value
// is 0. It is a math/big rational: the decimal libraries we tried cost a
// millisecond of start-up, or link database/sql.
type Decimal struct{ r *big.Rat }

func (d Decimal) rat() *big.Rat {
	if d.r == nil {
		return new(big.Rat)
	}
	return d.r
}

// Bounds on what counts as a number: beyond any amount of money, small enough
// that exact arithmetic stays cheap.
const (
	maxNumberText = 64
	maxExponent   = 64 // ten to the power of
)

// ErrNotDecimal is the error of every text that is not a bounded plain decimal.
var ErrNotDecimal = errors.New("not a plain decimal number")

// ParseDecimal reads a JSON number token (RFC 8259, section 6): no NaN, no
// infinity, no leading plus or zeros, bounded length and exponent.
func ParseDecimal(token string) (Decimal, error) {
	if len(token) > maxNumberText || !isJSONNumber(token) {
		return Decimal{}, ErrNotDecimal
	}
	r, ok := new(big.Rat).SetString(token)
	if !ok {
		return Decimal{}, ErrNotDecimal
	}
	return Decimal{r}, nil
}

// ParsePlain reads digits with an optional decimal part: how people write an
// amount in a string. Leading zeros are fine, a sign or an exponent is not.
func ParsePlain(text string) (Decimal, error) {
	whole, fraction, dotted := strings.Cut(text, ".")
	if !isDigits(whole) || dotted && !isDigits(fraction) {
		return Decimal{}, ErrNotDecimal
	}
	whole = strings.TrimLeft(whole[:len(whole)-1], "0") + whole[len(whole)-1:]
	if dotted {
		whole += "." + fraction
	}
	return ParseDecimal(whole)
}

// Bounds on amounts of money, so that sums of them stay short to keep.
const (
	maxAmountFraction = 18 // digits
	maxAmountText     = 48
)

// Amount reads a JSON value as an amount: a number or a plain string of digits.
// Nothing else has a value, and there is no default.
func Amount(v gjson.Result) (d Decimal, err error) {
	switch v.Type {
	case gjson.Number:
		d, err = ParseDecimal(v.Raw)
	case gjson.String:
		d, err = ParsePlain(v.Str)
	default:
		return Decimal{}, ErrNotDecimal
	}
	if digits, _ := d.rat().FloatPrec(); digits > maxAmountFraction || len(d.String()) > maxAmountText {
		return Decimal{}, ErrNotDecimal
	}
	return d, err
}

// ParseKept reads what String wrote, however long it is.
func ParseKept(text string) (Decimal, error) {
	whole, fraction, dotted := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	r, ok := new(big.Rat).SetString(text)
	if !ok || !isDigits(whole) || dotted && !isDigits(fraction) {
		return Decimal{}, ErrNotDecimal
	}
	return Decimal{r}, nil
}

// Add returns the exact sum.
func (d Decimal) Add(e Decimal) Decimal {
	return Decimal{new(big.Rat).Add(d.rat(), e.rat())}
}

// Sub returns the exact difference.
func (d Decimal) Sub(e Decimal) Decimal {
	return Decimal{new(big.Rat).Sub(d.rat(), e.rat())}
}

// FromInt is a whole number.
func FromInt(n int64) Decimal { return Decimal{new(big.Rat).SetInt64(n)} }

// Mul returns the exact product.
func (d Decimal) Mul(e Decimal) Decimal {
	return Decimal{new(big.Rat).Mul(d.rat(), e.rat())}
}

// Quo returns the exact quotient, which need not be a finite decimal. It is false
// for a division by zero.
func (d Decimal) Quo(e Decimal) (Decimal, bool) {
	if e.Sign() == 0 {
		return Decimal{}, false
	}
	return Decimal{new(big.Rat).Quo(d.rat(), e.rat())}, true
}

// Floor returns the greatest whole number that is not above d.
func (d Decimal) Floor() Decimal {
	quotient := new(big.Int).Div(d.rat().Num(), d.rat().Denom()) // rounds down: the denominator is positive
	return Decimal{new(big.Rat).SetInt(quotient)}
}

// Int gives a whole number that fits; false for any other.
func (d Decimal) Int() (int, bool) {
	if !d.rat().IsInt() || !d.rat().Num().IsInt64() {
		return 0, false
	}
	return int(d.rat().Num().Int64()), true
}

// Ratio writes the number so that equal numbers, and only they, have equal texts.
func (d Decimal) Ratio() string { return d.rat().RatString() }

// Size bounds what arithmetic with the number costs: its length in bits.
func (d Decimal) Size() int { return d.rat().Num().BitLen() + d.rat().Denom().BitLen() }

// Finite writes the number as String does; false for one such as 1/3, which no
// decimal is equal to.
func (d Decimal) Finite() (string, bool) {
	digits, finite := d.rat().FloatPrec()
	if !finite {
		return "", false
	}
	return d.rat().FloatString(digits), true
}

// DividePow10 returns d divided by ten to the power of n.
func (d Decimal) DividePow10(n int32) Decimal {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
	return Decimal{new(big.Rat).Quo(d.rat(), new(big.Rat).SetInt(power))}
}

// Cmp compares as -1, 0 or 1.
func (d Decimal) Cmp(e Decimal) int { return d.rat().Cmp(e.rat()) }

// Sign is -1, 0 or 1; minus zero is 0.
func (d Decimal) Sign() int { return d.rat().Sign() }

// String writes the number without exponent and without trailing zeros in its
// fraction, so that equal numbers have equal texts.
func (d Decimal) String() string {
	digits, _ := d.rat().FloatPrec() // exact: the denominator divides a power of ten
	return d.rat().FloatString(digits)
}

func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	mantissa, exponent := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exponent = s[:i], s[i+1:]
		if !isExponent(exponent) {
			return false
		}
	}
	whole, fraction, dotted := strings.Cut(mantissa, ".")
	if !isDigits(whole) || len(whole) > 1 && whole[0] == '0' {
		return false
	}
	return !dotted || isDigits(fraction)
}

func isExponent(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && isDigits(s) && n <= maxExponent
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
