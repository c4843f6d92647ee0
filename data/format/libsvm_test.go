package format

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

func TestLibsvmGood(t *testing.T) {
	tests := []struct {
		name, content, want string
		dim                 int
	}{
		{"plain", "+1 1:0.5 3:-2\n-1 2:1\n", "1 0:0.5 2:-2\n-1 1:1\n", 3},
		{"ways of writing a label", "1.0 1:1\n+1 1:2\n1e0 1:3\n-0 1:4\n0 1:5\n", "1 0:1\n1 0:2\n1 0:3\n0 0:4\n0 0:5\n", 1},
		{"CR LF, tabs, trailing blanks", "1\t1:1 2:2 \r\n-1  1:3\t\r\n", "1 0:1 1:2\n-1 0:3\n", 2},
		{"no last newline", "1 1:1\n-1 1:2", "1 0:1\n-1 0:2\n", 1},
		{"comments and blank lines", "# head\n\n1 1:1 # SVMlight says more: here\n  \n-1 1:2#x\n", "1 0:1\n-1 0:2\n", 1},
		{"byte-order mark", "\ufeff1 1:1\n", "1 0:1\n", 1},
		{"no features", "1\n-1 1:1\n", "1\n-1 0:1\n", 1},
		{"long labels", "9007199254740993 1:1\n9007199254740992 1:2\n", "9007199254740993 0:1\n9007199254740992 0:2\n", 1},
		{"unsorted", "1 3:3 1:1 2:2\n", "1 0:1 1:2 2:3\n", 3},
		{"zero values", "1 1:0 2:-0 5:0.0\n-1 2:1\n", "1\n-1 1:1\n", 5},
		{"leading zeros", "1 01:1 002:2\n", "1 0:1 1:2\n", 2},
		{"exponents", "1 1:1e3 2:1E-3 3:.5 4:5.\n", "1 0:1000 1:0.001 2:0.5 3:5\n", 4},
		{"largest index", "1 2147483648:1\n", "1 2147483647:1\n", 1 << 31},
		{"three classes", "3 1:1\n1 1:2\n2 1:3\n", "3 0:1\n1 0:2\n2 0:3\n", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := read("t", test.content, Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(s); got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
			if s.Dim() != test.dim || s.Input().Format != "libsvm" {
				t.Errorf("%d features, want %d; input %+v", s.Dim(), test.dim, s.Input())
			}
		})
	}
}

func TestLibsvmBad(t *testing.T) {
	const once = "; give every index once a line"
	const finite = "; write a finite decimal number"
	const whole = "; write index:value with an index from 1"
	testBad(t, "libsvm", "t", []badInput{
		{"label", "a 1:1\n", Spec{}, `t:1:1: the label is not a number, found "a"; a LIBSVM label is a finite number`},
		{"label NaN", "1 1:1\nnan 1:1\n", Spec{}, `t:2:1: the label is not a finite number, found "nan"; a LIBSVM label is a finite number`},
		{"no colon", "1 1:1 2\n", Spec{}, `t:1:7: expected index:value, found "2"; put a colon between index and value`},
		{"query", "1 qid:3 1:1\n", Spec{}, `t:1:3: a query number: this is ranking data, found "qid:3"; remove the qid: fields to classify`},
		{"index 0", "1 0:1\n", Spec{}, `t:1:3: the index 0, found "0:1"; indices start at 1; add one to each`},
		{"negative index", "1 -2:1\n", Spec{}, `t:1:3: a negative index, found "-2:1"; indices start at 1`},
		{"large index", "1 2147483649:1\n", Spec{}, `t:1:3: an index beyond 2147483648, found "2147483649:1"; renumber the features, or hash their names with --hash BITS from another format`},
		{"huge index", "1 99999999999999999999:1\n", Spec{}, `t:1:3: an index beyond 2147483648, found "99999999999999999999:1"; renumber the features, or hash their names with --hash BITS from another format`},
		{"name", "1 x:1\n", Spec{}, `t:1:3: the index is not a whole number, found "x:1"` + whole},
		{"fraction", "1 1.5:1\n", Spec{}, `t:1:3: the index is not a whole number, found "1.5:1"` + whole},
		{"no index", "1 :1\n", Spec{}, `t:1:3: the index is not a whole number, found ":1"` + whole},
		{"signed index", "1 +1:1\n", Spec{}, `t:1:3: the index is not a whole number, found "+1:1"` + whole},
		{"no value", "1 1:\n", Spec{}, "t:1:5: the value is not a number" + finite},
		{"word", "1 1:x\n", Spec{}, `t:1:5: the value is not a number, found "x"` + finite},
		{"NaN", "1 1:NaN\n", Spec{}, `t:1:5: the value is not a finite number, found "NaN"` + finite},
		{"infinity", "1 1:-inf\n", Spec{}, `t:1:5: the value is not a finite number, found "-inf"` + finite},
		{"overflow", "1 1:1e309\n", Spec{}, `t:1:5: the value is too large for a number, found "1e309"` + finite},
		{"hexadecimal", "1 1:0x1p4\n", Spec{}, `t:1:5: the value is not a number, found "0x1p4"` + finite},
		{"underscore", "1 1:1_000\n", Spec{}, `t:1:5: the value is not a number, found "1_000"` + finite},
		{"two colons", "1 1:2:3\n", Spec{}, `t:1:5: the value is not a number, found "2:3"` + finite},
		{"twice", "1 1:1 2:1 2:3\n", Spec{}, `t:1:11: an index that this line has already, found "2:3"` + once},
		{"twice, apart", "1 2:1 1:1 12:1 2:3 3:1\n", Spec{}, `t:1:16: an index that this line has already, found "2:3"` + once},
		{"twice, tabs and zeros", "1\t2:1\t1:1\t02:3\n", Spec{}, `t:1:11: an index that this line has already, found "02:3"` + once},
		{"no label", "1 1:1\n 1:1 2:2\n", Spec{}, `t:2:2: no label before the features, found "1:1"; write label index:value …, or say --label none if there are no labels`},
		{"twice, no label", "2:1 1:1 2:3\n", Spec{Label: "none"}, `t:1:9: an index that this line has already, found "2:3"` + once},
		{"twice, value 0", "2:0 1:1 2:0\n", Spec{Label: "none"}, `t:1:9: an index that this line has already, found "2:0"` + once},
		{"NUL", "1 1:1\n1 1:\x00\n", Spec{}, "t:2:5: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?"},
		{"bare CR", "1 1:1\r-1 1:2\n", Spec{}, `t:1:5: the value is not a number, found "1\r-1"` + finite},
		{"only comments", "# nothing\n\n", Spec{}, "t: no examples in the file; give a file with at least one example"},
	})
}

func TestLibsvmRecognised(t *testing.T) {
	for _, content := range []string{"1 1:1\n", "1:1\n", "1\n-1 2:3\n", "1 1:1 # a comment: yes\n", "# c\n1 qid:1 2:3\n", "cat 1:2\n"} {
		if !recogniseLibsvm([]byte(content)) {
			t.Errorf("%q not recognised", content)
		}
	}
	for _, content := range []string{"", "1\n2\n", "1 2 3\n", "a: 1 2\n", "x:1 y:2\n", "1 1:\n", "1,2,3\n", "ham\tsee you at 10:30\n"} {
		if recogniseLibsvm([]byte(content)) {
			t.Errorf("%q taken for LIBSVM", content)
		}
	}
	long := "# a comment first\n1" + strings.Repeat(" 1234567:1", headSize/10) + " 7654321:1\n"
	if !recogniseLibsvm([]byte(long[:headSize])) {
		t.Error("a line longer than the head, after a comment, is not recognised")
	}
}

// Unlabelled examples and those without features survive writing.
func TestLibsvmRoundTrip(t *testing.T) {
	b := data.NewBuilder(nil)
	b.Add(vec.Dense(1, 0, 0.1), []byte("1"), 1)
	b.Add(vec.Dense(), []byte("-1"), 1)
	b.Add(vec.Dense(0, 1e-300), nil, 1)
	b.Add(vec.Dense(), nil, 1)
	s := b.Set(data.Input{})
	var out bytes.Buffer
	if err := writeLibsvm(&out, s); err != nil {
		t.Fatal(err)
	}
	if want := "1 1:1 3:0.1\n-1\n2:1e-300\n1:0\n"; out.String() != want {
		t.Errorf("wrote\n%swant\n%s", out.String(), want)
	}
	again, err := read("t", out.Bytes(), Spec{Known: &data.Input{Format: "libsvm"}})
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != s.Digest() {
		t.Errorf("read back\n%s", dump(again))
	}
}

func TestLibsvmUnwritable(t *testing.T) {
	weighted := data.NewBuilder(nil)
	weighted.Add(vec.Dense(1), []byte("1"), 2)
	testUnwritable(t, libsvmFormat, []unwritable{
		{setOf([]string{"a"}, []float64{1}), `LIBSVM labels are numbers, and a class here is "a"; rename classes with --relabel, or write json`},
		{weighted.Set(data.Input{}), "LIBSVM has no place for the weights of examples; write json or csv"},
	})
}

// A reader allocates for the file, not for every example.
func TestLibsvmAllocations(t *testing.T) {
	content := []byte(strings.Repeat("+1 1:0.5 3:-2 7:1e-3\n-1 2:1\n", 5000))
	n := testing.AllocsPerRun(1, func() {
		src, err := NewSource("t", bytes.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Open(src, &Spec{Format: "libsvm"})
		if err != nil {
			t.Fatal(err)
		}
		var ex Example
		for err == nil {
			err = r.Read(&ex)
		}
	})
	if n > 100 {
		t.Errorf("%v allocations for 10000 examples", n)
	}
}

// The counts are those of the README of the public data sets.
func TestLibsvmPublic(t *testing.T) {
	tests := []struct {
		file                    string
		examples, dim, nonzeros int // 0: the README does not say
		positive                int
	}{
		{"heart_scale", 270, 13, 0, 120},
		{"a9a.gz", 32561, 123, 451592, 7841},
		{"a9a.t.gz", 16281, 122, 225731, 3846},
		{"phishing.gz", 11055, 68, 331650, 6157},
		{"rcv1_small.train.gz", 1000, 0, 77739, 459},
	}
	for _, test := range tests {
		s, err := ReadFile(context.Background(), publicFile(t, test.file), &Spec{})
		if err != nil {
			t.Fatal(err)
		}
		counts, _ := s.Counts()
		if s.Len() != test.examples || test.dim > 0 && s.Dim() != test.dim || test.nonzeros > 0 && s.Nonzeros() != test.nonzeros || counts[0] != test.positive {
			t.Errorf("%s: %d examples, %d features, %d non-zeros, classes %q %v", test.file, s.Len(), s.Dim(), s.Nonzeros(), s.Classes(), counts)
		}
	}
}

func FuzzLibsvm(f *testing.F) {
	for _, seed := range []string{"+1 1:0.5 3:-2\n-1 2:1\n", "1\r\n", "# c\n\n1:1 # x\n", "1 2:1 1:2 2:3", "1 qid:3 1:1", "0 1:-0 2:1e-400", "\ufeff1 1:1"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		testAgree(t, func() io.Reader { return bytes.NewReader(content) }, Spec{})
		fuzzFormat(t, content, Spec{Format: "libsvm", Known: &data.Input{Format: "libsvm"}}, true)
		if s := fuzzFormat(t, content, Spec{Format: "libsvm"}, true); s != nil {
			fuzzRoundTrip(t, s, libsvmFormat)
		}
	})
}
