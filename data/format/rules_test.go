package format

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

// What holds for every format.

func TestPlainLabel(t *testing.T) {
	for label, want := range map[string]string{
		"1": "1", "-1": "-1", "0": "0", "a": "a", "": "", "+": "+", "-": "-", ".": ".",
		"+1": "1", "1.0": "1", "1.": "1", "-1.00": "-1", "1e0": "1", "1.000000000000000000e+00": "1", "-0": "0", "+0.0": "0",
		"007": "007", "-01": "-01", "1.10": "1.10", "0.5": "0.5", "1e-3": "1e-3", "1_0": "1_0", "1e999": "1e999", "--1": "--1",
		"9007199254740993": "9007199254740993", "+9007199254740993": "+9007199254740993", "1e17": "1e17", "12345678901234567890": "12345678901234567890",
	} {
		if got := string(plainLabel(nil, []byte(label))); got != want {
			t.Errorf("%q is %q, want %q", label, got, want)
		}
	}
}

// unlabelled is two examples with labels, and with some and without any.
var unlabelled = []struct{ format, labelled, mixed, none string }{
	{"libsvm", "+1 1:1\n-1 2:1\n", "+1 1:1\n2:1\n", "1:1\n2:1\n"},
	{"lines", "+1: 1 0\n-1: 0 1\n", "+1: 1 0\n: 0 1\n", "1 0\n0 1\n"},
	{"csv", "x1,x2,class\n1,0,+1\n0,1,-1\n", "x1,x2,class\n1,0,+1\n0,1,\n", "x1,x2\n1,0\n0,1\n"},
	{"tsv", "x1\tx2\tclass\n1\t0\t+1\n0\t1\t-1\n", "x1\tx2\tclass\n1\t0\t+1\n0\t1\t\n", "x1\tx2\n1\t0\n0\t1\n"},
	{"json", `{"label":"+1","x":[1,0]}` + "\n" + `{"label":-1.0,"x":[0,1]}`, `{"label":1,"x":[1,0]}` + "\n" + `{"label":"","x":[0,1]}`, `{"x":[1,0]}` + "\n" + `{"x":[0,1]}`},
	{"text", "+1\tx1\n-1\tx2\n", "+1\tx1\n\tx2\n", "x1\nx2\n"},
}

// The formats agree on what a label is, and on when it may be missing.
func TestLabelsInEveryFormat(t *testing.T) {
	const with, half, none = "1 x1:1\n-1 x2:1", "1 x1:1\n- x2:1", "- x1:1\n- x2:1"
	for _, f := range unlabelled {
		t.Run(f.format, func(t *testing.T) {
			fit := mustRead(t, f.labelled, Spec{Format: f.format})
			if got := show(fit); got != with {
				t.Errorf("got\n%s\nwant\n%s", got, with)
			}
			for _, text := range []string{f.mixed, f.none} {
				// A table without labels may still have a column that looks like one.
				if _, err := read("t", text, Spec{Format: f.format}); err == nil && (text == f.mixed || f.format != "csv" && f.format != "tsv") {
					t.Errorf("%q is accepted", text)
				}
			}
			if got := show(mustRead(t, f.none, Spec{Format: f.format, Label: "none"})); got != none {
				t.Errorf("no labels: got\n%s\nwant\n%s", got, none)
			}
			if got := show(mustRead(t, f.mixed, Spec{Format: f.format, Unlabelled: true})); got != half {
				t.Errorf("labels here and there: got\n%s\nwant\n%s", got, half)
			}
			in := fit.Input()
			for text, want := range map[string]string{f.labelled: with, f.mixed: half, f.none: none} {
				if got := show(mustRead(t, text, Spec{Known: &in, Features: fit.Features().Frozen()})); got != want {
					t.Errorf("for a model: %q is\n%s\nwant\n%s", text, got, want)
				}
			}
			if got := show(mustRead(t, f.labelled, Spec{Known: &in, Features: fit.Features().Frozen(), Label: "none"})); got != none {
				t.Errorf("for a model, no labels: got\n%s\nwant\n%s", got, none)
			}
		})
	}
}

// Blank lines, CR LF, a byte-order mark and a missing last line end change
// nothing; a mark within the file is refused.
func TestLineEndsInEveryFormat(t *testing.T) {
	for _, f := range unlabelled {
		want := show(mustRead(t, f.labelled, Spec{Format: f.format}))
		text := "\ufeff\r\n" + strings.ReplaceAll(strings.TrimSuffix(f.labelled, "\n"), "\n", "\r\n\r\n")
		if got := show(mustRead(t, text, Spec{Format: f.format})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", f.format, got, want)
		}
		i := strings.LastIndex(strings.TrimSuffix(f.labelled, "\n"), "\n") + 1
		_, err := read("t", f.labelled[:i]+"\ufeff"+f.labelled[i:], Spec{Format: f.format})
		if err == nil || !strings.Contains(err.Error(), ":1: a byte-order mark within the file, found ") {
			t.Errorf("%s: a mark within the file: %v", f.format, err)
		}
	}
}

func TestOptionsWithoutUse(t *testing.T) {
	for _, test := range []struct {
		text string
		spec Spec
		want string
	}{
		{"a: 1 2\n", Spec{Weight: "w"}, "t: the format lines has no use for --weight; leave it out, or name another format with --format"},
		{"1 1:2\n", Spec{Label: "class"}, "t: the format libsvm has no use for --label; leave it out, or name another format with --format"},
		{`{"label":1,"x":[1]}`, Spec{Header: "yes"}, "t: the format json has no use for --header; leave it out, or name another format with --format"},
		{"a,b\n1,2\n", Spec{Words: "binary"}, "t: the format csv has no use for --words; leave it out, or name another format with --format"},
		{"ham\tsee you\n", Spec{Missing: "zero"}, "t: the format text has no use for --missing; leave it out, or name another format with --format"},
		{"a: 1 2\n", Spec{Drop: []string{"a"}}, "t: the format lines has no use for --drop; leave it out, or name another format with --format"},
		{"a: 1 2\n", Spec{Nominal: []string{"a"}}, "t: the format lines has no use for --nominal; leave it out, or name another format with --format"},
		{"a: 1 2\n", Spec{Labels: "l"}, "t: the format lines has no use for --labels; leave it out, or name another format with --format"},
		{"a,b\n1,2\n", Spec{Missing: "median"}, `missing is "median"; it must be one of mean, zero, drop`},
		{"a,b\n1,2\n", Spec{Header: "maybe"}, `header is "maybe"; it must be one of yes, no`},
		{"ham\tsee you\n", Spec{Words: "tf-idf"}, `words is "tf-idf"; it must be one of counts, binary`},
	} {
		if _, err := read("t", test.text, test.spec); err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
	// A model's data may be in another format than this file.
	mustRead(t, "a: 1 2\n", Spec{Label: "class", Known: &data.Input{Format: "lines", Width: 2}})
}

// BenchmarkRead reads 10,000 rows of each format into a set.
func BenchmarkRead(b *testing.B) {
	const rows = 10_000
	row := map[string]func(i int) string{
		"libsvm": func(i int) string { return fmt.Sprintf("%+d 1:%d 7:0.25 31:-1.5 %d:1\n", 1-i%2*2, i, 32+i%90) },
		"csv": func(i int) string {
			return fmt.Sprintf("%d,tcp,181,5450,0.25,-1.5,9,1.00,0.%02d,%s\n", i, i%100, []string{"yes", "no"}[i%2])
		},
		"lines": func(i int) string {
			return fmt.Sprintf("%s: 1 -1 0.5 %d 1e-3 0 0 7\n", []string{"three", "five"}[i%2], i)
		},
		"json": func(i int) string { return fmt.Sprintf(`{"label":%d,"x":[%d,0.25,-1.5,0,1e-3]}`+"\n", i%2, i) },
		"json records": func(i int) string {
			return fmt.Sprintf(`{"label":%d,"age":%d.5,"sex":"f","height":1.81,"rich":true,"city":"Zürich"}`+"\n", i%2, i)
		},
		"text": func(i int) string { return fmt.Sprintf("ham\tSee you at %d, or so; don't be late again.\n", i%100) },
	}
	for _, name := range []string{"libsvm", "csv", "lines", "json", "json records", "text"} {
		var text bytes.Buffer
		for i := range rows {
			text.WriteString(row[name](i))
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				src, err := NewSource("t", bytes.NewReader(text.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				format, _, _ := strings.Cut(name, " ")
				if s, err := ReadSet(context.Background(), src, &Spec{Format: format}); err != nil || s.Len() != rows {
					b.Fatal(err)
				}
			}
		})
	}
}
