package joint

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learntest"
)

// overlapping is a cloud of three classes in which every fifth example has
// moved to the next class, with weights.
func overlapping() *data.Set {
	s := learntest.Cloud(200, 4, 3, 31)
	b := data.NewBuilder(nil)
	b.Declare(s.Classes()...)
	for i := range s.Len() {
		class := s.Class(i)
		if i%5 == 0 {
			class = (class + 1) % 3
		}
		b.Add(s.Row(i), []byte(s.Classes()[class]), float64(1+i%3))
	}
	return b.Set(s.Input())
}

var (
	losses  = map[string]loss{"softmax": softmax{}, "crammer-singer": crammerSinger{}}
	solvers = map[string]solver{"softmax": newtonSolve, "crammer-singer": multipliersSolve}
	biases  = map[string]func(*halfspace.Run, *Options){
		"without":   func(r *halfspace.Run, _ *Options) { r.NoBias = true },
		"free":      func(*halfspace.Run, *Options) {},
		"penalised": func(_ *halfspace.Run, o *Options) { o.Penalised = true },
	}
)

// least is a problem, a point at its least value, and its certificate.
func least(t *testing.T, l loss, s solver, bias func(*halfspace.Run, *Options)) (*problem, []float64, certificate) {
	t.Helper()
	run, o := &halfspace.Run{Set: overlapping()}, &Options{C: 0.7, Epochs: 300}
	bias(run, o)
	p := o.problem(run, l)
	f := &fitting{problem: p, opt: o, run: run, best: certificate{primal: math.Inf(1), dual: math.Inf(-1)}}
	f.tol = 1e-12
	s(context.Background(), p, p.point(nil), f.look)
	if !f.reached() {
		t.Fatalf("not solved: %+v", f.best)
	}
	return p, f.x, f.best
}

// The certificate of any point and any multipliers, feasible or not, has the
// least value between its two sides.
func TestCertificateOfAnyPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, l := range losses {
		for kind, bias := range biases {
			p, x, best := least(t, l, solvers[name], bias)
			value := best.primal
			if c := certify(p, x, nil); c.primal-c.dual < -1e-12*value {
				t.Errorf("%s, %s: the gap at the least value is %v", name, kind, c.primal-c.dual)
			}
			s := make([]float64, p.set.Len()*p.classes)
			for _, size := range []float64{1e-9, 1e-6, 1e-3, 1, 1e3} {
				for try := range 20 {
					y := slices.Clone(x)
					for j := range y {
						y[j] += size * r.NormFloat64()
					}
					for j := range s {
						s[j] = r.NormFloat64()
					}
					given := s
					if try%2 == 0 {
						given = nil
					}
					c := certify(p, y, given)
					if c.primal < value*(1-1e-11) || c.dual > value*(1+1e-11) || math.IsNaN(c.dual) {
						t.Fatalf("%s, %s, %g from the least value %v: %+v", name, kind, size, value, c)
					}
				}
			}
		}
	}
}

// Near the least value of a smooth loss the bound is as near as the point: the
// mending of free biases does not spoil it.
func TestMendingIsOfSecondOrder(t *testing.T) {
	p, x, best := least(t, softmax{}, newtonSolve, biases["free"])
	gap := func(size float64) float64 {
		y := slices.Clone(x)
		for k := range p.classes {
			y[(k+1)*p.stride-1] += size * float64(k*k)
		}
		c := certify(p, y, nil)
		return (c.primal - c.dual) / best.primal
	}
	if a, b := gap(1e-2), gap(1e-4); !(a > 0) || b > 1e-3*a {
		t.Errorf("biases off by 1e-2 give a gap of %v, off by 1e-4 of %v", a, b)
	}
}

func TestBalance(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	run := &halfspace.Run{Set: overlapping()}
	p := (&Options{C: 2}).problem(run, softmax{})
	for try := range 200 {
		s := make([]float64, p.set.Len()*p.classes)
		for i := range p.set.Len() {
			row := p.row(s, i)
			if try%3 > 0 { // else all are sure of their class
				for k := range row {
					row[k] = r.Float64() * float64(try%3-1+k%2)
				}
			}
			share(row, p.set.Class(i))
		}
		balance(p, s)
		over, sum := make([]float64, p.classes), make([]float64, p.classes)
		p.sums(s, over, sum)
		for k, v := range over {
			if math.Abs(v) > 1e-12*sum[k] {
				t.Fatalf("class %d is off by %v of %v", k, v, sum[k])
			}
		}
		for i := range p.set.Len() {
			total := 0.0
			for k, v := range p.row(s, i) {
				if k == p.set.Class(i) {
					v++
				}
				if v < -1e-15 {
					t.Fatalf("a share of %v", v)
				}
				total += v
			}
			if math.Abs(total-1) > 1e-14 {
				t.Fatalf("shares of %v in all", total)
			}
		}
	}
}

// The derivatives of the costs are those of their values, and the curvatures
// those of the derivatives.
func TestDerivatives(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	run := &halfspace.Run{Set: overlapping()}
	o := &Options{C: 0.7}
	soft := o.problem(run, softmax{})
	hard := o.problem(run, crammerSinger{})
	round := &rounded{problem: hard, sigma: 0.4, a: make([]float64, hard.set.Len()*3)}
	for i := range hard.set.Len() { // where the multipliers were
		row := round.row(round.a, i)
		for k := range row {
			row[k] = r.Float64() / 3
		}
		share(row, hard.set.Class(i))
		for k := range row {
			row[k] *= hard.c[i]
		}
	}
	for name, c := range map[string]cost{"softmax": plain{soft}, "rounded": round} {
		for i := range 200 {
			z, dz := make([]float64, 3), make([]float64, 3)
			for k := range z {
				z[k], dz[k] = 2*r.NormFloat64(), r.NormFloat64()
			}
			at := func(t float64) (value float64, s []float64) {
				s = make([]float64, 3)
				for k := range s {
					s[k] = z[k] + t*dz[k]
				}
				return c.slope(i, s), s
			}
			const step = 1e-5
			_, s := at(0)
			above, sa := at(step)
			below, sb := at(-step)
			if want := (above - below) / (2 * step); math.Abs(dot(s, dz)-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%s: slope %v, want %v", name, dot(s, dz), want)
			}
			u := make([]float64, 3)
			h := c.curve(i, u, s)
			v := make([]float64, 3)
			if c.curve(i, v, sa) != h || c.curve(i, v, sb) != h { // across an edge of the rounding
				continue
			}
			mean := dot(u, dz)
			for k := range u {
				got, want := h*u[k]*(dz[k]-mean), (sa[k]-sb[k])/(2*step)
				if h == 0 {
					got = 0
				}
				if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%s: curvature %v, want %v", name, got, want)
				}
			}
		}
	}
}

// The projection on shares is the nearest of them: no other is nearer.
func TestWaterline(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 1000 {
		n, c := 2+r.IntN(5), r.Float64()+0.1
		v := make([]float64, n)
		for k := range v {
			v[k] = r.NormFloat64()
		}
		level := waterline(v, c)
		sum := 0.0
		for _, u := range v {
			sum += max(0, u-level)
		}
		if math.Abs(sum-c) > 1e-14 { // with a water level, it is the projection
			t.Fatalf("%v: level %v holds %v, want %v", v, level, sum, c)
		}
	}
	for range 100000 { // rounding must not keep it from ending
		v := make([]float64, 4)
		for k := range v {
			v[k] = float64(r.IntN(8))*0x1p-3 + 0x1p48*float64(r.IntN(3))
		}
		if level := waterline(v, r.Float64()); math.IsInf(level, 0) || math.IsNaN(level) {
			t.Fatalf("%v: level %v", v, level)
		}
	}
}
