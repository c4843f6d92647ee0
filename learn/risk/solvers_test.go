package risk

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/learn/risk/loss"
	"github.com/halfspace-ml/halfspace/learn/risk/solve"
)

var penalties = []string{"l2", "l1", "elastic", "none"}

// asks is every question; the tolerance is one that rounding allows.
func asks(cs ...float64) (all []ask) {
	for _, l := range loss.All {
		for _, p := range penalties {
			for _, bias := range biases {
				for _, c := range cs {
					a := ask{l, p, bias, c, 1e-9}
					if p == "none" { // then it is for the gradient
						a.tol = 1e-5
					}
					all = append(all, a)
				}
			}
		}
	}
	return all
}

func (a ask) String() string {
	return fmt.Sprintf("%s, %s, bias %d, C = %v", a.loss.Name(), a.penalty, a.bias, a.c)
}

// able are the solvers that can do a task.
func able(t *solve.Task) (list []solve.Solver) {
	for _, s := range solve.All {
		if s.Cannot(t) == "" {
			list = append(list, s)
		}
	}
	return list
}

// Whatever solvers can do a task find the same least value, and their bounds
// hold for each other. Coordinate descent on multipliers may not get there with
// a large C, and then says so.
func TestSolversAgree(t *testing.T) {
	for _, p := range problems() {
		for _, a := range asks(1e-3, 1, 1e3) {
			agree(t, p.name+": "+a.String(), a.task(p.set), func(s solve.Solver) bool { return s.Name == "dual" && a.c == 1e3 })
		}
	}
}

func agree(t *testing.T, name string, task *solve.Task, mayFail func(solve.Solver) bool) {
	solvers := able(task)
	found := make([]outcome, len(solvers))
	least := math.Inf(1)
	for k, s := range solvers {
		found[k] = minimise(context.Background(), task, s, solve.Point{}, 3000, nil)
		least = min(least, found[k].cert.Primal)
	}
	zero := Certify(task, solve.Point{W: make([]float64, task.Set.Dim())})
	for k, s := range solvers {
		out := &found[k]
		rounding := 1e-13 * zero.Primal
		if out.cert.HasDual && out.cert.Dual > least*(1+1e-12)+rounding {
			t.Errorf("%s: %s proves that nothing is below %v, but %v is", name, s.Name, out.cert.Dual, least)
		}
		switch {
		case out.separated:
		case !out.reached && !mayFail(s):
			t.Errorf("%s: %s ended after %d loops with a gap of %.1e, a slope of %.1e", name, s.Name, out.epochs, out.cert.RelativeGap(), out.cert.Slope)
		case out.reached && out.cert.Primal > least*(1+1e-8)+rounding:
			t.Errorf("%s: %s has %v, another %v", name, s.Name, out.cert.Primal, least)
		}
	}
}

// Multipliers that sleep at their bounds are woken when it is time: also with a
// free bias, which moves under them, and when no gap is small enough.
func TestShrinking(t *testing.T) {
	for _, p := range problems() {
		for _, l := range loss.All {
			for _, bias := range biases {
				for _, c := range []float64{1e-3, 0.1, 1} {
					a := ask{l, "l2", bias, c, 1e-300}
					out := minimise(context.Background(), a.task(p.set), solve.Dual, solve.Point{}, 3000, nil)
					if gap := out.cert.RelativeGap(); gap > 1e-9 {
						t.Errorf("%s: %s: gap %v after %d loops", p.name, a, gap, out.epochs)
					}
				}
			}
		}
	}
}

// A start, good or bad, weights or multipliers, does not change the answer.
func TestWarmStart(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, p := range problems() {
		for _, a := range asks(1) {
			task := a.task(p.set)
			for _, s := range able(task) {
				cold := minimise(context.Background(), task, s, solve.Point{}, 3000, nil)
				if cold.separated || cold.cert.Primal < 1e-9 {
					continue
				}
				far := solve.Point{W: make([]float64, p.set.Dim()), Alpha: make([]float64, p.set.Len())}
				for j := range far.W {
					far.W[j] = r.NormFloat64()
				}
				if a.bias != solve.Without {
					far.Bias = r.NormFloat64()
				}
				for i := range far.Alpha {
					far.Alpha[i] = 3*r.Float64() - 1 // some outside their domain
				}
				end := solve.Point{W: slices.Clone(cold.point.W), Bias: cold.point.Bias, Alpha: slices.Clone(cold.point.Alpha)}
				for _, start := range []solve.Point{far, end} {
					warm := minimise(context.Background(), task, s, start, 3000, nil)
					if !warm.reached || math.Abs(warm.cert.Primal-cold.cert.Primal) > 1e-8*cold.cert.Primal {
						t.Errorf("%s: %s, %s: %v from a start (reached: %v, gap %.1e, slope %.1e), %v from nothing", p.name, a, s.Name, warm.cert.Primal, warm.reached, warm.cert.RelativeGap(), warm.cert.Slope, cold.cert.Primal)
					}
				}
			}
		}
	}
}

var flag = regexp.MustCompile(`--(solver|loss|penalty) ([a-z0-9-]+)`)

// Every combination has a solver by itself or is refused in words; the words
// name flags, and whoever follows any of them comes to an answer.
func TestEveryCombination(t *testing.T) {
	set := problems()[1].set
	refused := map[string]bool{}
	for _, l := range loss.All {
		for _, p := range penalties {
			for _, bias := range []string{"free", "penalised"} {
				for _, s := range append([]string{"auto"}, solverNames()...) {
					o := Options{C: 1, Penalty: p, Ratio: 0.5, Bias: bias, Solver: s, Tol: 1e-4}
					if err := way(t, o, l, set, 0); err != nil && s == "auto" {
						refused[l.Name()+" "+p] = true
					}
				}
			}
		}
	}
	want := map[string]bool{
		"hinge l1": true, "hinge elastic": true, "hinge none": true,
		"perceptron l1": true, "perceptron elastic": true, "perceptron none": true,
	}
	if fmt.Sprint(refused) != fmt.Sprint(want) {
		t.Errorf("refused: %v, want %v", refused, want)
	}
}

func solverNames() (names []string) {
	for _, s := range solve.All {
		names = append(names, s.Name)
	}
	return names
}

// way follows the advice of a refusal until there is none.
func way(t *testing.T, o Options, l loss.Loss, set *data.Set, steps int) error {
	_, err := o.solver(o.task(&halfspace.Run{Set: set}, l))
	if err == nil {
		return nil
	}
	if !errors.Is(err, halfspace.ErrParams) {
		t.Errorf("not known for wrong use: %v", err)
	}
	name := fmt.Sprintf("%s, %s, %s", l.Name(), o.Penalty, o.Solver)
	flags := flag.FindAllStringSubmatch(err.Error(), -1)
	if len(flags) == 0 || !strings.Contains(err.Error(), "; use --") {
		t.Errorf("%s: no way out: %v", name, err)
	}
	if steps > 3 {
		t.Errorf("%s: the advice leads in circles: %v", name, err)
		return err
	}
	for _, f := range flags {
		next, other := o, l
		switch f[1] {
		case "solver":
			next.Solver = f[2]
		case "penalty":
			next.Penalty = f[2]
		case "loss":
			other = loss.Named(f[2])
		}
		way(t, next, other, set, steps+1)
	}
	return err
}

// Workers do not change a bit.
func TestWorkers(t *testing.T) {
	set := draw(11, 3000, 4, 1, 0.5, nil)
	for _, a := range []ask{
		{loss.Hinge{}, "l2", solve.Free, 0.1, 1e-6}, {loss.Logistic{}, "l2", solve.Free, 1, 1e-6},
		{loss.SquaredHinge{}, "l1", solve.Free, 1, 1e-6}, {loss.Hinge{}, "l2", solve.Penalised, 0.01, 1e-4},
	} {
		for _, s := range able(a.task(set)) {
			var first outcome
			for _, workers := range []int{1, 2, 8} {
				task := a.task(set)
				task.Workers = workers
				out := minimise(context.Background(), task, s, solve.Point{}, 100, nil)
				if workers == 1 {
					first = out
				}
				if !slices.Equal(out.point.W, first.point.W) || out.point.Bias != first.point.Bias || out.cert.Dual != first.cert.Dual || out.epochs != first.epochs {
					t.Errorf("%s, %s: %d workers give other bits", a, s.Name, workers)
				}
			}
		}
	}
}

// A solver that is stopped in the middle leaves its best point with the gap that
// it has.
func TestStoppedInTheMiddle(t *testing.T) {
	for _, a := range asks(10) {
		task := a.task(problems()[1].set)
		for _, s := range able(task) {
			ctx, cancel := context.WithCancel(context.Background())
			calls := 0
			out := minimise(ctx, task, s, solve.Point{}, 3000, func(solve.Progress, bool) {
				if calls++; calls == 2 {
					cancel()
				}
			})
			cancel()
			again := Certify(task, out.point)
			if again.Primal != out.cert.Primal || math.Abs(again.Dual-out.cert.Dual) > 1e-12*math.Abs(out.cert.Primal) {
				t.Errorf("%s, %s: stopped with [%v, %v], which is [%v, %v]", a, s.Name, out.cert.Dual, out.cert.Primal, again.Dual, again.Primal)
			}
			if zero := Certify(task, solve.Point{W: make([]float64, task.Set.Dim())}); out.cert.Primal > zero.Primal*(1+1e-12) && s.Name != "dual" {
				t.Errorf("%s, %s: stopped at %v, worse than no weights, %v", a, s.Name, out.cert.Primal, zero.Primal)
			}
			if calls > 2 {
				t.Errorf("%s, %s: %d loops after the end", a, s.Name, calls-2)
			}
		}
	}
}
