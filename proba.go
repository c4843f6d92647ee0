package halfspace

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Calibration turns a model's scores into probabilities, one a class. The class
// a model decides for is that of its scores all the same.
//
// With more than two classes a score means something only beside the others, so
// the curve of class k sees its margin: its score less the best other one, or
// where duels decide the score of its worst duel, for a count of duels does not
// tell how clear they were. The probabilities that the curves give are divided by
// their sum.
type Calibration struct {
	Kind   Link    `json:"kind"`
	Folds  int     `json:"folds,omitempty"`  // the curves were fitted on scores of examples left out in so many folds
	Curves []Curve `json:"curves,omitempty"` // Platt and Isotonic: one a score
}

// LogOdds is the link of a model trained by logistic loss, whose scores need no
// curve.
func LogOdds(classes int) *Calibration {
	if classes == 2 {
		return &Calibration{Kind: LinkLogistic}
	}
	return &Calibration{Kind: LinkSoftmax}
}

// Link is how scores become probabilities.
type Link string

const (
	// LinkLogistic: the score is the log-odds of class 0 of two.
	LinkLogistic Link = "logistic"
	// LinkSoftmax: the scores are log-probabilities but for a constant.
	LinkSoftmax Link = "softmax"
	// LinkPlatt: 1/(1 + e^(A·z + B)) of the score or margin z.
	LinkPlatt Link = "platt"
	// LinkIsotonic: straight lines between knots, level outside of them.
	LinkIsotonic Link = "isotonic"
)

// Curve is one map from a score to a probability that never falls.
type Curve struct {
	A float64   `json:"a,omitempty"` // Platt: at most 0
	B float64   `json:"b,omitempty"`
	X []float64 `json:"x,omitempty"` // Isotonic: scores of the knots, rising
	Y []float64 `json:"y,omitempty"` // their probabilities, never falling
}

// wrong is what is wrong with a calibration of a model of so many classes, and
// where; empty if nothing is.
func (c *Calibration) wrong(classes int) (what, found string) {
	curves := 0
	switch {
	case c.Kind == LinkPlatt || c.Kind == LinkIsotonic:
		curves = len(NewWeights(classes, 0).W)
	case c.Kind != LinkLogistic && c.Kind != LinkSoftmax:
		return "an unknown kind of probabilities", string(c.Kind)
	}
	switch {
	case classes < 2 || c.Kind == LinkLogistic && classes > 2 || c.Kind == LinkSoftmax && classes == 2:
		return fmt.Sprintf("%s probabilities for %d classes", c.Kind, classes), ""
	case c.Folds < 0:
		return "an impossible number of folds", strconv.Itoa(c.Folds)
	case len(c.Curves) != curves:
		return fmt.Sprintf("%d curves of probability where there should be %d", len(c.Curves), curves), ""
	}
	for _, v := range c.Curves {
		if what, found = v.wrong(c.Kind); what != "" {
			return what, found
		}
	}
	return "", ""
}

func (v *Curve) wrong(kind Link) (what, found string) {
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if kind == LinkPlatt {
		if !(v.A <= 0) || !finite(v.A) || !finite(v.B) || v.X != nil || v.Y != nil {
			return "a sigmoid that is none", fmt.Sprint(v.A, v.B)
		}
		return "", ""
	}
	if v.A != 0 || v.B != 0 || len(v.X) == 0 || len(v.X) != len(v.Y) {
		return "a curve whose knots do not pair", fmt.Sprintf("%d and %d", len(v.X), len(v.Y))
	}
	for i, x := range v.X {
		y := v.Y[i]
		if !finite(x) || !(y >= 0 && y <= 1) || i > 0 && (x <= v.X[i-1] || y < v.Y[i-1]) {
			return "a knot out of order or range", fmt.Sprint(x, y)
		}
	}
	return "", ""
}

// at is the probability of a score, and that of the contrary.
func (v *Curve) at(kind Link, z float64) (p, q float64) {
	switch {
	case math.IsNaN(z):
		return z, z
	case kind == LinkPlatt:
		if v.A == 0 { // not 0·∞
			z = 0
		}
		return sigmoids(-(float64(v.A*z) + v.B))
	}
	p = v.between(z)
	return p, 1 - p
}

// between is the height of the knots at z.
func (v *Curve) between(z float64) float64 {
	i, hit := slices.BinarySearch(v.X, z)
	switch {
	case hit:
		return v.Y[i]
	case i == 0:
		return v.Y[0]
	case i == len(v.X):
		return v.Y[i-1]
	}
	lo, hi := v.X[i-1], v.X[i]
	share := (z/2 - lo/2) / (hi/2 - lo/2) // halves, for the difference of two numbers may be none
	if hi-lo <= math.MaxFloat64 {
		share = (z - lo) / (hi - lo)
	}
	return min(v.Y[i], v.Y[i-1]+float64(share*(v.Y[i]-v.Y[i-1])))
}

// sigmoids is 1/(1+e^-z) and 1/(1+e^z), each exact however small.
func sigmoids(z float64) (p, q float64) {
	e := math.Exp(-math.Abs(z))
	large, small := 1/(1+e), e/(1+e)
	if z < 0 {
		return small, large
	}
	return large, small
}

// link writes the probabilities of the classes by logistic or softmax into p.
func (c *Calibration) link(p, scores []float64) {
	if len(scores) == 1 {
		p[0], p[1] = sigmoids(scores[0])
		settle(p)
	} else {
		best := slices.Max(scores)
		for k, z := range scores {
			p[k] = math.Exp(z - best)
		}
		normalise(p)
	}
}

// bend writes the probabilities that the curves give the margins (the score of
// two classes) into p, which may be the margins themselves.
func (c *Calibration) bend(p, margins []float64) {
	if len(margins) == 1 {
		p[0], p[1] = c.Curves[0].at(c.Kind, margins[0])
		settle(p)
	} else {
		for k, z := range margins {
			p[k], _ = c.Curves[k].at(c.Kind, z)
		}
		normalise(p)
	}
}

// settle makes both classes as likely where the score is no number.
func settle(p []float64) {
	if math.IsNaN(p[0]) {
		even(p)
	}
}

// Margins writes for every class its score less the best other one; a score
// without any other is its own margin.
func Margins(dst, scores []float64) {
	first, second := 0, -1
	for k, z := range scores {
		switch {
		case k == 0:
		case z > scores[first]:
			first, second = k, first
		case second < 0 || z > scores[second]:
			second = k
		}
	}
	for k, z := range scores {
		rival := first
		if k == first {
			rival = second
		}
		dst[k] = z
		if rival >= 0 {
			dst[k] -= scores[rival]
		}
	}
}

// normalise divides by the sum; where it is nothing, or no number, every class
// is as likely.
func normalise(p []float64) {
	sum := 0.0
	for _, v := range p {
		sum += v
	}
	if !(sum > 0) {
		even(p)
		return
	}
	for k := range p {
		p[k] /= sum
	}
}

func even(p []float64) {
	for k := range p {
		p[k] = 1 / float64(len(p))
	}
}

// String tells in a line how the probabilities come about.
func (c *Calibration) String() string {
	var b strings.Builder
	b.WriteString(string(c.Kind))
	switch {
	case c.Kind == LinkLogistic:
		b.WriteString(", 1/(1 + e^-z) of the score z")
	case c.Kind == LinkSoftmax:
		b.WriteString(", e^z of the scores z over their sum")
	case c.Kind == LinkPlatt && len(c.Curves) == 1:
		sign, v := '+', c.Curves[0]
		if v.B < 0 {
			sign = '−'
		}
		fmt.Fprintf(&b, ", 1/(1 + e^(%.6g·z %c %.6g)) of the score z", v.A, sign, math.Abs(v.B))
	case c.Kind == LinkPlatt:
		fmt.Fprintf(&b, ", %d sigmoids of the margins over the best other class", len(c.Curves))
	case len(c.Curves) == 1:
		fmt.Fprintf(&b, ", %d knots from %.6g to %.6g", len(c.Curves[0].X), c.Curves[0].Y[0], c.Curves[0].Y[len(c.Curves[0].Y)-1])
	default:
		fmt.Fprintf(&b, ", %d curves of the margins over the best other class", len(c.Curves))
	}
	if c.Folds > 0 {
		fmt.Fprintf(&b, "; fitted on the scores of %d folds left out", c.Folds)
	}
	return b.String()
}
