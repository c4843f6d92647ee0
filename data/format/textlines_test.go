package format

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

func TestTextLines(t *testing.T) {
	known := &data.Input{Format: "text", Words: "counts"}
	for _, c := range []struct {
		name, text string
		spec       Spec
		want       string
	}{
		{"counts", "ham\tsee you, you\nspam\tfree entry\n", Spec{}, "ham see:1 you:2\nspam free:1 entry:1"},
		{"binary", "ham\tsee you, you\n", Spec{Words: "binary"}, "ham see:1 you:1"},
		{"more tabs", "ham\tsee\tyou\t\n", Spec{Format: "text"}, "ham see:1 you:1"},
		{"CRLF, blank lines, no end", "ham\tsee you\r\n\r\n \nspam\tgo now", Spec{}, "ham see:1 you:1\nspam go:1 now:1"},
		{"BOM", "\xef\xbb\xbfham\tsee you", Spec{}, "ham see:1 you:1"},
		{"# is text", "#1\tsee you # now\n", Spec{Format: "text"}, "#1 see:1 you:1 now:1"},
		{"blanks around the label", " ham \tsee you\n", Spec{}, "ham see:1 you:1"},
		{"empty text", "ham\t\nham\tsee you\nham\tso long\n", Spec{}, "ham\nham see:1 you:1\nham so:1 long:1"},
		{"header found", "Label\tText\nham\tsee you\nham\tso long\n", Spec{}, "ham see:1 you:1\nham so:1 long:1"},
		{"header told", "type\tsms\nham\tsee you\n", Spec{Format: "text", Header: "yes"}, "ham see:1 you:1"},
		{"header denied", "label\ttext\nham\tsee you\n", Spec{Format: "text", Header: "no"}, "label text:1\nham see:1 you:1"},
		{"no labels", "see\tyou\n", Spec{Format: "text", Label: "none"}, "- see:1 you:1"},
		{"known: with and without label", "see you\nham\tsee you\n\tsee you\n", Spec{Known: known}, "- see:1 you:1\nham see:1 you:1\n- see:1 you:1"},
		{"known words win", "see see\n", Spec{Words: "counts", Known: &data.Input{Format: "text", Words: "binary"}}, "- see:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := read("f", c.text, c.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := show(s); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if in := s.Input(); in.Format != "text" || in.Words == "" {
				t.Errorf("input %+v", in)
			}
		})
	}
}

func TestTextLinesRefused(t *testing.T) {
	testBad(t, "text", "f", []badInput{
		{"no tab", "ham\tsee you\nspam", Spec{}, `f:2:5: no tab after the label, found "spam"; write label<TAB>text, or say --label none if there are no labels`},
		{"no label", "ham\tsee you\n \tgo", Spec{}, `f:2:1: the label is empty, found " \tgo"; give every example a label, or remove the line`},
		{"NUL", "ham\tsee\x00you", Spec{}, `f:1:8: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?`},
		{"Latin-1", "ham\tcaf\xe9", Spec{}, `f:1:8: not UTF-8 text, found "\xe9"; convert the file, e.g. iconv -f latin1 -t utf-8`},
		{"nothing", "\n\n", Spec{}, `f: no examples in the file; give a file with at least one example`},
	})
}

func TestRecogniseText(t *testing.T) {
	for _, c := range []struct {
		name, head string
		want       bool
	}{
		{"messages", "ham\tsee you\nspam\tfree entry now\n", true},
		{"a short message among others", "ham\tOk\nham\tsee you\nspam\tfree entry\n", true},
		{"a number among others", "ham\t645\nham\tsee you\nspam\tfree entry\n", true},
		{"tabs within", "ham\tsee you\tsoon\nspam\tfree entry\n", true},
		{"empty text", "ham\t\nham\tsee you\nspam\tfree entry\n", true},
		{"numeric labels", "1\tgood film\n0\tbad film\n", true},
		{"numbers", "1\t0.5\t2\n0\t1.5\t3\n", false},
		{"two numbers", "1\t0.5\n0\t1.5\n", false},
		{"names", "yes\tred\tbig\nno\tblue\tsmall\n", false},
		{"two names", "yes\tred\nno\tblue\n", false},
		{"header and numbers", "class\theight\n1\t3\n", false},
		{"phrases in a table", "toy\tred train\t12.5\nbook\told story\t3\n", false},
		{"numbers with blanks", "1\t2 3\n0\t4 5\n", false},
		{"no tab", "see you\n", false},
		{"one line without a tab", "ham\tsee you\nspam\n", false},
		{"a long label", "it was a dark and stormy night and it went on like that for long time\tthe end\n", false},
		{"no label", "\tsee you\n", false},
		{"nothing", "", false},
		{"libsvm with tabs", "1\t1:2 3:4\n", false},
	} {
		if got := recogniseText([]byte(c.head)); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// SMS: the counts its authors publish. Reuters: 5485 and 2189 are published,
// the counts by class were made with cut -f1 | sort | uniq -c.
func TestTextCorpora(t *testing.T) {
	for _, c := range []struct {
		file    string
		classes map[string]int
	}{
		{"SMSSpamCollection", map[string]int{"ham": 4827, "spam": 747}},
		{"reuters_r8.train.txt.bz2", map[string]int{"earn": 2840, "acq": 1596, "trade": 251, "crude": 253, "grain": 41, "interest": 190, "money-fx": 206, "ship": 108}},
		{"reuters_r8.test.txt.bz2", map[string]int{"earn": 1083, "acq": 696, "trade": 75, "crude": 121, "grain": 10, "interest": 81, "money-fx": 87, "ship": 36}},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := ReadFile(context.Background(), publicFile(t, c.file), &Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if s.Input().Format != "text" || !maps.Equal(counts(s), c.classes) {
				t.Errorf("%s: got %v", s.Input().Format, counts(s))
			}
		})
	}
}

func TestNames(t *testing.T) {
	names := filepath.Join(t.TempDir(), "names.txt")
	write := func(text string) {
		if err := os.WriteFile(names, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("red\ngreen\r\nblue")
	s, err := read("f", "1 1:2 3:4\n0 2:1 5:7\n", Spec{Names: names})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := show(s), "1 red:2 blue:4\n0 green:1 x5:7"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Dim() != 5 {
		t.Errorf("%d features, want 5", s.Dim())
	}

	write("red\ngreen\nred\n")
	_, err = read("f", "1 1:2\n", Spec{Names: names})
	if want := names + `:3:1: the name of line 1 again, found "red"; give every feature its own name`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestNamesOfCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("a large file")
	}
	spec := &Spec{Names: publicFile(t, "imdb.vocab.txt.gz")}
	s, err := ReadFile(context.Background(), publicFile(t, "imdb.train.svm.bz2"), spec)
	if err != nil {
		t.Fatal(err)
	}
	// The vocabulary has 49133 lines, and no feature goes beyond them.
	if n := len(s.Features().Names()); s.Dim() != 49133 || n != 49133 {
		t.Errorf("%d features with %d names, want 49133", s.Dim(), n)
	}
}

func FuzzTextLines(f *testing.F) {
	f.Add("ham\tsee you\nspam\tfree entry\n", false)
	f.Add("\tcaf\xe9\n#\t'\r\n\xef\xbb\xbf", true)
	f.Add("label\ttext\n\n \nx", true)
	f.Fuzz(func(t *testing.T, text string, predict bool) {
		recogniseText([]byte(text))
		spec := Spec{Format: "text"}
		if predict {
			spec.Known = &data.Input{Format: "text", Words: "binary"}
		}
		fuzzFormat(t, text, spec, true)
	})
}
