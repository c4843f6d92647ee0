package prep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestPipelineJSON(t *testing.T) {
	s := noise(20, 8, 6)
	for _, c := range []struct {
		specs []string
		want  string // "": only the round trip
	}{
		{[]string{}, `[]`},
		{[]string{"dummy"}, `[{"map":"dummy","in":8}]`},
		{[]string{"rows:4", "dummy", "products", "hash:9"},
			`[{"map":"rows","width":4,"in":8},{"map":"dummy","in":10},{"map":"products","in":11},{"map":"hash","bits":9,"in":77}]`},
		{[]string{"standardise", "dummy", "standardise:no-centre"}, ""},
	} {
		p, mapped := fit(t, s, c.specs...)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if c.want != "" && string(text) != c.want {
			t.Errorf("%v: %s, want %s", c.specs, text, c.want)
		}
		var q Pipeline
		if err := json.Unmarshal(text, &q); err != nil {
			t.Fatal(err)
		}
		if q.Set(s).Digest() != mapped.Digest() {
			t.Errorf("%v: the pipeline read back maps otherwise", c.specs)
		}
		if again, err := json.Marshal(q); err != nil || string(again) != string(text) {
			t.Errorf("%v: written again %s, %v; want %s", c.specs, again, err, text)
		}
	}
}

type strange struct{ Dummy }

func (*strange) check() {} // hides the method that marks the maps of this package

var _ interface{ check() } = (*strange)(nil)

func TestPipelineOfStrangers(t *testing.T) {
	p := Pipeline{&strange{}}
	if _, err := p.Fit(noise(3, 2, 1)); err != nil {
		t.Error(err)
	}
	_, err := json.Marshal(p)
	if want := "map 1 is of type *prep.strange, which cannot be saved; use the maps of package prep"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v; want %s", err, want)
	}
}

func TestBadPipelineJSON(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, `the feature maps are no list: json: cannot unmarshal object into Go value of type []json.RawMessage`},
		{`[3]`, `map 1: json: cannot unmarshal number into Go value of type map[string]json.RawMessage`},
		{`[null]`, `map 1: the field "map" with the name of the map is missing or no text`},
		{`[{"in":3}]`, `map 1: the field "map" with the name of the map is missing or no text`},
		{`[{"map":1,"in":3}]`, `map 1: the field "map" with the name of the map is missing or no text`},
		{`[{"map":"dumy","in":3}]`, `map 1: no feature map "dumy"; did you mean dummy?`},
		{`[{"map":"dummy"}]`, `map 1: dummy: the field "in" is missing`},
		{`[{"map":"dummy","in":3,"out":4}]`, `map 1: dummy: json: unknown field "out"`},
		{`[{"map":"dummy","in":-1}]`, `map 1, dummy: in is -1; a number of features is from 0 to 2147483648`},
		{`[{"map":"dummy","in":2147483648}]`, `map 1, dummy: no room for a dummy feature after 2147483648 features`},
		{`[{"map":"dummy","in":1e99}]`, `map 1: dummy: json: cannot unmarshal number 1e99 into Go struct field Dummy.in of type int`},
		{`[{"map":"dummy","in":3},{"map":"dummy","in":3}]`, `map 2, dummy, is for 3 features and the map before it makes 4`},
		{`[{"map":"rows","in":64}]`, `map 1, rows: the width is 0; it must be at least 1`},
		{`[{"map":"rows","in":65,"width":8}]`, `map 1, rows: 65 features are no image of 8 columns; give the width as rows:WIDTH, and put rows before maps that add features`},
		{`[{"map":"rows","in":1000000000,"width":1}]`, `map 1, rows: 1000000000 lines of 1 pixels; at most 65536 lines are allowed, is the width right?`},
		{`[{"map":"rows","in":65536,"width":1},{"map":"products","in":65532}]`, `map 2, products, is for 65532 features and the map before it makes 131072`},
		{`[{"map":"rows","in":32764,"width":1},{"map":"products","in":65528}]`, `map 2, products, may make 545209730 values of a row; at most 4194304 are allowed: use fewer features or fewer maps, or hash before it`},
		{`[{"map":"products","in":70000}]`, `map 1, products: the products of 70000 features are more than 2147483648; use fewer features, or hash before products`},
		{`[{"map":"hash","in":5}]`, `map 1, hash: the number of bits is 0; it must be from 1 to 30`},
		{`[{"map":"hash","in":5,"bits":64}]`, `map 1, hash: the number of bits is 64; it must be from 1 to 30`},
		{`[{"map":"standardise","in":1000000000,"centred":true,"mean":[1],"scale":[1]}]`, `map 1, standardise: 1 scales for 1000000000 features`},
		{`[{"map":"standardise","in":1,"centred":true,"scale":[1]}]`, `map 1, standardise: 0 means where 1 are needed`},
		{`[{"map":"standardise","in":1,"mean":[1],"scale":[1]}]`, `map 1, standardise: 1 means where 0 are needed`},
		{`[{"map":"standardise","in":1,"scale":[0]}]`, `map 1, standardise: scale 1 is 0; it must be a positive finite number`},
		{`[{"map":"standardise","in":1,"scale":[-2]}]`, `map 1, standardise: scale 1 is -2; it must be a positive finite number`},
		{`[{"map":"standardise","in":1,"scale":[1e999]}]`, `map 1: standardise: json: cannot unmarshal number 1e999 into Go struct field Standardise.scale of type float64`},
		{`[{"map":"hidden","in":2,"activation":"stairs","bias":[1],"weights":[[1,2]]}]`, `map 1, hidden: no activation "stairs"; there are sigmoid, tanh, relu, step`},
		{`[{"map":"hidden","in":2,"activation":"relu","bias":[],"weights":[]}]`, `map 1, hidden: no units`},
		{`[{"map":"hidden","in":2,"activation":"relu","bias":[1,2],"weights":[[1,2]]}]`, `map 1, hidden: 2 biases for 1 units`},
		{`[{"map":"hidden","in":1000000000,"activation":"relu","bias":[1],"weights":[[1,2]]}]`, `map 1, hidden: unit 1 has 2 weights for 1000000000 features`},
		{`[{"map":"hidden","in":2,"activation":"relu","bias":[1],"weights":[[1,2]]},{"map":"dummy","in":2}]`, `map 2, dummy, is for 2 features and the map before it makes 1`},
		{`[{"map":"standardise","in":1,"no_centre":true,"centred":true,"mean":[1],"scale":[1]}]`, `map 1, standardise: centred although no_centre is set`},
	} {
		var p Pipeline
		err := json.Unmarshal([]byte(c.text), &p)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// Whatever is accepted can be applied, gives sound rows, and is written back
// as it was.
func FuzzPipelineJSON(f *testing.F) {
	for _, seed := range []string{
		`[]`, `null`, `[{"map":"dummy","in":8}]`,
		`[{"map":"rows","width":4,"in":8},{"map":"dummy","in":10},{"map":"products","in":11},{"map":"hash","bits":9,"in":77}]`,
		`[{"map":"standardise","centred":true,"in":2,"mean":[1,-2e300],"scale":[1e-200,3]},{"map":"products","in":2}]`,
		`[{"map":"standardise","centred":false,"no_centre":true,"in":2,"scale":[1e-200,3]},{"map":"hash","bits":1,"in":2}]`,
		`[{"map":"rows","in":65536,"width":1}]`,
		`[{"map":"hidden","activation":"relu","in":2,"bias":[1,-1e308],"weights":[[1e308,1e308],[-1,2]]},{"map":"hidden","activation":"tanh","in":2,"bias":[0],"weights":[[3,-3]]}]`,
	} {
		f.Add([]byte(seed))
	}
	rows := []vec.Row{
		{}, vec.Dense(1), vec.Dense(1, -1, 0, 0, 1, 1, -1, 0), vec.Dense(1e308, 1e-308, -1e308),
		{Idx: []uint32{1, 5, 1 << 30}}, {Idx: []uint32{1<<31 - 1}, Val: []float64{-3}},
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p Pipeline
		if json.Unmarshal(text, &p) != nil {
			return
		}
		out := p.Features(data.NewFeatures("a", "b"))
		if n := out.Len(); n > 0 && len(p) > 0 {
			out.Name(0)
			out.Name(n - 1)
		}
		a := p.Applier()
		for _, x := range rows {
			y := a.Row(x)
			if err := y.Check(); err != nil {
				t.Errorf("%s maps %v to an unsound row: %v", text, x, err)
			}
			if len(p) > 0 && y.Dim() > out.Len() {
				t.Errorf("%s maps %v to %d features of %d", text, x, y.Dim(), out.Len())
			}
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var q Pipeline
		if err := json.Unmarshal(written, &q); err != nil {
			t.Fatalf("%s written as %s is refused: %v", text, written, err)
		}
	})
}
