package prep_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/vec"
)

func twoByTwo() *data.Set {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1, 1, -1, -1), []byte("top"), 1)
	b.Add(vec.Dense(-1, -1, 1, -1), []byte("bottom"), 1)
	return b.Set(data.Input{})
}

func ExampleParse() {
	m, _ := prep.Parse("rows:2")
	s := twoByTwo()
	if err := m.Fit(s); err != nil {
		fmt.Println(err)
	}
	fmt.Println(prep.Pipeline{m}.Row(s.Row(0)).Val)
	_, err := prep.Parse("row:2")
	fmt.Println(err)
	// Output:
	// [1 1 -1 -1 1 -1]
	// no feature map "row"; did you mean rows?
}

func ExamplePipeline() {
	p, _ := prep.ParsePipeline("rows:2", "dummy")
	s, _ := p.Fit(twoByTwo())
	fmt.Println(strings.Join(s.Features().Names(), " "))
	for i := range s.Len() {
		fmt.Println(s.Row(i).Val)
	}
	text, _ := json.Marshal(p)
	fmt.Println(string(text))
	// Output:
	// x1 x2 x3 x4 row1 row2 dummy
	// [1 1 -1 -1 1 -1 1]
	// [-1 -1 1 -1 -1 1 1]
	// [{"map":"rows","width":2,"in":4},{"map":"dummy","in":6}]
}

func ExamplePipeline_Unfolded() {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(10, 3), nil, 1)
	b.Add(vec.Dense(30, 7), nil, 1)
	raw := b.Set(data.Input{})

	p, _ := prep.ParsePipeline("standardise")
	scaled, _ := p.Fit(raw)
	w, bias := []float64{1, 2}, 0.0 // learnt on the scaled rows
	fmt.Println(scaled.Row(0).Val, vec.Dot(w, scaled.Row(0))+bias)

	rest, folders := p.Unfolded()
	for _, f := range folders {
		f.Fold(w, &bias)
	}
	fmt.Println(len(rest), w, bias, vec.Dot(w, raw.Row(0))+bias)
	// Output:
	// [-1 -1] -3
	// 0 [0.1 1] -7 -3
}

func ExampleProducts() {
	// XOR of ±1 is the sign of one product.
	s, _ := prep.Pipeline{&prep.Products{}}.Fit(twoByTwo())
	fmt.Println(s.Dim(), s.Features().Name(5), s.Row(0).Val[5])
	// Output: 14 x1*x2 1
}
