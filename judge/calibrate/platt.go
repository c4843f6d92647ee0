package calibrate

import (
	"errors"
	"math"
)

// Platt fits p(z) = 1/(1 + e^(A·z + B)) to scores: it minimises the weighted
// cross-entropy
//
//	−Σ wᵢ (tᵢ log pᵢ + (1−tᵢ) log(1−pᵢ))
//
// where t is (N₊+1)/(N₊+2) for a positive example and 1/(N₋+2) for another, N
// being sums of weights, so that the answer is finite even when the scores
// separate the classes. Newton's method with halved steps on standardised
// scores, to the last digits. A is at most 0: scores that rank the classes the
// wrong way round get A = 0, the same probability everywhere.
//
// J. Platt, Probabilistic outputs for support vector machines, 1999; H.-T. Lin,
// C.-J. Lin and R. Weng, A note on Platt's probabilistic outputs, 2007. About
// ten passes over the scores.
//
// A nil weight is all ones.
func Platt(scores []float64, positive []bool, weight []float64) (a, b float64, err error) {
	if err := check(scores, positive, weight); err != nil {
		return 0, 0, err
	}
	f := newSigmoidFit(scores, positive, weight)
	if f.sd == 0 {
		return 0, f.level(), nil
	}
	a, b = f.newton()
	if a >= 0 {
		return 0, f.level(), nil
	}
	a /= f.sd
	b -= float64(a * f.mean)
	a /= f.scale
	if math.IsInf(a, 0) || math.IsNaN(b) || math.IsInf(b, 0) {
		return 0, 0, errors.New("the scores differ by less than a sigmoid can tell apart; scale the features (--scale)")
	}
	return a, b, nil
}

// sigmoidFit is the problem with the scores standardised: z is of mean 0 and
// variance 1 wherever there is any.
type sigmoidFit struct {
	z, t, w         []float64 // the weights add up to 1
	scale, mean, sd float64   // z = (score/scale − mean)/sd
}

func newSigmoidFit(scores []float64, positive []bool, weight []float64) *sigmoidFit {
	n := len(scores)
	f := &sigmoidFit{z: make([]float64, n), t: make([]float64, n), w: make([]float64, n), scale: 1}
	var pos, neg float64
	for i := range f.w {
		f.w[i] = 1
		if weight != nil {
			f.w[i] = weight[i]
		}
		if positive[i] {
			pos += f.w[i]
		} else {
			neg += f.w[i]
		}
	}
	for i := range f.t {
		f.t[i] = 1 / (neg + 2)
		if positive[i] {
			f.t[i] = (pos + 1) / (pos + 2)
		}
		f.w[i] /= pos + neg
	}
	f.standardise(scores)
	return f
}

// standardise fills z. Scores are first divided by the largest, so that no
// square is too large or too small.
func (f *sigmoidFit) standardise(scores []float64) {
	largest := 0.0
	for i, s := range scores {
		if f.w[i] > 0 {
			largest = max(largest, math.Abs(s))
		}
	}
	if largest == 0 {
		return
	}
	f.scale = largest
	for i, s := range scores {
		if f.w[i] > 0 {
			f.z[i] = s / largest
		}
	}
	lowest, highest, sum := math.Inf(1), math.Inf(-1), 0.0
	for i, z := range f.z {
		if f.w[i] > 0 {
			lowest, highest = min(lowest, z), max(highest, z)
			sum += float64(f.w[i] * z)
		}
	}
	if lowest == highest {
		return
	}
	f.mean = sum
	sum = 0
	for i := range f.z {
		f.z[i] -= f.mean
		sum += float64(f.w[i] * float64(f.z[i]*f.z[i]))
	}
	f.sd = math.Sqrt(sum)
	for i := range f.z {
		f.z[i] /= f.sd
	}
}

// level is B of the best constant, A = 0.
func (f *sigmoidFit) level() float64 {
	var p, q float64
	for i, w := range f.w {
		p += float64(w * f.t[i])
		q += float64(w * (1 - f.t[i]))
	}
	return math.Log(q / p)
}

// newton minimises from the constant. The problem is convex, and with targets
// strictly between 0 and 1 it has one answer.
func (f *sigmoidFit) newton() (a, b float64) {
	b = f.level()
	value := f.loss(a, b)
	for range 100 {
		ga, gb, haa, hab, hbb := f.slopes(a, b)
		haa += 1e-12 * hbb // keeps the step finite
		det := float64(haa*hbb) - float64(hab*hab)
		da := -(float64(hbb*ga) - float64(hab*gb)) / det
		db := -(float64(haa*gb) - float64(hab*ga)) / det
		if !(det > 0) || math.IsInf(da, 0) || math.IsInf(db, 0) {
			return a, b
		}
		// Near the end the loss no longer tells steps apart, and they are good.
		enough := value + 1e-13*value
		next := f.loss(a+da, b+db)
		for !(next <= enough) && math.Abs(da)+math.Abs(db) > 1e-300 {
			da, db = da/2, db/2
			next = f.loss(a+da, b+db)
		}
		a, b, value = a+da, b+db, next
		if math.Abs(da)+math.Abs(db) <= 1e-14*(math.Abs(a)+math.Abs(b)) {
			return a, b
		}
	}
	return a, b
}

// loss is the cross-entropy at u = a·z + b, without overflow.
func (f *sigmoidFit) loss(a, b float64) float64 {
	sum := 0.0
	for i, z := range f.z {
		u := float64(a*z) + b
		v := float64(f.t[i]*u) + math.Log1p(math.Exp(-u))
		if u < 0 {
			v = float64((f.t[i]-1)*u) + math.Log1p(math.Exp(u))
		}
		sum += float64(f.w[i] * v)
	}
	return sum
}

// slopes are the derivatives: u = a·z + b, p = 1/(1+e^u), dloss/du = t − p.
func (f *sigmoidFit) slopes(a, b float64) (ga, gb, haa, hab, hbb float64) {
	for i, z := range f.z {
		u := float64(a*z) + b
		e := math.Exp(-math.Abs(u))
		p := e / (1 + e)
		if u < 0 {
			p = 1 / (1 + e)
		}
		g := f.w[i] * (f.t[i] - p)
		h := f.w[i] * (e / ((1 + e) * (1 + e)))
		hz := h * z
		ga += float64(g * z)
		gb += g
		haa += float64(hz * z)
		hab += hz
		hbb += h
	}
	return ga, gb, haa, hab, hbb
}
