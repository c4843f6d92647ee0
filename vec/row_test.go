package vec

import (
	"math"
	"slices"
	"testing"
)

// pairs is the row as feature, value, feature, value …
func pairs(x Row) []float64 {
	out := []float64{}
	for j, v := range x.All() {
		out = append(out, float64(j), v)
	}
	return out
}

func TestBuffer(t *testing.T) {
	for _, c := range []struct {
		name    string
		in, out []float64
	}{
		{"nothing", nil, nil},
		{"rising", []float64{0, 1, 3, 2}, []float64{0, 1, 3, 2}},
		{"sorting", []float64{7, 1, 3, 2, 5, 3}, []float64{3, 2, 5, 3, 7, 1}},
		{"summing repeats", []float64{2, 1, 0, 4, 2, 1, 2, 1}, []float64{0, 4, 2, 3}},
		{"repeats in order", []float64{4, 1, 4, 1}, []float64{4, 2}},
		{"zeros", []float64{0, 0, 1, 5, 2, 0}, []float64{1, 5}},
		{"cancelling", []float64{1, 2, 0, 3, 1, -2}, []float64{0, 3}},
		{"all cancels", []float64{1, 2, 1, -2}, nil},
		{"largest feature", []float64{math.MaxUint32, 1, 0, 2}, []float64{0, 2, math.MaxUint32, 1}},
		// Added in this order the sum is 1; in the other, 0.
		{"order of adding", []float64{3, 1e16, 3, -1e16, 3, 1, 1, 1}, []float64{1, 1, 3, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b Buffer
			for range 2 { // the second time in used memory
				b.Reset()
				for k := 0; k < len(c.in); k += 2 {
					b.Add(uint32(c.in[k]), c.in[k+1])
				}
				x := b.Row()
				if got := pairs(x); !slices.Equal(got, c.out) {
					t.Errorf("got %v, want %v", got, c.out)
				}
				if err := x.Check(); err != nil {
					t.Errorf("not a row: %v", err)
				}
			}
		})
	}
}

func TestBufferZeroValue(t *testing.T) {
	var b Buffer
	b.Add(2, 1)
	b.Add(1, 1)
	if got, want := pairs(b.Row()), []float64{1, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBufferAddRow(t *testing.T) {
	var b Buffer
	b.Reset()
	b.AddRow(Row{Idx: []uint32{0, 2}}, 10)
	b.AddRow(Row{Val: []float64{5, 6}}, 0)
	if got, want := pairs(b.Row()), []float64{0, 5, 1, 6, 10, 1, 12, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestBufferDoesNotAllocate(t *testing.T) {
	var b Buffer
	fill := func() {
		b.Reset()
		for k := range uint32(100) {
			b.Add(k*37%50, 1)
		}
		b.Row()
	}
	fill()
	if n := testing.AllocsPerRun(20, fill); n > 0 {
		t.Errorf("%v allocations a row in used memory", n)
	}
}

func TestTrim(t *testing.T) {
	sparse := Row{Idx: []uint32{1, 4, 7}, Val: []float64{10, 40, 70}}
	for _, c := range []struct {
		x    Row
		dim  int
		want []float64
	}{
		{sparse, 8, []float64{1, 10, 4, 40, 7, 70}},
		{sparse, 7, []float64{1, 10, 4, 40}},
		{sparse, 5, []float64{1, 10, 4, 40}},
		{sparse, 4, []float64{1, 10}},
		{sparse, 0, nil},
		{Row{Idx: []uint32{1, 4}}, 2, []float64{1, 1}},
		{Row{Val: []float64{1, 2, 3}}, 2, []float64{0, 1, 1, 2}},
		{Row{}, 0, nil},
	} {
		x := c.x.Trim(c.dim)
		if got := pairs(x); !slices.Equal(got, c.want) {
			t.Errorf("%v trimmed to %d: got %v, want %v", c.x, c.dim, got, c.want)
		}
		if x.Dim() > c.dim {
			t.Errorf("%v trimmed to %d has dimension %d", c.x, c.dim, x.Dim())
		}
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		x    Row
		want string
	}{
		{Row{}, ""},
		{Row{Val: []float64{1, 2}}, ""},
		{Row{Idx: []uint32{0, 5}}, ""},
		{Row{Idx: []uint32{0, 5}, Val: []float64{1}}, "2 indices beside 1 values"},
		{Row{Val: []float64{1, math.NaN()}}, "feature 2 has the value NaN; values must be finite"},
		{Row{Val: []float64{math.Inf(-1)}}, "feature 1 has the value -Inf; values must be finite"},
		{Row{Idx: []uint32{3}, Val: []float64{0}}, "feature 4 is stored with the value 0; leave it out"},
		{Row{Idx: []uint32{3, 3}}, "feature 4 does not come after feature 4"},
		{Row{Idx: []uint32{3, 1}}, "feature 2 does not come after feature 4"},
	} {
		got := ""
		if err := c.x.Check(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.x, got, c.want)
		}
	}
}

func TestDense(t *testing.T) {
	for _, c := range []struct {
		values, want []float64
		dense        bool
	}{
		{nil, nil, true},
		{[]float64{1, 2}, []float64{0, 1, 1, 2}, true},
		{[]float64{0, 2, 0}, []float64{1, 2}, false},
		{[]float64{0}, nil, false},
	} {
		x := Dense(c.values...)
		if got := pairs(x); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.values, got, c.want)
		}
		if (x.Idx == nil) != c.dense {
			t.Errorf("%v: dense is %v, want %v", c.values, x.Idx == nil, c.dense)
		}
		if err := x.Check(); err != nil {
			t.Errorf("%v: %v", c.values, err)
		}
	}
}

func TestAllStops(t *testing.T) {
	n := 0
	for j, v := range (Row{Idx: []uint32{4, 6, 9}}).All() {
		if n++; j != 4 || v != 1 {
			t.Errorf("got %d, %v", j, v)
		}
		break
	}
	if n != 1 {
		t.Errorf("went on after break")
	}
}
