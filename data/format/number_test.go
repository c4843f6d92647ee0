package format

import (
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestNumber(t *testing.T) {
	good := map[string]float64{
		"0": 0, "-0": math.Copysign(0, -1), "+7": 7, "1.": 1, ".5": 0.5, "007": 7, "1e3": 1000, "1E-3": 0.001, "-2.5e+1": -25,
		"123456789012345": 123456789012345, "0.1": 0.1, "1e22": 1e22, "1e23": 1e23, "9007199254740993": 9007199254740992,
		"1.7976931348623157e308": math.MaxFloat64, "4.9e-324": 5e-324, "1e-400": 0,
		"0.000000000000000000000000000001": 1e-30,
	}
	for s, want := range good {
		got, err := parseNumber([]byte(s))
		if err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q is %v, %v; want %v", s, got, err, want)
		}
	}
	bad := map[string]error{
		"": errNotNumber, "+": errNotNumber, ".": errNotNumber, "-.": errNotNumber, "e5": errNotNumber, "1e": errNotNumber,
		"1e+": errNotNumber, "1 ": errNotNumber, "1,5": errNotNumber, "0x1": errNotNumber, "0x1p3": errNotNumber, "1_0": errNotNumber,
		"--1": errNotNumber, "1.2.3": errNotNumber, "١": errNotNumber, "1f": errNotNumber,
		"nan": errNotFinite, "NaN": errNotFinite, "inf": errNotFinite, "-Infinity": errNotFinite, "+Inf": errNotFinite,
		"1e309": errTooLarge, "-1.8e308": errTooLarge,
	}
	for s, want := range bad {
		if got, err := parseNumber([]byte(s)); !errors.Is(err, want) {
			t.Errorf("%q is %v, %v; want %v", s, got, err, want)
		}
	}
}

// sameAsStrconv fails if parseNumber differs from strconv in one bit.
func sameAsStrconv(t *testing.T, s string) {
	t.Helper()
	want, wantErr := strconv.ParseFloat(s, 64)
	got, err := parseNumber([]byte(s))
	if (err == nil) != (wantErr == nil) || err == nil && math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%q is %v, %v; strconv says %v, %v", s, got, err, want, wantErr)
	}
}

func TestNumberRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	digits := func(b []byte, n int) []byte {
		for range n {
			b = append(b, byte('0'+r.IntN(10)))
		}
		return b
	}
	for range 200_000 {
		b := []byte([]string{"", "-", "+"}[r.IntN(3)])
		b = digits(b, r.IntN(20))
		if r.IntN(3) > 0 {
			b = digits(append(b, '.'), r.IntN(26))
		}
		if r.IntN(4) == 0 {
			b = strconv.AppendInt(append(b, 'e'), int64(r.IntN(700)-350), 10)
		}
		sameAsStrconv(t, string(b))
	}
	for range 100_000 { // every float64 written shortest, and to 17 digits
		v := math.Float64frombits(r.Uint64())
		if v-v != 0 {
			continue
		}
		sameAsStrconv(t, strconv.FormatFloat(v, 'g', -1, 64))
		sameAsStrconv(t, strconv.FormatFloat(v, 'e', 16, 64))
	}
}

var decimalPattern = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-1.5", "1e22", "123456789012345678", ".5", "1.", "nan", "0x1p-2", "1_0", "1e999", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if decimalPattern.MatchString(s) {
			sameAsStrconv(t, s)
			return
		}
		if v, err := parseNumber([]byte(s)); err == nil {
			t.Fatalf("%q accepted as %v", s, v)
		}
	})
}

// A text with more digits than the shortest that reads as its number is
// rounded; any other is kept.
func TestRoundedValues(t *testing.T) {
	for text, kept := range map[string]bool{
		"0.1": true, "1e-3": true, "0": true, "-0": true, "0.000000000000000000": true, "123456789012345": true,
		"9007199254740993": false, "9007199254740992": true, "+0.30000000000000004": true, "0.30000000000000001": false,
		"8.692932128906250000e-01": true, "3.14159265358979323846": false, "1e-400": false, "5e-324": true, "4.9e-324": false,
		"-1000000000000000000000": true, "1000000000000000000001": false, "0e99999999999999999999": true,
	} {
		src, err := NewSource("x", strings.NewReader(""))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := src.value([]byte(text)); err != nil || (src.rounded == 0) != kept {
			t.Errorf("%s: rounded %d, error %v; want kept %v", text, src.rounded, err, kept)
		}
	}
}
