package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// axis is one direction of a panel.
type axis struct {
	label     string
	low, high float64
	log       bool
	down      bool     // larger values are lower, as in a bitmap
	names     []string // ticks at 0, 1, 2, … instead of numbers
	whole     bool     // only whole numbers make sense
}

// span makes room around values: a little at both ends.
func span(values []float64, room float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		return 0, 1
	}
	if low == high {
		d := max(1, math.Abs(low)) / 2
		return low - d, high + d
	}
	d := room * (high - low)
	return low - d, high + d
}

// core is span for many values: where a few lie far off, it leaves them out.
func core(values []float64, room float64) (low, high float64) {
	low, high = span(values, room)
	if len(values) < 500 {
		return low, high
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	cut := max(2, len(sorted)/250)
	inLow, inHigh := span(sorted[cut:len(sorted)-cut], room)
	if high-low > 2.5*(inHigh-inLow) && inHigh > inLow && sorted[cut] < sorted[len(sorted)-1-cut] {
		return inLow, inHigh
	}
	return low, high
}

// share is where v lies between the ends, from 0 to 1.
func (a *axis) share(v float64) float64 {
	low, high := a.low, a.high
	if a.log {
		low, high, v = math.Log10(low), math.Log10(high), math.Log10(v)
	}
	return (v - low) / (high - low)
}

// tick is a mark on an axis.
type tick struct {
	at    float64
	label string
}

// ticks are round values, about every so many pixels apart.
func (a *axis) ticks(pixels, apart float64) []tick {
	switch {
	case len(a.names) > 0:
		var out []tick
		for i, n := range a.names {
			out = append(out, tick{float64(i), n})
		}
		return out
	case a.log:
		return a.decades(pixels, apart)
	}
	step := roundStep((a.high - a.low) / max(1, pixels/apart))
	for math.Floor(a.high/step)-math.Ceil(a.low/step) < 1 { // one tick tells nothing
		step = roundStep(0.4 * step)
	}
	if a.whole {
		step = max(1, step)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var out []tick
	for k := math.Ceil(a.low/step - 1e-9); k*step <= a.high+1e-9*step; k++ {
		v := k * step
		out = append(out, tick{v, number(v, step, decimals)})
	}
	return out
}

// number is a value on an axis whose ticks are step apart.
func number(v, step float64, decimals int) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if math.Abs(v) >= 1e6 || step < 1e-4 {
		s = exponent(strconv.FormatFloat(v, 'g', 4, 64))
	}
	return minus(s)
}

// exponent is 6e8 for 6e+08.
func exponent(s string) string {
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(s)
}

// minus writes a true minus sign.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// roundStep is the smallest of 1, 2 and 5 times a power of ten that is no less.
func roundStep(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= step*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// decades are the powers of ten, with 2 and 5 between them if there are few.
func (a *axis) decades(pixels, apart float64) []tick {
	first, last := math.Floor(math.Log10(a.low)), math.Ceil(math.Log10(a.high))
	room := max(1, pixels/apart)
	every := math.Ceil((last - first) / room)
	factors := []float64{1}
	if 3*(last-first) <= room {
		factors = []float64{1, 2, 5}
	}
	if last-first < 2 {
		factors = []float64{1, 2, 5}
	}
	var out []tick
	for e := first; e <= last; e += every {
		for _, f := range factors {
			v := f * math.Pow(10, e)
			if v >= a.low*(1-1e-9) && v <= a.high*(1+1e-9) {
				out = append(out, tick{v, power(f, e)})
			}
		}
	}
	return out
}

func power(f, e float64) string {
	if e >= -4 && e <= 5 {
		return strconv.FormatFloat(f*math.Pow(10, e), 'f', int(max(0, -e)), 64)
	}
	return minus(exponent(strconv.FormatFloat(f*math.Pow(10, e), 'g', -1, 64)))
}
