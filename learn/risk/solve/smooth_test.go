package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/penalty"
	"github.com/halfspace-ml/halfspace/vec"
)

// noisy is a task of n random examples.
func noisy(n, d int, l loss.Loss, b Bias) *Task {
	r := rand.New(rand.NewPCG(3, uint64(n)))
	rows := data.NewBuilder(nil)
	rows.Declare("+", "-")
	t := &Task{Loss: l, Penalty: penalty.Ridge, Bias: b, Tol: 1e-6}
	for i := range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = r.NormFloat64()
		}
		rows.Add(vec.Dense(x...), []byte{"+-"[i%2]}, 1)
		t.Y = append(t.Y, float64(1-2*(i%2)))
		t.C = append(t.C, 0.1+r.Float64())
	}
	t.Set = rows.Set(data.Input{})
	return t
}

func start(t *Task, r *rand.Rand) Point {
	pt := Point{W: make([]float64, t.Set.Dim())}
	for j := range pt.W {
		pt.W[j] = r.NormFloat64()
	}
	if t.Bias != Without {
		pt.Bias = r.NormFloat64()
	}
	return pt
}

// The gradient is that of the value, the Hessian and its product with a vector
// that of the gradient: by central differences.
func TestSlopes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range loss.All {
		for _, b := range []Bias{Without, Free, Penalised} {
			task := noisy(50, 4, l, b)
			c := cost(plain{task})
			if !l.Smooth() {
				k, _ := corner(task)
				c = &rounded{Task: task, corner: k, sigma: 0.7, alpha: task.C}
			}
			s := newSmooth(task, c, start(task, r))
			slopesBy(t, l.Name(), s, r)
		}
	}
}

func slopesBy(t *testing.T, name string, s *smooth, r *rand.Rand) {
	const h = 1e-6
	g := append([]float64(nil), s.g...)
	s.bend()
	full, d := s.hessian(), len(s.x)
	p, hp := make([]float64, d), make([]float64, d)
	for j := range p {
		p[j] = r.NormFloat64()
	}
	s.product(hp, p)
	at := func(j int, v float64) (float64, []float64) {
		old := s.x[j]
		s.x[j] = v
		s.at()
		s.x[j] = old
		return s.value, append([]float64(nil), s.g...)
	}
	want := make([]float64, d) // H·p
	for j, x := range s.x {
		up, gUp := at(j, x+h)
		down, gDown := at(j, x-h)
		if slope := (up - down) / (2 * h); math.Abs(slope-g[j]) > 1e-6*(1+math.Abs(slope)) {
			t.Errorf("%s, bias %d: slope %d is %v, by differences %v", name, s.Bias, j, g[j], slope)
		}
		for k := range s.x {
			bent := (gUp[k] - gDown[k]) / (2 * h)
			if have := full[min(j, k)*d+max(j, k)]; math.Abs(bent-have) > 1e-4*(1+math.Abs(bent)) {
				t.Errorf("%s, bias %d: H %d %d is %v, by differences %v", name, s.Bias, j, k, have, bent)
			}
			want[k] += bent * p[j]
		}
	}
	for j := range want {
		if math.Abs(want[j]-hp[j]) > 1e-4*(1+math.Abs(want[j])) {
			t.Errorf("%s, bias %d: H·p in %d is %v, by differences %v", name, s.Bias, j, hp[j], want[j])
		}
	}
}

// Conjugate gradients and the factor solve the same system.
func TestDirections(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, b := range []Bias{Without, Free, Penalised} {
		task := noisy(200, 6, loss.Logistic{}, b)
		s := newSmooth(task, plain{task}, start(task, r))
		s.first = 1e30 // to the last digit
		s.bend()
		if !s.cholesky() {
			t.Fatal("no factor")
		}
		factored := append([]float64(nil), s.dir...)
		s.conjugate(t.Context())
		for j, v := range s.dir {
			if math.Abs(v-factored[j]) > 1e-8*vec.Norm(factored) {
				t.Errorf("bias %d: %v by conjugate gradients, %v by the factor", b, s.dir, factored)
				break
			}
		}
	}
}

// Where there is no curvature at all, there is still a way down.
func TestFlat(t *testing.T) {
	task := noisy(20, 3, loss.ModifiedHuber{}, Free)
	task.Penalty = penalty.None
	far := Point{W: []float64{0, 0, 0}, Bias: 50} // one class is flat at 0, the other a straight line
	s := newSmooth(task, plain{task}, far)
	if s.bend(); len(s.bent) != 0 {
		t.Fatalf("%d examples have curvature; the test is for none", len(s.bent))
	}
	before := s.value
	if !s.newtonStep(t.Context()) || !(s.value < before) {
		t.Errorf("from %v to %v", before, s.value)
	}
}

// logisticStep is where the slope of the dual is zero, or the end that it is
// drawn to beyond numbers.
func TestLogisticStep(t *testing.T) {
	for _, c := range []float64{1e-6, 1, 1e6} {
		for _, m := range []float64{-1e5, -700, -3, 0, 1e-9, 2, 700, 1e5} {
			for _, q := range []float64{0, 1e-3, 1, 1e4} {
				for _, share := range []float64{0, 1e-9, 0.5, 1} {
					a := share * c
					to := logisticStep(a, c, m, q)
					if !(to >= 0 && to <= c) {
						t.Fatalf("α %v of %v", to, c)
					}
					slope := func(a float64) float64 { return m + q*(a-share*c) + math.Log(a/(c-a)) }
					// It rises through zero between the neighbours of the answer.
					low, high := to*(1-1e-9), c-(c-to)*(1-1e-9)
					if to > 0 && low > 0 && slope(low) > 1e-9*(1+math.Abs(m)+q*c) || to < c && high < c && slope(high) < -1e-9*(1+math.Abs(m)+q*c) {
						t.Errorf("C %v, m %v, q %v, from %v: α %v, slopes %v and %v around it", c, m, q, a, to, slope(low), slope(high))
					}
				}
			}
		}
	}
}

// bestBias is the bias of the least loss: no other near or far has less.
func TestBestBias(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, l := range loss.All {
		task := noisy(40, 3, l, Free)
		pt := start(task, r)
		m := make([]float64, task.Set.Len())
		value := func(b float64) float64 {
			task.Margins(m, pt.W, b)
			return task.Value(Point{W: pt.W, Bias: b}, m)
		}
		best := task.bestBias(pt)
		for _, by := range []float64{1e-6, 1e-3, 0.1, 1, 10} {
			for _, b := range []float64{best - by, best + by, pt.Bias} {
				if value(b) < value(best)-1e-12 {
					t.Errorf("%s: %v at bias %v, %v at %v", l.Name(), value(best), best, value(b), b)
				}
			}
		}
	}
}
