// Package line searches along a line.
package line

import "math"

// Search is about the step at which a convex function is least, given its slope:
// where the slope is a tenth of that at 0 or less, found by bisection. 1 is tried
// first. It is 0 if the function falls by no more than least at 0.
func Search(slope func(t float64) float64, least float64) float64 {
	fall := slope(0)
	if !(fall < 0) || -fall <= least {
		return 0
	}
	low, high := 0.0, 1.0
	v := slope(1)
	if math.Abs(v) <= -0.1*fall {
		return 1
	}
	if v < 0 {
		for low = 1; high < 1e6; low = high {
			if high *= 2; slope(high) > 0 {
				break
			}
		}
	}
	for range 100 {
		mid := low + (high-low)/2
		v := slope(mid)
		if math.Abs(v) <= -0.1*fall {
			return mid
		}
		if v > 0 {
			high = mid
		} else {
			low = mid
		}
	}
	return low
}
