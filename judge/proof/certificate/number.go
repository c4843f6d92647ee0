package certificate

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Limits of numbers in a certificate: a hostile one must not cost more than a
// moment.
const (
	maxDigits   = 100_000   // of one number
	maxTotal    = 8_000_000 // of all
	maxExponent = 400
)

// budget counts the digits of a certificate.
type budget struct{ digits int }

// rational reads "-12", "3/7", "0.25" or "1e-9".
func (b *budget) rational(s string) (*big.Rat, error) {
	b.digits += len(s)
	switch {
	case len(s) > maxDigits:
		return nil, fmt.Errorf("a number of %d characters; at most %d are read", len(s), maxDigits)
	case b.digits > maxTotal:
		return nil, fmt.Errorf("more than %d digits in all", maxTotal)
	}
	if num, den, ok := strings.Cut(s, "/"); ok {
		p, q := whole(num, true), whole(den, false)
		if p == nil || q == nil || q.Sign() == 0 {
			return nil, notNumber(s)
		}
		return new(big.Rat).SetFrac(p, q), nil
	}
	mantissa, exp := s, 0
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxExponent || e < -maxExponent {
			return nil, notNumber(s)
		}
		mantissa, exp = s[:i], e
	}
	before, after, point := strings.Cut(mantissa, ".")
	if point && after == "" {
		return nil, notNumber(s)
	}
	p := whole(before+after, true)
	if p == nil {
		return nil, notNumber(s)
	}
	return scaled(p, exp-len(after)), nil
}

func notNumber(s string) error {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return fmt.Errorf("%q is not a number of a certificate; it has the form -12, 3/7, 0.25 or 1e-9", s)
}

// whole reads digits, nil if there is anything else.
func whole(s string, signed bool) *big.Int {
	digits := s
	if signed {
		digits = strings.TrimPrefix(s, "-")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	p, _ := new(big.Int).SetString(s, 10)
	return p
}

// scaled is p·10^exp.
func scaled(p *big.Int, exp int) *big.Rat {
	if exp >= 0 {
		return new(big.Rat).SetInt(new(big.Int).Mul(p, ten(exp)))
	}
	return new(big.Rat).SetFrac(p, ten(-exp))
}

var tens = func() []*big.Int {
	t := []*big.Int{big.NewInt(1)}
	for len(t) <= 800 {
		t = append(t, new(big.Int).Mul(t[len(t)-1], big.NewInt(10)))
	}
	return t
}()

// ten is 10^n.
func ten(n int) *big.Int {
	if n < len(tens) {
		return tens[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// decimal is a value as digits·10^exp: the shortest decimal that reads as v.
type decimal struct {
	digits int64
	exp    int
}

func decimalOf(v float64) decimal {
	if v == float64(int64(v)) && v < 1e15 && v > -1e15 {
		return decimal{digits: int64(v)}
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	before, after, _ := strings.Cut(mantissa, ".")
	digits, _ := strconv.ParseInt(before+after, 10, 64)
	e, _ := strconv.Atoi(power)
	return decimal{digits, e - len(after)}
}
