package format

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

var (
	errNotNumber = errors.New("not a number")
	errNotFinite = errors.New("not a finite number")
	errTooLarge  = errors.New("too large for a number")
)

// parseNumber reads a decimal number, correctly rounded. Hexadecimal digits,
// underscores, infinities and NaN are refused.
//
// The fast path is Clinger's: up to 15 digits are exact in a float64, and so
// is ten to the power of 22, so that one multiplication or division rounds
// once. Anything else goes to strconv.
func parseNumber(s []byte) (float64, error) {
	i, n := 0, len(s)
	negative := false
	if n > 0 && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		i++
	}
	mantissa, digits, exp := uint64(0), 0, 0
	start := i
	for ; i < n && s[i]-'0' < 10; i++ {
		mantissa = mantissa*10 + uint64(s[i]-'0')
	}
	digits = i - start
	if i < n && s[i] == '.' {
		i++
		point := i
		for ; i < n && s[i]-'0' < 10; i++ {
			mantissa = mantissa*10 + uint64(s[i]-'0')
		}
		digits += i - point
		exp = point - i
	}
	if i < n || digits == 0 || digits > 15 || exp < -22 {
		return parseSlow(s)
	}
	v := float64(mantissa)
	if exp < 0 {
		v /= powers[-exp]
	}
	if negative {
		v = -v
	}
	return v, nil
}

var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

func parseSlow(s []byte) (float64, error) {
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9', c == '+', c == '-', c == '.', c == 'e', c == 'E':
		case infinite(s):
			return 0, errNotFinite
		default:
			return 0, errNotNumber
		}
	}
	v, err := strconv.ParseFloat(string(s), 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, errTooLarge
	}
	if err != nil {
		return 0, errNotNumber
	}
	return v, nil
}

// value is parseNumber for the value of a feature. It counts those that are
// rounded: whose text is not the shortest that reads as the number.
func (s *Source) value(text []byte) (float64, error) {
	v, err := parseNumber(text)
	long := len(text) > 15 || v > -1e-300 && v < 1e-300 && bytes.ContainsAny(text, "eE")
	if long && err == nil && !keeps(text, v) {
		s.rounded++
	}
	return v, err
}

// keeps reports whether v, written as short as possible, is what text says.
func keeps(text []byte, v float64) bool {
	var buf, digits, kept [64]byte
	d, e := significant(digits[:0], text)
	f, g := significant(kept[:0], strconv.AppendFloat(buf[:0], v, 'e', -1, 64))
	return e == g && bytes.Equal(d, f)
}

// significant appends the digits of a number without the zeros around them,
// and returns them with the power of ten of the last.
func significant(dst, text []byte) (digits []byte, exp int) {
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		exp, _ = strconv.Atoi(string(text[i+1:])) // one out of range is not kept anyway
		text = text[:i]
	}
	before, after, _ := bytes.Cut(bytes.TrimLeft(text, "+-"), []byte("."))
	all := append(append(dst, before...), after...)
	exp -= len(after)
	digits = bytes.TrimRight(all, "0")
	exp += len(all) - len(digits)
	digits = bytes.TrimLeft(digits, "0")
	if len(digits) == 0 {
		exp = 0
	}
	return digits, exp
}

// infinite reports whether s is one of the words that strconv takes for no
// finite number. (To ask it would allocate for every other word.)
func infinite(s []byte) bool {
	word := s
	if s[0] == '+' || s[0] == '-' {
		word = s[1:]
	}
	for _, w := range []string{"inf", "infinity", "nan"} {
		if len(word) == len(w) && strings.EqualFold(string(word), w) {
			return w != "nan" || len(word) == len(s) // there is no +nan
		}
	}
	return false
}

// looksNumeric reports whether s is a finite decimal number.
func looksNumeric(s []byte) bool {
	_, err := parseNumber(s)
	return err == nil
}
