package certificate

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

// Verify returns nil if the certificate is right about s, the set as read, and
// else what is wrong. Cost: one pass over the data for a separator; for
// multipliers, one multiplication of whole numbers for every value of the rows
// that they name.
func (c *Certificate) Verify(s *data.Set) error {
	if c.Version != Version {
		return fmt.Errorf("this is %q and not %q", c.Version, Version)
	}
	if c.Checksum != c.sum() {
		return errors.New("the checksum does not fit: the certificate was changed")
	}
	if err := c.about(s); err != nil {
		return err
	}
	v, err := NewVerifier(s, c.Maps, c.Bias)
	if err != nil {
		return err
	}
	for k := range c.Proofs {
		if err := v.Check(&c.Proofs[k]); err != nil {
			return fmt.Errorf("proof %d: %w", k+1, err)
		}
	}
	return c.follows()
}

// about returns how the data differs from what the certificate names.
func (c *Certificate) about(s *data.Set) error {
	d := Describe(s)
	switch {
	case !slices.Equal(c.Data.Classes, d.Classes):
		return fmt.Errorf("the certificate is about the classes %q, the data has %q%s", c.Data.Classes, d.Classes, c.hint())
	case c.Data.Examples != d.Examples || c.Data.Features != d.Features:
		return fmt.Errorf("the certificate is about %d examples of %d features, the data has %d of %d%s", c.Data.Examples, c.Data.Features, d.Examples, d.Features, c.hint())
	case c.Data.Digest != d.Digest:
		return fmt.Errorf("the certificate is about other data: its digest is %s, the data's %s%s", c.Data.Digest, d.Digest, c.hint())
	case c.Data.Rounded != d.Rounded:
		return fmt.Errorf("the certificate says that %d values were rounded when read, of the data %d are", c.Data.Rounded, d.Rounded)
	}
	return nil
}

func (c *Certificate) hint() string {
	if c.Data.Reading == "" {
		return ""
	}
	return "; it says it was read with " + c.Data.Reading
}

// follows returns why the claim does not follow from the proofs, which hold.
func (c *Certificate) follows() error {
	classes := c.Data.Classes
	about := map[[2]int]bool{}
	joint := ""
	broken := false // some classes cannot be separated
	for k := range c.Proofs {
		p := &c.Proofs[k]
		broken = broken || p.Kind != Separable
		if p.Joint() {
			if joint != "" {
				return errors.New("two joint proofs; there may be one")
			}
			joint = p.Kind
			continue
		}
		pair := [2]int{slices.Index(classes, p.Classes[0]), slices.Index(classes, p.Classes[1])}
		if about[pair] || pair[0] > pair[1] {
			return fmt.Errorf("classes %q have two proofs, or stand in the wrong order", p.Classes)
		}
		about[pair] = true
		if len(classes) == 2 && p.Kind != c.Claim {
			return fmt.Errorf("the claim is %q and the proof shows %q", c.Claim, p.Kind)
		}
	}
	switch {
	case len(c.Proofs) == 0:
		return errors.New("no proof")
	case len(classes) == 2:
		return nil
	case c.Claim == Separable && joint == Separable, c.Claim == NotSeparable && broken, c.Claim == Weakly && joint == Weakly:
		return nil
	}
	return fmt.Errorf("the claim %q does not follow from the proofs", c.Claim)
}

// Verifier checks proofs about one set.
type Verifier struct {
	set    *data.Set   // after the maps
	at     map[int]int // row number → position
	bias   bool
	budget budget
	place  []int // class → its place in the proof, -1: none
}

// NewVerifier is one for proofs about s, the set as read, after maps.
func NewVerifier(s *data.Set, maps []string, bias bool) (*Verifier, error) {
	v := &Verifier{set: s, at: make(map[int]int, s.Len()), bias: bias}
	for i := range s.Len() {
		v.at[s.Number(i)] = i
	}
	if len(maps) > 0 {
		pipeline, err := prep.ParsePipeline(maps...)
		if err != nil {
			return nil, err
		}
		if v.set, err = pipeline.Fit(s); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Check returns what is wrong with one proof, nil if it holds.
func (v *Verifier) Check(p *Proof) error {
	v.budget = budget{}
	if err := v.checkClasses(p); err != nil {
		return err
	}
	shows := func(has bool, what string) error {
		if has {
			return nil
		}
		return fmt.Errorf("a proof of %q needs %s", p.Kind, what)
	}
	weights, multipliers := len(p.Weights) > 0, len(p.Multipliers) > 0
	var err error
	switch p.Kind {
	case Separable:
		err = shows(weights && !multipliers && len(p.Rows) == 0, "weights and no rows")
	case NotSeparable:
		err = shows(multipliers && !weights && len(p.Bias) == 0 && p.Smallest == "", "multipliers and no weights")
	case Weakly:
		err = shows(weights && multipliers, "weights and multipliers")
	default:
		err = fmt.Errorf("a proof of %q is not known; kinds are %q", p.Kind, []string{Separable, Weakly, NotSeparable})
	}
	if err == nil && multipliers {
		err = v.verifyMultipliers(p)
	}
	if err == nil && weights {
		err = v.verifyWeights(p)
	}
	return err
}

// checkClasses: two classes of the set, or all of them.
func (v *Verifier) checkClasses(p *Proof) error {
	classes := v.set.Classes()
	if len(p.Classes) > 2 && !slices.Equal(p.Classes, classes) {
		return fmt.Errorf("a joint proof is about all classes, %q, found %q", classes, p.Classes)
	}
	if len(p.Classes) < 2 || p.Classes[0] == p.Classes[1] {
		return fmt.Errorf("a proof is about two classes or more, found %q", p.Classes)
	}
	v.place = make([]int, len(classes))
	for c, name := range classes {
		v.place[c] = slices.Index(p.Classes, name)
	}
	for _, c := range p.Classes {
		if !slices.Contains(classes, c) {
			return fmt.Errorf("no class %q in the data", c)
		}
	}
	return nil
}

// classOf is the class of example i among those of the proof, -1 if it is of
// none. An example of weight zero is as if it were not there.
func (v *Verifier) classOf(i int) int {
	c := v.set.Class(i)
	if c == data.None || v.set.Weight(i) == 0 {
		return -1
	}
	return v.place[c]
}

// verifyMultipliers checks that the combination is zero.
func (v *Verifier) verifyMultipliers(p *Proof) error {
	n := len(p.Multipliers)
	if len(p.Rows) != n || len(p.Labels) != n {
		return fmt.Errorf("%d multipliers for %d rows with %d labels", n, len(p.Rows), len(p.Labels))
	}
	if p.Joint() != (len(p.Rivals) > 0) || p.Joint() && len(p.Rivals) != n {
		return fmt.Errorf("%d rivals for %d multipliers of %d classes", len(p.Rivals), n, len(p.Classes))
	}
	if most := v.mostRows(p); n > most {
		return fmt.Errorf("%d rows where %d are always enough", n, most)
	}
	terms := make([]term, n)
	seen := map[[2]int]bool{}
	for k := range terms {
		t := &terms[k]
		i, ok := v.at[p.Rows[k]]
		if !ok {
			return fmt.Errorf("no row %d in the data", p.Rows[k])
		}
		t.x, t.class = v.set.Row(i), v.classOf(i)
		if t.class < 0 || p.Classes[t.class] != p.Labels[k] {
			return fmt.Errorf("row %d is not of class %q", p.Rows[k], p.Labels[k])
		}
		t.rival = 1 - t.class
		if p.Joint() {
			t.rival = slices.Index(p.Classes, p.Rivals[k])
		}
		if t.rival < 0 || t.rival == t.class {
			return fmt.Errorf("row %d has the rival %q", p.Rows[k], p.Rivals[k])
		}
		if seen[[2]int{i, t.rival}] {
			return fmt.Errorf("row %d stands twice", p.Rows[k])
		}
		seen[[2]int{i, t.rival}] = true
		var err error
		if t.multiplier, err = v.budget.rational(p.Multipliers[k]); err != nil {
			return err
		}
		if t.multiplier.Sign() <= 0 {
			return fmt.Errorf("the multiplier of row %d is not positive", p.Rows[k])
		}
	}
	return v.cancels(terms, p)
}

// mostRows is Carathéodory's number, one more than the dimension of the
// vectors that cancel.
func (v *Verifier) mostRows(p *Proof) int {
	dim := v.set.Dim()
	if v.bias {
		dim++
	}
	if p.Joint() {
		dim *= len(p.Classes)
	}
	return dim + 1
}

// term is one row of a combination: multiplier·x in the place of its class,
// and against it in the place of the rival.
type term struct {
	x            vec.Row
	class, rival int
	multiplier   *big.Rat
	n            *big.Int // the multiplier times the common denominator
}

// cancels checks that multipliers add up to 1 and their rows to zero.
func (v *Verifier) cancels(terms []term, p *Proof) error {
	common := big.NewInt(1)
	for _, t := range terms {
		den, gcd := t.multiplier.Denom(), new(big.Int)
		gcd.GCD(nil, nil, common, den)
		common.Mul(common, new(big.Int).Quo(den, gcd))
		if common.BitLen() > 4*maxDigits {
			return fmt.Errorf("the common denominator of the multipliers has more than %d digits", maxDigits)
		}
	}
	sums := make([]*big.Int, len(p.Classes)) // of the multipliers, by class
	balance := make([]*big.Int, len(p.Classes))
	for c := range sums {
		sums[c], balance[c] = new(big.Int), new(big.Int)
	}
	total := new(big.Int)
	for k := range terms {
		t := &terms[k]
		t.n = new(big.Int).Quo(common, t.multiplier.Denom())
		t.n.Mul(t.n, t.multiplier.Num())
		sums[t.class].Add(sums[t.class], t.n)
		balance[t.class].Add(balance[t.class], t.n)
		balance[t.rival].Sub(balance[t.rival], t.n)
		total.Add(total, t.n)
	}
	if v.bias {
		for c, b := range balance {
			if b.Sign() != 0 {
				return fmt.Errorf("the multipliers of class %q do not balance those against it", p.Classes[c])
			}
		}
	}
	if v.bias && !p.Joint() {
		total = sums[0]
	}
	if total.Cmp(common) != 0 {
		return errors.New("the multipliers do not add up to 1")
	}
	return v.featuresCancel(terms)
}

// featuresCancel checks every feature.
func (v *Verifier) featuresCancel(terms []term) error {
	least := map[int]int{} // feature → smallest exponent
	for _, t := range terms {
		for j, x := range t.x.All() {
			e := decimalOf(x).exp
			if was, ok := least[j]; !ok || e < was {
				least[j] = e
			}
		}
	}
	type cell struct{ class, feature int }
	sums := map[cell]*big.Int{}
	sum := func(class, feature int) *big.Int {
		c := cell{class, feature}
		if sums[c] == nil {
			sums[c] = new(big.Int)
		}
		return sums[c]
	}
	one, digits := new(big.Int), new(big.Int)
	for _, t := range terms {
		for j, x := range t.x.All() {
			d := decimalOf(x)
			one.Mul(t.n, digits.SetInt64(d.digits))
			if shift := d.exp - least[j]; shift > 0 {
				one.Mul(one, ten(shift))
			}
			to, from := sum(t.class, j), sum(t.rival, j)
			to.Add(to, one)
			from.Sub(from, one)
		}
	}
	first := -1 // the same for every run
	for c, s := range sums {
		if s.Sign() != 0 && (first < 0 || c.feature < first) {
			first = c.feature
		}
	}
	if first >= 0 {
		return fmt.Errorf("the rows do not add up to the same point in feature %s", v.set.Features().Name(first))
	}
	return nil
}

// verifyWeights checks every example.
func (v *Verifier) verifyWeights(p *Proof) error {
	planes, err := v.planes(p)
	if err != nil {
		return err
	}
	smallest, some, err := v.smallest(p, planes)
	if err != nil {
		return err
	}
	told, err := v.budget.rational(p.Smallest)
	if err != nil {
		return fmt.Errorf("smallest: %w", err)
	}
	switch {
	case told.Cmp(smallest) != 0:
		return errors.New("the smallest score is not what the certificate says")
	case p.Kind == Separable && smallest.Sign() <= 0:
		return errors.New("the weights do not put every example strictly on its side")
	case p.Kind == Weakly && smallest.Sign() < 0:
		return errors.New("the weights put an example on the wrong side")
	case p.Kind == Weakly && !some:
		return errors.New("the weights put every example on the plane")
	}
	return nil
}

// Smallest is the least y(w·x + bias) of all examples that the proof's weights
// are about, exactly.
func (v *Verifier) Smallest(p *Proof) (*big.Rat, error) {
	v.budget = budget{}
	if err := v.checkClasses(p); err != nil {
		return nil, err
	}
	planes, err := v.planes(p)
	if err != nil {
		return nil, err
	}
	smallest, _, err := v.smallest(p, planes)
	return smallest, err
}

// planes are what must be positive for the examples of a class (the first
// index) against each rival (the second).
func (v *Verifier) planes(p *Proof) ([][]*plane, error) {
	vectors := len(p.Classes)
	if vectors == 2 {
		vectors = 1
	}
	if len(p.Weights) != vectors || len(p.Bias) != vectors {
		return nil, fmt.Errorf("%d weight vectors and %d biases for %d classes", len(p.Weights), len(p.Bias), len(p.Classes))
	}
	own := make([][]*big.Rat, vectors) // the bias last
	for k := range own {
		if len(p.Weights[k]) != v.set.Dim() {
			return nil, fmt.Errorf("%d weights for %d features", len(p.Weights[k]), v.set.Dim())
		}
		for _, text := range append(slices.Clone(p.Weights[k]), p.Bias[k]) {
			r, err := v.budget.rational(text)
			if err != nil {
				return nil, err
			}
			own[k] = append(own[k], r)
		}
		if !v.bias && own[k][v.set.Dim()].Sign() != 0 {
			return nil, errors.New("a bias in a proof about planes through the origin")
		}
	}
	planes := make([][]*plane, len(p.Classes))
	for c := range planes {
		planes[c] = make([]*plane, len(p.Classes))
		for r := range planes[c] {
			if r == c {
				continue
			}
			var err error
			if vectors > 1 {
				planes[c][r], err = newPlane(own[c], own[r])
			} else if c == 0 {
				planes[c][r], err = newPlane(own[0], nil)
			} else {
				planes[c][r], err = newPlane(nil, own[0])
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return planes, nil
}
