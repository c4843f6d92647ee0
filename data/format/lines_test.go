package format

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestLinesGood(t *testing.T) {
	known := Spec{Known: &data.Input{Format: "lines", Width: 2}}
	tests := []struct {
		name, content string
		spec          Spec
		want          string
		dim           int
	}{
		{"plain", "a: 1 2\nb: 3 4\n", Spec{}, "a 0:1 1:2\nb 0:3 1:4\n", 2},
		{"CR LF, trailing blanks", "three: -1 1 \r\nfive: 1 -1 \t\r\n", Spec{}, "three 0:-1 1:1\nfive 0:1 1:-1\n", 2},
		{"no last newline", "a: 1 2\nb: 3 4", Spec{}, "a 0:1 1:2\nb 0:3 1:4\n", 2},
		{"blank lines, comments, mark", "\ufeff# digits\n\na: 1 2\n  \n # more\nb: 3 4\n", Spec{}, "a 0:1 1:2\nb 0:3 1:4\n", 2},
		{"zeros at the end", "a: 1 0 0\nb: 0 0 0\n", Spec{}, "a 0:1\nb\n", 3},
		{"glued", "a:1 2\nb:3 4\n", Spec{}, "a 0:1 1:2\nb 0:3 1:4\n", 2},
		{"blanks before the colon", "  a\t:\t1  2\n", Spec{Format: "lines"}, "a 0:1 1:2\n", 2},
		{"label of two words", "red soil: 1 2\ngrey soil: 3 4\n", Spec{}, "red soil 0:1 1:2\ngrey soil 0:3 1:4\n", 2},
		{"numbers as labels", "1: 1 2\n-1: .5 1e3\n", Spec{}, "1 0:1 1:2\n-1 0:0.5 1:1000\n", 2},
		{"to predict", "1 2\na: 3 4\n", known, "- 0:1 1:2\na 0:3 1:4\n", 2},
		{"to predict, empty label", ": 1 2\n", known, "- 0:1 1:2\n", 2},
		{"no labels", "1 2\na: 3 4\n : 5 6\n", Spec{Format: "lines", Label: "none"}, "- 0:1 1:2\n- 0:3 1:4\n- 0:5 1:6\n", 2},
		{"ways of writing a label", "+1: 1 2\n1.0: 3 4\n-1: 5 6\n", Spec{}, "1 0:1 1:2\n1 0:3 1:4\n-1 0:5 1:6\n", 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := read("t", test.content, test.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(s); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			if s.Dim() != test.dim || s.Input().Format != "lines" || s.Input().Width != test.dim {
				t.Errorf("%d features, input %+v", s.Dim(), s.Input())
			}
		})
	}
}

func TestLinesBad(t *testing.T) {
	known := func() Spec {
		return Spec{Known: &data.Input{Format: "lines", Width: 3}, Features: data.RestoreFeatures(nil, 3, 0).Frozen()}
	}
	const fit = "; model and data do not fit together"
	const write = "; write label: value value …"
	const same = "; give every line the same number of values"
	const finite = "; write finite decimal numbers with blanks between them"
	testBad(t, "lines", "t", []badInput{
		{"surplus", "a: 1 2\nb: 3 4 5 6\n", Spec{}, "t:2:8: 4 values where line 1 has 2" + same},
		{"short", "a: 1 2 3\n\nb: 3 4  \r\n", Spec{}, "t:3:7: 2 values where line 1 has 3" + same},
		{"no values", "three:\n", Spec{}, `t:1:7: no values after the label, found "three:"` + write},
		{"no values later", "a: 1\nthree: \n", Spec{}, `t:2:7: no values after the label, found "three:"` + write},
		{"no colon", "three 1 2\n", Spec{}, `t:1:6: no colon after the label, found "three"` + write},
		{"no label", "1 2\n", Spec{}, `t:1:2: no colon after the label, found "1"` + write + ", or say --label none if there are no labels"},
		{"empty label", " : 1 2\n", Spec{}, "t:1:2: the label is empty; give every example a label, or remove the line"},
		{"CR in the label", "a\rb: 1\n", Spec{}, `t:1:2: a carriage return in the label, found "a\rb"; end lines with LF or CR LF`},
		{"mark in the middle", "a: 1\n\ufeffa: 1\n", Spec{}, `t:2:1: a byte-order mark within the file, found "\ufeffa: 1"; remove it; files put together leave it`},
		{"word", "a: 1 x\n", Spec{}, `t:1:6: the value is not a number, found "x"` + finite},
		{"NaN", "a: nan 1\n", Spec{}, `t:1:4: the value is not a finite number, found "nan"` + finite},
		{"infinity", "a: 1 -Inf\n", Spec{}, `t:1:6: the value is not a finite number, found "-Inf"` + finite},
		{"overflow", "a: 1e999\n", Spec{}, `t:1:4: the value is too large for a number, found "1e999"` + finite},
		{"hexadecimal", "a: 0x10\n", Spec{}, `t:1:4: the value is not a number, found "0x10"` + finite},
		{"underscore", "a: 1_0\n", Spec{}, `t:1:4: the value is not a number, found "1_0"` + finite},
		{"LIBSVM", "1:2 3:4\n", Spec{}, `t:1:5: the value is not a number, found "3:4"` + finite},
		{"NUL", "a: 1\nb: \x00\n", Spec{}, "t:2:4: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?"},
		{"Latin-1", "a: 1\nb\xe4r: 1\n", Spec{}, `t:2:2: not UTF-8 text, found "\xe4"; convert the file, e.g. iconv -f latin1 -t utf-8`},
		{"more than the model", "a: 1 2 3 4\n", known(), "t:1:10: 4 values where the model was trained on 3" + fit},
		{"fewer than the model", "1 2\n", known(), "t:1:4: 2 values where the model was trained on 3" + fit},
		{"no colon, model", "three 2 3\n", known(), `t:1:6: no colon after the label, found "three"` + write},
		{"only comments", "# nothing\n", Spec{}, "t: no examples in the file; give a file with at least one example"},
	})
}

func TestLinesRecognised(t *testing.T) {
	tests := []struct {
		content string
		want    string
	}{
		{"three: 1 -1\nfive: -1 1\n", "lines"},
		{"1: 1 -1\n", "lines"},
		{"three:1 2\n", "lines"},
		{"1 1:1 2:3\n", "libsvm"},
		{"1:1 2:3\n", "libsvm"},
		{"1:1\n", "libsvm"},
		{"1 1:1 2:3 # three: 1\n", "libsvm"},
	}
	for _, test := range tests {
		src, _ := NewSource("t", strings.NewReader(test.content))
		f, err := choose(src, &Spec{})
		if err != nil || f.Name != test.want {
			t.Errorf("%q: %v, %v", test.content, f, err)
		}
	}
	for _, content := range []string{"7:1 2\n", "a:\n", "a: x\n", "a: 1:2\n", ": 1\n", "a,b: 1\n", "# a: 1\n", ""} {
		if recogniseLines([]byte(content)) {
			t.Errorf("%q taken for labelled lines", content)
		}
	}
}

func TestLinesRoundTrip(t *testing.T) {
	s := setOf([]string{"a b", "1", "a b"}, []float64{1, 0, -2.5}, []float64{0, 0, 0}, []float64{0, 1e-300, 0.1})
	var b bytes.Buffer
	if err := writeLines(&b, s); err != nil {
		t.Fatal(err)
	}
	if want := "a b: 1 0 -2.5\n1: 0 0 0\na b: 0 1e-300 0.1\n"; b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
	again, err := read("t", b.Bytes(), Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != s.Digest() {
		t.Errorf("read back\n%s", dump(again))
	}
}

func TestLinesUnwritable(t *testing.T) {
	one := []float64{1}
	weighted := data.NewBuilder(nil)
	weighted.Add(vec.Dense(1), []byte("a"), 2)
	huge := data.NewBuilder(nil)
	for range 3 {
		huge.Add(vec.Row{Idx: []uint32{1 << 30}, Val: one}, []byte("a"), 1)
	}
	const label = " cannot be the label of a line: no colon, line end, blank at an end or # in front may be in it; rename classes with --relabel, or write json"
	testUnwritable(t, linesFormat, []unwritable{
		{setOf([]string{"a:b"}, one), `"a:b"` + label},
		{setOf([]string{"a\nb"}, one), `"a\nb"` + label},
		{setOf([]string{"#a"}, one), `"#a"` + label},
		{setOf([]string{"a "}, one), `"a "` + label},
		{setOf([]string{""}, one), `""` + label},
		{setOf([]string{"a"}, nil), "labelled lines need at least one feature, and this set has none; write libsvm"},
		{weighted.Set(data.Input{}), "labelled lines have no place for the weights of examples; write json or csv"},
		{huge.Set(data.Input{}), "3 examples of 1073741825 features are more than 2^31 values with their zeros; write libsvm or json"},
	})
}

// The counts are those of the README of the public data sets.
func TestLinesPublic(t *testing.T) {
	for name, each := range map[string]int{"35_TrainingData.txt": 700, "35_TestData.txt": 400} {
		s, err := ReadFile(context.Background(), publicFile(t, name), &Spec{})
		if err != nil {
			t.Fatal(err)
		}
		counts, _ := s.Counts()
		if s.Len() != 2*each || s.Dim() != 64 || len(counts) != 2 || counts[0] != each || counts[1] != each || s.Input().Format != "lines" {
			t.Errorf("%s: %d examples, %d features, classes %q %v", name, s.Len(), s.Dim(), s.Classes(), counts)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, seed := range []string{"a: 1 2\nb: 3 4\n", "a:1\r\n", "# c\n\n 1 : 1e3 \n", "a: 1\nb: 1 2\n", ":", "a:", "a: 0 0\n", "\ufeffa: 1", "red soil: 1", " \ufeff: 1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		fuzzFormat(t, content, Spec{Format: "lines", Known: &data.Input{Format: "lines"}}, true)
		if s := fuzzFormat(t, content, Spec{Format: "lines"}, true); s != nil {
			fuzzRoundTrip(t, s, linesFormat)
		}
	})
}
