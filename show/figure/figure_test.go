package figure

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace"
	"github.com/halfspace-ml/halfspace/data/prep"
	"github.com/halfspace-ml/halfspace/data/sample"
	"github.com/halfspace-ml/halfspace/learn/batch"
	"github.com/halfspace-ml/halfspace/learn/closed"
	"github.com/halfspace-ml/halfspace/learn/network"
	"github.com/halfspace-ml/halfspace/learn/online"
)

func TestList(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All {
		if f.Name == "" || f.Doc == "" || f.Need == "" || f.draw == nil {
			t.Errorf("%+v is not complete", f)
		}
		if seen[f.Name] {
			t.Errorf("two figures are called %s", f.Name)
		}
		seen[f.Name] = true
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a    axis
		want string
	}{
		{axis{low: 0, high: 10}, "0 2 4 6 8 10"},
		{axis{low: -0.3, high: 0.31}, "−0.2 0 0.2"},
		{axis{low: 3, high: 5, whole: true}, "3 4 5"},
		{axis{low: 1e7, high: 6e7}, "1e7 2e7 3e7 4e7 5e7 6e7"},
		{axis{low: 0.5, high: 2000, log: true}, "1 10 100 1000"},
		{axis{low: 1, high: 9, log: true}, "1 2 5"},
		{axis{low: -0.5, high: 1.5, names: []string{"a", "b"}}, "a b"},
	} {
		var got []string
		for _, k := range c.a.ticks(300, 55) {
			got = append(got, k.label)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%v to %v: %q, want %q", c.a.low, c.a.high, s, c.want)
		}
	}
	// However short an axis is, one tick alone tells nothing.
	for _, high := range []float64{0.1, 0.7, 1, 3.3, 96, 1e-7} {
		if n := len((&axis{low: -high, high: high}).ticks(20, 55)); n < 2 {
			t.Errorf("±%v: %d ticks", high, n)
		}
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{nil, 0, 1},
		{[]float64{3, 3}, 1.5, 4.5},
		{[]float64{0, 0}, -0.5, 0.5},
		{[]float64{0, 10, math.NaN(), math.Inf(1)}, -1, 11},
	} {
		if low, high := span(c.values, 0.1); low != c.low || high != c.high {
			t.Errorf("%v: %v to %v, want %v to %v", c.values, low, high, c.low, c.high)
		}
	}
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(i)
	}
	values[999] = 1e9
	if _, high := core(values, 0); high > 1000 {
		t.Errorf("one value far off makes the axis reach %v", high)
	}
	values[999] = 1200
	if _, high := core(values, 0); high != 1200 {
		t.Errorf("a value not far off is left out: the axis ends at %v", high)
	}
}

// The unit square below the diagonal x + y ≤ 1 has area ½ both ways: cut
// exactly, and sampled on a grid.
func TestAreas(t *testing.T) {
	square := []Point{{0, 0}, {1, 0}, {1, 1}, {0, 1}}
	h := half{-1, -1, 1}
	if got := area(clip(square, h)); math.Abs(got-0.5) > 1e-12 {
		t.Errorf("clipped area %v", got)
	}
	if got := clip(square, h, half{1, 1, -2}); area(got) != 0 {
		t.Errorf("what is on no side has area %v", area(got))
	}
	f := &field{nx: 7, ny: 7, at: func(i, j int) Point { return Point{float64(i) / 7, float64(j) / 7} }}
	for j := range 8 {
		for i := range 8 {
			f.v = append(f.v, h.value(f.at(i, j)))
		}
	}
	sum := 0.0
	for _, ring := range f.area() {
		sum += area(ring)
	}
	if math.Abs(sum-0.5) > 1e-12 {
		t.Errorf("sampled area %v", sum)
	}
	lines := f.border()
	if len(lines) != 1 {
		t.Fatalf("the border is in %d pieces: %v", len(lines), lines)
	}
	length := 0.0
	for i := 1; i < len(lines[0]); i++ {
		length += math.Hypot(lines[0][i].X-lines[0][i-1].X, lines[0][i].Y-lines[0][i-1].Y)
	}
	if math.Abs(length-math.Sqrt2) > 1e-12 {
		t.Errorf("the border is %v long", length)
	}
	if ends := border(square, h); len(ends) != 2 || math.Abs(math.Hypot(ends[0].X-ends[1].X, ends[0].Y-ends[1].Y)-math.Sqrt2) > 1e-12 {
		t.Errorf("the line in the square is %v", ends)
	}
	// Three lines through a square give seven pieces that fill it.
	parts := pieces(square, []half{{1, 0, -0.3}, {0, 1, -0.4}, {1, 1, -1}})
	sum = 0
	for _, p := range parts {
		sum += area(p)
	}
	if len(parts) != 7 || math.Abs(sum-1) > 1e-12 {
		t.Errorf("%d pieces of area %v", len(parts), sum)
	}
}

func fitted(t *testing.T, name string, l halfspace.Learner, change func(*halfspace.Run)) (*Subject, *History) {
	t.Helper()
	s, err := sample.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	r := halfspace.Run{Set: s}
	h := &History{Set: s, Tie: halfspace.TieWrong}
	if change != nil {
		change(&r)
	}
	h.Maps = r.Maps
	r.Hooks = h.Hooks()
	m, err := halfspace.Fit(context.Background(), l, r)
	if err != nil {
		t.Fatal(err)
	}
	return &Subject{Name: name, Set: s, Model: m, Learner: l.Name(), History: h}, h
}

// Document 000's worked example: example 3 and then, in the next pass, example
// 1 are wrong; the weights after each are those that the sheet prints.
func TestHistoryOfTheSheet(t *testing.T) {
	s, h := fitted(t, "@points00", &online.Perceptron{Options: online.Options{Rate: 0.01}}, func(r *halfspace.Run) {
		r.Init = &halfspace.Weights{W: [][]float64{{1, -1}}, Bias: []float64{1}}
	})
	if h.Updates != 2 || len(h.Moments) != 2 {
		t.Fatalf("%d updates, %d moments", h.Updates, len(h.Moments))
	}
	for i, want := range []struct {
		index         int
		before, after string
	}{
		{3, "1.00 1.00 -1.00", "0.99 0.73 -1.23"},
		{1, "0.99 0.73 -1.23", "1.00 0.88 -1.12"},
	} {
		m := h.Moments[i]
		if m.Index != want.index || weights(m.Model) != want.before || weights(m.After) != want.after {
			t.Errorf("moment %d: example %d, %s to %s; want %v", i, m.Index, weights(m.Model), weights(m.After), want)
		}
	}
	if all, err := h.finish(s.Model); err != nil || len(all) != 3 || all[2].Model != s.Model || all[2].Step != 2 {
		t.Errorf("the end is not the model: %+v", all)
	}
}

func weights(m *halfspace.Model) string {
	w := m.Weights
	return fmt.Sprintf("%.2f %.2f %.2f", w.Bias[0], w.W[0][0], w.W[0][1])
}

// Document 004: E(w[0]) = 1.6 summed over 8 examples, then no mistakes.
func TestHistoryOfTheHandout(t *testing.T) {
	s, h := fitted(t, "@handout", &batch.Perceptron{Sum: true, Options: online.Options{Tie: halfspace.TieRight}}, func(r *halfspace.Run) {
		r.Init = &halfspace.Weights{W: [][]float64{{0, 1}}, Bias: []float64{-0.5}}
	})
	all, err := h.finish(s.Model)
	if err != nil || len(all) != 2 || math.Abs(all[0].Loss-1.6) > 1e-12 || all[1].Loss != 0 || !all[1].HasLoss {
		t.Fatalf("moments %+v", all)
	}
	loss, wrong := cost(all[0].Model, s.Set)
	if math.Abs(8*loss-1.6) > 1e-12 || wrong != 4 {
		t.Errorf("cost %v, %d wrong; want 1.6 and 4", 8*loss, wrong)
	}
}

// However long a training is, no more moments are kept than asked for, spread
// over all of it; a moment's model is that of raw rows, whatever the scaling.
func TestHistoryIsThinned(t *testing.T) {
	s, h := fitted(t, "@gauss", &online.Perceptron{Options: online.Options{Epochs: 200}}, func(r *halfspace.Run) {
		r.Maps = prep.Pipeline{&prep.Standardise{}}
	})
	all, err := h.finish(s.Model)
	if err != nil || h.Updates < 1000 || len(all) != 101 {
		t.Fatalf("%d updates, %d moments", h.Updates, len(all))
	}
	for i := 1; i < len(all); i++ {
		if gap := all[i].Step - all[i-1].Step; gap < 1 || gap > h.Updates/20 {
			t.Errorf("moments %d and %d are %d updates apart", i-1, i, gap)
		}
	}
	last := all[99]
	if last.After == nil {
		t.Fatal("no weights after the last moment")
	}
	m := *last.After
	if got, want := m.Tally(s.Set, 1).Examples, s.Set.Len(); got != want {
		t.Errorf("%d of %d examples scored", got, want)
	}
}

// The last weights seen, folded back, are the model's.
func TestHistoryFoldsScaling(t *testing.T) {
	s, h := fitted(t, "@handout", &online.Perceptron{Options: online.Options{Epochs: 100}}, func(r *halfspace.Run) {
		r.Maps = prep.Pipeline{&prep.Standardise{}}
	})
	last := h.Moments[len(h.Moments)-1].After
	for j, w := range s.Model.Weights.W[0] {
		if math.Abs(w-last.Weights.W[0][j]) > 1e-12 {
			t.Errorf("weight %d: %v in the history, %v in the model", j, last.Weights.W[0][j], w)
		}
	}
}

// What a place stands for is seen at that place, on every kind of view.
func TestViewsThereAndBack(t *testing.T) {
	for _, c := range []struct {
		set   string
		names []string
	}{{"@points00", nil}, {"@iris", nil}, {"@iris", []string{"petal_width_cm", "2"}}, {"@digits35", nil}} {
		s, err := sample.Read(c.set)
		if err != nil {
			t.Fatal(err)
		}
		v, err := newView(s, c.names)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, s.Dim())
		for _, p := range []Point{{0, 0}, {1.5, -2}, {-3, 0.25}} {
			got := v.place(v.lift(p, x), 0)
			if math.Hypot(got.X-p.X, got.Y-p.Y) > 1e-8 {
				t.Errorf("%s %v: %v is seen at %v", c.set, c.names, p, got)
			}
		}
		// A linear score on the plane is the score of what the place stands for.
		w := make([]float64, s.Dim())
		for j := range w {
			w[j] = float64(j%3) - 1
		}
		h, p := v.half(w, 0.5), Point{0.7, -1.1}
		row := v.lift(p, x)
		score := (&halfspace.Weights{W: [][]float64{w}, Bias: []float64{0.5}}).Score(0, row)
		if math.Abs(score-h.value(p)) > 1e-8 {
			t.Errorf("%s %v: score %v on the plane, %v in space", c.set, c.names, h.value(p), score)
		}
	}
}

// Fisher's boundary of two classes stands upright on the discriminant: the
// scores of w differ along it alone.
func TestDiscriminantIsFishers(t *testing.T) {
	s, _ := fitted(t, "@digits35", new(closed.Fisher), nil)
	v, err := newView(s.Set, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := s.Model.Weights.W[0]
	cosine := dot(w, v.across) / math.Sqrt(dot(w, w)*dot(v.across, v.across))
	if math.Abs(cosine) < 0.9 { // but for the little spread added to every feature
		t.Errorf("the discriminant and Fisher's w have the cosine %v", cosine)
	}
	if both := dot(v.across, v.v); math.Abs(both) > 1e-9 {
		t.Errorf("the two directions are correlated by %v", both)
	}
}

func TestUnknownFeature(t *testing.T) {
	s, _ := fitted(t, "@points00", new(online.Perceptron), nil)
	if _, err := newView(s.Set, []string{"x1", "x9"}); err == nil || !strings.Contains(err.Error(), `no feature "x9"`) {
		t.Errorf("x9: %v", err)
	}
}

// The two lines of a network of threshold units cut the plane exactly.
func TestStepUnits(t *testing.T) {
	m, err := network.XOR().Model()
	if err != nil {
		t.Fatal(err)
	}
	s, err := sample.Read("@xor")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := newPage(Style{W: 400, H: 400, Scale: 1}, "", "")
	v.x.low, v.x.high, v.y.low, v.y.high = 0, 1, 0, 1
	q := p.panel(p.whole(), "", v.x, v.y, false)
	var l Layer
	q.regions(&l, &l, v, m)
	// The band between x + y = ½ and x + y = 3/2 is ¾ of the unit square.
	share := 0.0
	for _, ring := range l.shapes[0].(path).lines {
		share += area(ring) / (q.frame.w * q.frame.h)
	}
	if math.Abs(share-0.75) > 1e-9 {
		t.Errorf("the class 1 has %v of the square", share)
	}
}

func TestEscape(t *testing.T) {
	if got := escape("a<b & \"c\">\x00\x07d"); got != `a&lt;b &amp; "c"&gt;d` {
		t.Errorf("%q", got)
	}
	for v, want := range map[float64]string{0.5: ".5", -0.25: "-.25", 10.004: "10", -0.001: "0", 100.5: "100.5", 0.05: ".05"} {
		if got := short(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

func TestDashes(t *testing.T) {
	got := dashed([]Point{{0, 0}, {10, 0}}, []float64{3, 2})
	want := "[[{0 0} {3 0}] [{5 0} {8 0}]]"
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// A line two pixels wide covers its two rows of pixels and no more.
func TestBitmapLine(t *testing.T) {
	d := &Drawing{W: 10, H: 6, Scale: 1, Ground: Colour{255, 255, 255, 255}}
	d.Base.line(Colour{0, 0, 0, 255}, 2, nil, []Point{{1, 3}, {9, 3}})
	b := newBitmap(d, 1)
	b.layer(&d.Base)
	for y := range 6 {
		for x := range 10 {
			black := b.RGBAAt(x, y).R < 128
			if want := image.Pt(x, y).In(image.Rect(1, 2, 9, 4)); black != want {
				t.Errorf("pixel %d,%d black: %v", x, y, black)
			}
		}
	}
}

// Every object of a PDF stands where its table says.
func TestPDFTable(t *testing.T) {
	d := newPage(Style{W: 400, H: 300, Scale: 1}, "η and <b>", "about").Drawing
	var b bytes.Buffer
	if err := PDF(&b, d); err != nil {
		t.Fatal(err)
	}
	entries := regexp.MustCompile(`(?m)^(\d{10}) 00000 n $`).FindAllSubmatch(b.Bytes(), -1)
	if len(entries) != 5 {
		t.Fatalf("%d objects", len(entries))
	}
	for i, e := range entries {
		at, _ := strconv.Atoi(string(e[1]))
		if want := fmt.Sprintf("%d 0 obj\n", i+1); !bytes.HasPrefix(b.Bytes()[at:], []byte(want)) {
			t.Errorf("object %d is not at %d", i+1, at)
		}
	}
}

// A line in dots, and a text over it.
func TestTextLine(t *testing.T) {
	d := &Drawing{W: 2 * cellWide, H: cellHigh, Ground: Colour{0, 0, 0, 255}}
	d.Base.line(Colour{255, 255, 255, 255}, 1, nil, []Point{{0.1, 7.1}, {13.9, 7.1}})
	var b bytes.Buffer
	if err := Text(&b, d, false); err != nil {
		t.Fatal(err)
	}
	if b.String() != "⠤⠤\n" {
		t.Errorf("%q", b.String())
	}
	d.Base.text(text{at: Point{cellWide, 0.7 * cellHigh}, s: "a", colour: Colour{255, 0, 0, 255}})
	b.Reset()
	if err := Text(&b, d, true); err != nil {
		t.Fatal(err)
	}
	if b.String() != "⠤\x1b[38;2;255;0;0ma\x1b[0m\n" {
		t.Errorf("%q", b.String())
	}
}

// Text that is too long is shortened, never beyond its room.
func TestFit(t *testing.T) {
	st := Style{W: 400, H: 300}
	for _, room := range []float64{10, 40, 200} {
		s := st.fit("a rather long name of a feature", textSize, false, room)
		if st.width(s, textSize, false) > room && len([]rune(s)) > 2 {
			t.Errorf("%q does not fit into %v", s, room)
		}
	}
	if s := st.fit("short", textSize, false, 100); s != "short" {
		t.Errorf("%q was changed", s)
	}
}
