package closed

import (
	"context"
	"math"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// The moments of shards, merged, are those of the whole: RᵀR and the weights of
// the classes. The whole is summed here the plain way.
func TestShardsAddUp(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Declare("a", "b", "c")
	for i := range 2500 {
		x := []float64{float64(i%7) - 2, float64(i%5) * 1.5, float64(i % 3)}
		b.Add(vec.Dense(x...), []byte{"abc"[i*i%3]}, 1+float64(i%2))
	}
	s := b.Set(data.Input{})
	cols, err := newColumns(context.Background(), s, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum := newMoments(cols, 3, 3)
	for _, cut := range [][2]int{{0, 10}, {10, 1700}, {1700, 2500}} {
		shard := newMoments(cols, 3, 3)
		shard.add(context.Background(), s, cut[0], cut[1])
		sum.merge(shard)
	}
	const p = 6
	var want [p][p]float64
	weight := make([]float64, 3)
	row := make([]float64, p)
	for i := range s.Len() {
		clear(row)
		row[s.Class(i)] = 1
		for j := range 3 {
			row[3+j] = -cols.shift[j]
		}
		for j, v := range s.Row(i).All() {
			row[3+j] = v*cols.inverse[j] - cols.shift[j]
		}
		weight[s.Class(i)] += s.Weight(i)
		for j := range p {
			for k := range p {
				want[j][k] += s.Weight(i) * row[j] * row[k]
			}
		}
	}
	for j := range p {
		for k := range p {
			got := 0.0
			for i := range p {
				got += sum.r.Data[i*p+j] * sum.r.Data[i*p+k]
			}
			if math.Abs(got-want[j][k]) > 1e-9 {
				t.Errorf("moment %d, %d is %v, want %v", j, k, got, want[j][k])
			}
		}
	}
	for k := range weight {
		if sum.weight[k] != weight[k] {
			t.Errorf("class %d weighs %v, want %v", k, sum.weight[k], weight[k])
		}
	}
}

// Wide data is factorised in fewer lanes and larger pieces, the same for any
// number of workers.
func TestWideDataOnAnyWorkers(t *testing.T) {
	b := data.NewBuilder(nil)
	for i := range 2100 {
		x := vec.Row{Idx: []uint32{uint32(i % 515), 515}, Val: []float64{1 + float64(i%13), float64(i%17) + 1}}
		b.Add(x, []byte{"ab"[i%2]}, 1)
	}
	s := b.Set(data.Input{})
	var first *moments
	for _, workers := range []int{1, 2} {
		m, err := gather(context.Background(), &halfspace.Run{Set: s, Workers: workers}, true)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		for i, v := range m.r.Data {
			if v != first.r.Data[i] {
				t.Fatalf("%d workers: entry %d is %v and was %v", workers, i, v, first.r.Data[i])
			}
		}
	}
}
