package data

import (
	"fmt"
	"slices"
	"testing"

	"github.com/halfspace-ml/halfspace/vec"
)

// three is three classes, some values zero, the last example without features.
func three() *Set {
	b := NewBuilder(NewFeatures("f", "g"))
	b.Declare("a", "b", "c")
	b.Add(vec.Dense(1, 2), []byte("b"), 1)
	b.Add(vec.Dense(0, -3), []byte("a"), 1)
	b.Add(vec.Dense(5, 0.1), []byte("c"), 1)
	b.Add(vec.Dense(4, 7), []byte("a"), 1)
	b.Add(vec.Row{}, []byte("b"), 1)
	return b.Set(Input{})
}

func classesOf(s *Set) (all []string) {
	for i := range s.Len() {
		all = append(all, fmt.Sprintf("%d:%s", s.Number(i), s.Classes()[s.Class(i)]))
	}
	return all
}

func TestTwoClassViews(t *testing.T) {
	s := three().Pick([]uint32{4, 3, 2, 1, 0})
	for _, c := range []struct {
		view *Set
		want []string
	}{
		{s.Against(0), []string{"5:not a", "4:a", "3:not a", "2:a", "1:not a"}},
		{s.Against(2), []string{"5:not c", "4:not c", "3:c", "2:not c", "1:not c"}},
		{s.Between(0, 1), []string{"5:b", "4:a", "2:a", "1:b"}},
		{s.Between(2, 0), []string{"4:a", "3:c", "2:a"}},
	} {
		if got := classesOf(c.view); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
		if c.view.rows != s.rows {
			t.Error("the rows were copied")
		}
	}
	if v := s.Between(2, 0); v.Classes()[0] != "c" || v.Classes()[1] != "a" {
		t.Errorf("classes %q: the first must be positive", v.Classes())
	}
}

// The vectors of Kesler's construct are those of document 004 written out in
// full, bit for bit: +x̃ in the block of the class, −x̃ in the rival's, all
// turned round for the second of the two classes.
func TestDuelsAreKeslersVectors(t *testing.T) {
	plain := three().Pick([]uint32{1, 0, 2, 4, 3})
	weighted := plain.WithWeights(func(i int) float64 { return float64(i) + 0.5 })
	for _, s := range []*Set{plain, weighted, plain.Map(plain.Features(), func(dst *vec.Buffer, x vec.Row) {
		for j := range x.All() {
			dst.Add(uint32(j), 1) // all ones, no values stored
		}
	})} {
		for _, bias := range []bool{true, false} {
			d := s.Duels(bias)
			size := s.Dim()
			if bias {
				size++
			}
			if d.Len() != s.Len()*2 || d.Dim() != 3*size || d.Nonzeros() != s.DuelEntries(bias) || d.Weighted() != s.Weighted() {
				t.Fatalf("%d vectors of %d features, %d values of %d, weighted %v", d.Len(), d.Dim(), d.Nonzeros(), s.DuelEntries(bias), d.Weighted())
			}
			at, sides := 0, [2]int{}
			for i := range s.Len() {
				x := make([]float64, size)
				for j, v := range s.Row(i).All() {
					x[j] = v
				}
				if bias {
					x[size-1] = 1
				}
				for rival := range 3 {
					if rival == s.Class(i) {
						continue
					}
					y := float64(1 - 2*d.Class(at))
					gamma := make([]float64, 3*size)
					for j, v := range x {
						gamma[s.Class(i)*size+j] = y * v
						gamma[rival*size+j] = -y * v
					}
					got := make([]float64, 3*size)
					for j, v := range d.Row(at).All() {
						got[j] = v
					}
					if err := d.Row(at).Check(); err != nil || !slices.Equal(got, gamma) || d.Weight(at) != s.Weight(i) {
						t.Errorf("bias %v, vector %d: %v with weight %v (%v), want %v with %v", bias, at, got, d.Weight(at), err, gamma, s.Weight(i))
					}
					sides[d.Class(at)]++
					at++
				}
			}
			if sides != [2]int{5, 5} {
				t.Errorf("%v vectors on the two sides", sides)
			}
		}
	}
	if name := plain.Duels(true).Features().Name(4); name != "b: g" {
		t.Errorf("feature 4 is called %q", name)
	}
	if name := plain.Duels(true).Features().Name(5); name != "b: bias" {
		t.Errorf("feature 5 is called %q", name)
	}
}
