package format

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

func TestTableReads(t *testing.T) {
	for _, test := range []struct {
		name, text string
		spec       Spec
		want       string
	}{
		{"header", "a,b,class\n1,2,yes\n0,3,no\n", Spec{}, "yes a:1 b:2\nno b:3"},
		{"no header", "1,2,yes\n0,3,no", Spec{}, "yes x1:1 x2:2\nno x2:3"},
		{"CRLF, blanks, comment, BOM", "\xef\xbb\xbf# c\r\na, b, class\r\n\r\n1, 2 , yes\r\n  \r\n", Spec{}, "yes a:1 b:2"},
		{"tabs", "a\tb\tclass\n1\t2\tyes one\n", Spec{}, "yes one a:1 b:2"},
		{"semicolons", "a;b;class\n1;2;y,z\n3;4;w\n", Spec{}, "y,z a:1 b:2\nw a:3 b:4"},
		{"label first", "1,0.5,0.25\n0,0.125,2.5\n", Spec{}, "1 x1:0.5 x2:0.25\n0 x1:0.125 x2:2.5"},
		{"label by name", "a,b,c\n1,2,3\n", Spec{Label: "b"}, "2 a:1 c:3"},
		{"label by number", "a,b,c\n1,2,3\n", Spec{Label: "1"}, "1 b:2 c:3"},
		{"label none", "a,b\n1,2\n", Spec{Label: "none"}, "- a:1 b:2"},
		{"label by its name", "Target,b,c\n1,2,x\n", Spec{}, "1 b:2 c=x:1"},
		{"y is a class", "y,b,c\n1,2.5,4.5\n", Spec{}, "1 b:2.5 c:4.5"},
		{"y is a coordinate", "x,y,colour\n1,2.5,red\n", Spec{}, "red x:1 y:2.5"},
		{"ways of writing a label", "1,+1\n2,-1.0\n3,1e0\n4,1\n", Spec{}, "1 x1:1\n-1 x1:2\n1 x1:3\n1 x1:4"},
		{"codes and versions", "1,007\n2,7\n3,1.10\n4,1.1\n", Spec{Label: "2"}, "007 x1:1\n7 x1:2\n1.10 x1:3\n1.1 x1:4"},
		{"nominal", "a,b,class\nu,2,yes\nv,3,no\nu,4,no\n", Spec{}, "yes b:2 a=u:1\nno b:3 a=v:1\nno b:4 a=u:1"},
		{"forced nominal", "a,b,class\n7,2,yes\n8,3,no\n", Spec{Nominal: []string{"a"}}, "yes b:2 a=7:1\nno b:3 a=8:1"},
		{"all names, no header", "a,b\nc,d\n", Spec{}, "b x1=a:1\nd x1=c:1"},
		{"all names, header", "a,b\nc,d\n", Spec{Header: "yes"}, "d a=c:1"},
		{"all names, header with a label", "class,cap\ne,u\np,v\n", Spec{}, "e cap=u:1\np cap=v:1"},
		{"all names, a class called class", "class,u\nother,v\nclass,w\n", Spec{Label: "1"}, "class x1=u:1\nother x1=v:1\nclass x1=w:1"},
		{"all names, header by reference", "a,b\nc,d\n", Spec{Label: "a"}, "c b=d:1"},
		{"numbers as names of columns", "1990,1991,class\n1,2,y\n", Spec{Header: "yes"}, "y 1990:1 1991:2"},
		{"header no", "a,b\n1,2\n", Spec{Header: "no", Label: "2"}, "b x1=a:1\n2 x1=1:1"},
		{"drop", "id,a,class\n1,2,y\n", Spec{Drop: []string{"id"}}, "y a:2"},
		{"drop without header", "1,2,y\n", Spec{Drop: []string{"1"}}, "y x1:2"},
		{"weight", "a,w,class\n1,2.5,y\n3,0,z\n", Spec{Weight: "w"}, "y*2.5 a:1\nz*0 a:3"},
		{"empty name", ",b,class\n1,2,y\n", Spec{}, "y x1:1 b:2"},
		{"quotes", "a,class\n1,\"p, \"\"q\"\"\"\n2, \"r\" \n", Spec{}, "p, \"q\" a:1\nr a:2"},
		{"quoted line end", "a,class\n1,\"p\n#q\n\nr\"\n2,s\n", Spec{}, "p\n#q\n\nr a:1\ns a:2"},
		{"quoted numbers", "a,class\n\" 1\",\"p\"\n", Spec{}, "p a:1"},
		{"quote inside", "a,class\n1,5\" disk\n2,x\n", Spec{}, "5\" disk a:1\nx a:2"},
		{"missing zero", "a,b,class\n?,u,y\n2,NA,z\n", Spec{Missing: "zero"}, "y b=u:1\nz a:2"},
		{"missing drop", "a,b,class\n,u,y\n2,v,z\n", Spec{Missing: "drop"}, "z a:2 b=v:1"},
		{"missing mean", "a,b,class\n?,1,y\n2,nan,z\n4,3,z\nnull,N/A,y\n", Spec{Missing: "mean"}, "y a:3 b:1\nz a:2 b:2\nz a:4 b:3\ny a:3 b:2"},
		{"mean zero is not stored", "a,b,class\n?,1,y\n2,1,z\n-2,3,z\n", Spec{Missing: "mean"}, "y b:1\nz a:2 b:1\nz a:-2 b:3"},
		{"mean does not overflow", "a,class\n1.7e308,y\n1.7e308,y\n?,z\n", Spec{Missing: "mean"}, "y a:1.7e+308\ny a:1.7e+308\nz a:1.7e+308"},
		{"nothing but missing", "a,b,class\n?,1,y\n?,2,z\n", Spec{Missing: "mean"}, "y b:1\nz b:2"},
		{"one column", "a\nb\n", Spec{Format: "csv"}, "a\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := show(mustRead(t, test.text, test.spec)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTableRefuses(t *testing.T) {
	many := strings.Repeat("1,y\n", sampleRows)
	testBad(t, "", "t.csv", []badInput{
		{"too many", "a,b,class\n1,2,y\n1,2,3,y\n1,2,y\n", Spec{},
			"t.csv:3:7: 4 columns where the first row has 3; give every row the same columns, and quote cells that contain the delimiter"},
		{"too few", "a,b,class\n1,2\n", Spec{},
			"t.csv:2:4: 2 columns where the first row has 3; give every row the same columns, and quote cells that contain the delimiter"},
		{"too few, late", "a,class\n" + many + "1\n", Spec{},
			"t.csv:1002:2: 1 column where the first row has 2; give every row the same columns, and quote cells that contain the delimiter"},
		{"open quote", "a,class\n1,y\n2, \"z\n3,u\n", Spec{},
			`t.csv:3:4: a quote that is never closed, found "\"z"; close it, or write "" for a quote in a quoted cell`},
		{"after quote", "a,class\n1,\"y\"z\n", Spec{},
			`t.csv:2:6: text after a closing quote, found "\"y\"z"; write "" for a quote in a quoted cell`},
		{"place after quoted lines", "a,b,class\n\"1\",\"u\nv\",y\n?,\"u\nv\",\n", Spec{Missing: "zero"},
			`t.csv:5:4: the label is missing; give every example a label, or remove the row`},
		{"missing", "a,b,class\n1,2,y\n1,?,y\n", Spec{},
			`t.csv:3:3: a missing value in column "b", found "?"; use --missing mean, zero or drop`},
		{"missing, no header", "1,2,y\n1,,y\n", Spec{},
			`t.csv:2:3: a missing value in column 2; use --missing mean, zero or drop`},
		{"missing name", "a,b,class\n1,u,y\n1,NA,y\n", Spec{},
			`t.csv:3:3: a missing value in column "b", found "NA"; use --missing mean, zero or drop`},
		{"late name", "the age,class\n" + many + "old,y\n", Spec{},
			`t.csv:1002:1: column "the age" looked numeric in the first 999 rows, found "old"; correct the value, or use --nominal "the age"`},
		{"late name, no header", many + "old,y\n", Spec{},
			`t.csv:1001:1: column 1 looked numeric in the first 1000 rows, found "old"; correct the value, or use --nominal 1`},
		{"late infinity", many + "inf,y\n", Spec{},
			`t.csv:1001:1: the value of column 1 is not a finite number, found "inf"; write a finite decimal number`},
		{"early typing error", many[:4*25] + "1o,y\n", Spec{},
			`t.csv:26:1: not a number in column 1, which has 25 numbers in the first 26 rows, found "1o"; correct the value, or use --nominal 1`},
		{"infinity", "1,y\n-Inf,y\n", Spec{},
			`t.csv:2:1: the value of column 1 is not a finite number, found "-Inf"; write a finite decimal number, or use --nominal 1`},
		{"overflow", "1,y\n1e999,y\n", Spec{},
			`t.csv:2:1: the value of column 1 is too large for a number, found "1e999"; write a finite decimal number, or use --nominal 1`},
		{"hexadecimal", "1,y\n0x1F,y\n", Spec{},
			`t.csv:2:1: the value of column 1 is not a number, found "0x1F"; write a finite decimal number, or use --nominal 1`},
		{"underscore", "1,y\n1_000,y\n", Spec{},
			`t.csv:2:1: the value of column 1 is not a number, found "1_000"; write a finite decimal number, or use --nominal 1`},
		{"decimal comma", "1,5;2,5;y\n2,5;3,5;z\n", Spec{},
			`t.csv:1:1: the value of column 1 is a number with a comma, found "1,5"; write a decimal point, or use --nominal 1`},
		{"same names", "a,b,a,class\n1,2,3,y\n", Spec{},
			`t.csv:1:5: columns 1 and 3 have the same name "a", found "a"; rename one of them; if this row is no header, use --header no`},
		{"no class", "a,b\n1.5,2.5\n", Spec{},
			`t.csv:1:1: no column looks like a class; use --label NAME or NUMBER, or --label none`},
		{"two labels", "class,b,label\n1,2,3\n", Spec{},
			`t.csv:1:1: column "class" and column "label" may both be the label; say which with --label`},
		{"no such column", "a,b\n1,2\n", Spec{Label: "c"},
			`t.csv:1:1: no column "c"; the columns are a, b`},
		{"no such number", "a,b\n1,2\n", Spec{Label: "3"},
			`t.csv:1:1: no column 3; the table has columns 1 to 2`},
		{"no names", "1,2\n", Spec{Drop: []string{"a"}},
			`t.csv:1:1: no column "a": the table has no header; give the column's number, or use --header yes`},
		{"two roles", "a,b\n1,2\n", Spec{Drop: []string{"a"}, Label: "a"},
			`t.csv:1:1: column "a" is asked for as dropped and as label, found "a"; choose one`},
		{"name like a level", "a,a=u,class\nu,1,y\nv,2,z\n", Spec{},
			`t.csv:1:1: column "a=u" is called like a level of column "a"; rename one of them`},
		{"missing label", "a,class\n1,y\n2,\n", Spec{},
			`t.csv:3:3: the label is missing; give every example a label, or remove the row`},
		{"bad weight", "a,w,class\n1,-1,y\n", Spec{Weight: "w"},
			`t.csv:2:3: the weight is not a finite number of at least 0, found "-1"; correct it`},
		{"header only", "a,b\n", Spec{Header: "yes"},
			`t.csv:1:1: no rows after the header; give a file with at least one example`},
		{"header only, found", "a,b,class\n", Spec{},
			`t.csv:1:1: no rows after the header; give a file with at least one example`},
		{"blanks only", " \n\t\n", Spec{},
			`t.csv: no examples in the file; give a file with at least one example`},
		{"nothing", "# nothing\n", Spec{Format: "csv"},
			`t.csv: no rows in the table; give a file with at least one example`},
		{"NUL", "a,class\n1,\x00\n", Spec{Format: "csv"},
			`t.csv:2:3: a NUL byte, so this is not text; check the file; is it binary, or UTF-16?`},
	})
}

func TestTableRecognised(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a,b\n1,2\n", "csv"},
		{"a;b\n1,5;2,5\n", "csv"},
		{"a\tb,c\n1\t2,2\n", "tsv"},
		{"a,b\tc\n1,2\n3,4\n", "csv"},
		{"\"a\nb\",c\n1,2\n", "csv"},
		{"1,2\n\"3,4\n5,6\n", "csv"},
		{"1,2,3\n1,2\n", "csv"}, // so that the reader can say which row
		{strings.Repeat("1,", headSize), "csv"},
		{"no delimiters\nat all\n", ""},
		{"Dear all, hello\nthis is prose\nand no table, or is it, then\n", ""},
		{"a,b\x00\n", ""},
		{"", ""},
	} {
		got := ""
		for _, f := range []Format{tsvFormat, csvFormat} {
			if got == "" && f.Recognise([]byte(test.text)[:min(len(test.text), headSize)]) {
				got = f.Name
			}
		}
		if got != test.want {
			t.Errorf("%.20q is %q, want %q", test.text, got, test.want)
		}
	}
}

func TestTableForModel(t *testing.T) {
	train := func(text string, spec Spec) (*data.Input, *data.Features) {
		t.Helper()
		s := mustRead(t, text, spec)
		in := s.Input()
		return &in, s.Features().Frozen()
	}
	const named = "a,b,c,class\n1,u,5,y\n3,v,6,z\n?,u,7,z\n"
	const plain = "1,u,5,y\n3,v,6,z\n"
	for _, test := range []struct {
		name, train string
		fit         Spec
		text        string
		spec        Spec
		want        string // what is read, or the error
	}{
		{"same", named, Spec{Missing: "mean"}, "a,b,c,class\n9,v,8,z\n", Spec{}, "z a:9 c:8 b=v:1"},
		{"other order", named, Spec{Missing: "mean"}, "class,c,b,a\nz,8,v,9\n", Spec{}, "z a:9 c:8 b=v:1"},
		{"other delimiter", named, Spec{Missing: "mean"}, "class\tc\tb\ta\nz\t8\tv\t9\n", Spec{}, "z a:9 c:8 b=v:1"},
		{"kept mean", named, Spec{Missing: "mean"}, "a,b,c\n?,v,8\n", Spec{}, "- a:2 c:8 b=v:1"},
		{"zero instead", named, Spec{Missing: "mean"}, "a,b,c\n?,v,8\n", Spec{Missing: "zero"}, "- c:8 b=v:1"},
		{"no label", named, Spec{Missing: "mean"}, "c,b,a\n8,v,9\n", Spec{}, "- a:9 c:8 b=v:1"},
		{"no label, though named", named, Spec{Missing: "mean"}, "c,b,a\n8,v,9\n", Spec{Label: "class"}, "- a:9 c:8 b=v:1"},
		{"empty label", named, Spec{Missing: "mean"}, "a,b,c,class\n9,v,8,\n", Spec{}, "- a:9 c:8 b=v:1"},
		{"label not wanted", named, Spec{Missing: "mean"}, "a,b,c,class\n9,v,8,y\n", Spec{Label: "none"}, "- a:9 c:8 b=v:1"},
		{"other label", named, Spec{Missing: "mean"}, "a,b,c,kind\n9,v,8,y\n", Spec{Label: "kind"}, "y a:9 c:8 b=v:1"},
		{"by position", named, Spec{Missing: "mean"}, "9,v,8,z\n", Spec{}, "z a:9 c:8 b=v:1"},
		{"by position, no label", named, Spec{Missing: "mean"}, "9,v,8\n", Spec{}, "- a:9 c:8 b=v:1"},
		{"unknown level", named, Spec{Missing: "mean"}, "9,w,8\n", Spec{}, "- a:9 c:8"},
		{"one feature", "1.5,y\n2.5,z\n", Spec{}, "7\n", Spec{}, "- x1:7"},
		{"plain", plain, Spec{}, "9,v,8\n", Spec{}, "- x1:9 x3:8 x2=v:1"},
		{"plain, header written", plain, Spec{}, "class,x3,x2,x1\nz,8,v,9\n", Spec{}, "z x1:9 x3:8 x2=v:1"},
		{"plain, any header", plain, Spec{}, "p,q,r\n9,v,8\n", Spec{Header: "yes"}, "- x1:9 x3:8 x2=v:1"},
		{"plain, label elsewhere", plain, Spec{}, "z,9,v,8\n", Spec{Label: "1"}, "z x1:9 x3:8 x2=v:1"},
		{"dropped", "id,a,class\n1,2,y\n", Spec{Drop: []string{"id"}}, "a,class\n3,y\n", Spec{Drop: []string{"id"}}, "y a:3"},
		{"extra, dropped", named, Spec{Missing: "mean"}, "a,b,c,d\n9,v,8,7\n", Spec{Drop: []string{"d"}}, "- a:9 c:8 b=v:1"},
		{"extra", named, Spec{Missing: "mean"}, "a,b,c,d\n9,v,8,7\n", Spec{},
			`t.csv:1:7: column "d" is not in the model's data, found "d"; leave it out with --drop d`},
		{"lacking", named, Spec{Missing: "mean"}, "a,c,class\n9,8,y\n", Spec{},
			`t.csv:1:1: no column "b", which the model needs; the columns are a, c, class`},
		{"wrong number", named, Spec{Missing: "mean"}, "9,8\n", Spec{},
			`t.csv:1:1: 2 columns where the model's data has 4; give the same columns with or without the label, or a header to match them by name`},
		{"ragged", named, Spec{Missing: "mean"}, "9,v,8\n9,v\n", Spec{},
			`t.csv:2:4: 2 columns where the first row has 3; give every row the same columns, and quote cells that contain the delimiter`},
		{"name for number", named, Spec{Missing: "mean"}, "p,q,r\n9,v,8\n", Spec{},
			`t.csv:1:1: column 1 is numeric in the model's data, found "p"; write a number; if this row is a header, use --header yes`},
		{"missing", plain, Spec{}, "?,v,8\n", Spec{},
			`t.csv:1:1: a missing value in column 1, found "?"; use --missing zero`},
		{"no means", plain, Spec{}, "?,v,8\n", Spec{Missing: "mean"},
			`t.csv: the model keeps no means for missing values; use --missing zero, or fit it with --missing mean`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.spec.Known, test.spec.Features = train(test.train, test.fit)
			test.spec.Format = test.spec.Known.Format
			var got string
			s, err := read("t.csv", test.text, test.spec)
			if err != nil {
				got = err.Error()
			} else {
				got = show(s)
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTableUnknownLevelsAreCounted(t *testing.T) {
	s := mustRead(t, "a,b,class\n1,u,y\n2,v,z\n", Spec{})
	in, features := s.Input(), s.Features().Frozen()
	mustRead(t, "a,b\n1,u\n1,w\n1,w\n", Spec{Known: &in, Features: features})
	if features.Unknown() != 2 {
		t.Errorf("%d unknown, want 2", features.Unknown())
	}
}

func TestTableInput(t *testing.T) {
	spec := Spec{Missing: "mean", Drop: []string{"id"}, Weight: "w"}
	s := mustRead(t, "id,a,b,w,class\n1,2,u,1,y\n2,4,v,1,z\n3,,v,1,z\n", spec)
	in := s.Input()
	want := []data.Column{
		{Name: "id", Kind: data.Dropped}, {Name: "a", Kind: data.Numeric, Mean: 3}, {Name: "b", Kind: data.Nominal},
		{Name: "w", Kind: data.Weight}, {Name: "class", Kind: data.Label},
	}
	if in.Format != "csv" || !in.Named || in.Missing != "mean" || !slices.Equal(in.Columns, want) {
		t.Errorf("got %+v", in)
	}
}

// Hashed features coincide here, one bit for three columns: the sums must be
// those of the table with the means written in.
func TestTableMeansOfHashedFeatures(t *testing.T) {
	holes := mustRead(t, "a,b,c,class\n?,1,10,y\n2,?,?,z\n4,3,20,z\n", Spec{Missing: "mean", Hash: 1})
	filled := mustRead(t, "a,b,c,class\n3,1,10,y\n2,2,15,z\n4,3,20,z\n", Spec{Hash: 1})
	if holes.Digest() != filled.Digest() || holes.Dim() != 2 || holes.Features().Len() != 2 {
		t.Errorf("got  %s (%d)\nwant %s (%d)", show(holes), holes.Dim(), show(filled), filled.Dim())
	}
}

func TestTableNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(path, []byte("p\nq\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := show(mustRead(t, "1,2,y\n", Spec{Names: path})), "y p:1 q:2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, err := read("t.csv", "1,2,3,y\n", Spec{Names: path})
	if want := "t.csv:1:1: 3 feature columns, and 2 names in " + path + "; give a name for every feature"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Rows of numbers and known levels need no memory of their own.
func TestTableReadsWithoutAllocating(t *testing.T) {
	src, err := NewSource("t.csv", strings.NewReader(strings.Repeat("1,u,0.25,yes\n-3,v,1e2,no\n", 5000)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(src, &Spec{})
	if err != nil {
		t.Fatal(err)
	}
	var ex Example
	for range 2 * sampleRows {
		if err := r.Read(&ex); err != nil {
			t.Fatal(err)
		}
	}
	n := testing.AllocsPerRun(1000, func() {
		if err := r.Read(&ex); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a row", n)
	}
}

// The counts are those of the data's own README.
func TestTableFiles(t *testing.T) {
	type counts map[string]int
	for _, test := range []struct {
		file           string
		spec           Spec
		rows, features int // columns that are features
		classes        counts
		slow           bool
	}{
		{"iris.csv", Spec{}, 150, 4, counts{"setosa": 50, "versicolor": 50, "virginica": 50}, false},
		{"wine.csv", Spec{}, 178, 13, counts{"class_0": 59, "class_1": 71, "class_2": 48}, false},
		{"wdbc.csv", Spec{}, 569, 30, counts{"malignant": 212, "benign": 357}, false},
		{"digits8x8.csv", Spec{}, 1797, 64, nil, false},
		{"sonar.csv", Spec{}, 208, 60, counts{"M": 111, "R": 97}, false},
		{"ionosphere.csv", Spec{}, 351, 34, counts{"g": 225, "b": 126}, false},
		{"pima_diabetes.csv", Spec{}, 768, 8, counts{"0": 500, "1": 268}, false},
		{"banknote.csv", Spec{}, 1372, 4, counts{"0": 762, "1": 610}, false},
		{"spambase.data", Spec{}, 4601, 57, counts{"1": 1813, "0": 2788}, false},
		{"titanic.csv", Spec{Label: "Survived", Missing: "zero"}, 891, 11, counts{"0": 549, "1": 342}, false},
		{"adult.data.gz", Spec{Missing: "zero"}, 32561, 14, counts{">50K": 7841, "<=50K": 32561 - 7841}, false},
		{"adult.test.gz", Spec{Missing: "zero"}, 16281, 14, counts{">50K.": 3846, "<=50K.": 16281 - 3846}, false},
		{"higgs7k.train.tsv.gz", Spec{}, 7000, 28, counts{"1": 3716, "0": 3284}, false},
		{"higgs7k.test.tsv.gz", Spec{}, 500, 28, counts{"1": 272, "0": 228}, false},
		{"letter.csv.gz", Spec{}, 20000, 16, nil, false},
		{"satimage.csv.gz", Spec{}, 6435, 36, nil, false},
		{"kddcup.data_10_percent.gz", Spec{}, 494021, 41, counts{"normal.": 97278}, true},
		{"kddcup.corrected.gz", Spec{}, 311029, 41, nil, true},
	} {
		t.Run(test.file, func(t *testing.T) {
			if test.slow && testing.Short() {
				t.Skip("long")
			}
			s, err := ReadFile(context.Background(), publicFile(t, test.file), &test.spec)
			if err != nil {
				t.Fatal(err)
			}
			features := 0
			for _, c := range s.Input().Columns {
				if c.Kind == data.Numeric || c.Kind == data.Nominal {
					features++
				}
			}
			if s.Len() != test.rows || features != test.features {
				t.Errorf("%d rows, %d features; want %d, %d", s.Len(), features, test.rows, test.features)
			}
			perClass, _ := s.Counts()
			for name, want := range test.classes {
				c := slices.Index(s.Classes(), name)
				if c < 0 || perClass[c] != want {
					t.Errorf("class %s: want %d; classes %q, counts %v", name, want, s.Classes(), perClass)
				}
			}
			most := map[string]int{"digits8x8.csv": 10, "letter.csv.gz": 26, "satimage.csv.gz": 6}
			if want := most[test.file]; want > 0 && len(s.Classes()) != want {
				t.Errorf("classes %q, want %d", s.Classes(), want)
			}
		})
	}
}

func TestTableRoundTrip(t *testing.T) {
	for _, text := range []string{
		"a,b,class\n1,0.1,y\n0,1e-300,z\n123456789012345680000,3,y\n",
		"1,2,\"a,b\"\n3,0,\"c\"\"d\"\n5,6,\"e\nf\"\n7,8,\" g\"\n9,1,\"#h\"\n",
		"\"#p\",\"q,r\",\"s\tt\",class\n1,2,3,\"u\tv\"\n0,0,0,w\n",
		"a,b,class\nu,1,y\nv,2,z\n",
	} {
		for _, f := range []*Format{ByName("csv"), ByName("tsv")} {
			s := mustRead(t, text, Spec{})
			var out bytes.Buffer
			if err := f.Write(&out, s); err != nil {
				t.Fatal(err)
			}
			back := mustRead(t, out.String(), Spec{})
			if show(back) != show(s) || back.Digest() != s.Digest() || back.Input().Format != f.Name {
				t.Errorf("%s %s\ngot  %s\nwant %s", f.Name, out.String(), show(back), show(s))
			}
		}
	}
}

func TestTableWrites(t *testing.T) {
	s := mustRead(t, "class,weight,v,w,kind\n1,2,0.5,2,a\n0,-3,7,1,\"b,c\"\n", Spec{Label: "kind", Weight: "w"})
	var out bytes.Buffer
	if err := csvFormat.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	want := "class,weight,v,weights,label\n1,2,0.5,2,a\n0,-3,7,1,\"b,c\"\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}

	b := data.NewBuilder(data.HashedFeatures(24))
	for range 129 {
		b.Add(mustRead(t, "1,y\n", Spec{}).Row(0), []byte("y"), 1)
	}
	err := csvFormat.Write(io.Discard, b.Set(data.Input{}))
	if want := "129 examples of 16777216 features are more than 2^31 values with their zeros; write libsvm or json"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	b = data.NewBuilder(data.NewFeatures("a"))
	b.Add(s.Row(0), []byte("NA"), 1)
	err = csvFormat.Write(io.Discard, b.Set(data.Input{}))
	if want := `the class "NA" would be read as a missing label; rename classes with --relabel`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzTable(f *testing.F) {
	for _, s := range []string{
		"a,b,class\n1,2,y\n?,3,z\n", "1;2\n\"a\nb\";c\n", "a\tb\n\"x\"\"y\"\t1\n", "\"", ",,,\n,,\n", "#a\n\n1,2\n1,2,3",
		"a,a\n1,2\n", "x,y\r\n1e999,inf\r\n", "1,5;2\n", "\x00", "\xff,1\n", "class\n1\n", "a,b\n\"1\"x,2",
	} {
		f.Add([]byte(s), uint8(0))
		f.Add([]byte(s), uint8(0xff))
	}
	f.Fuzz(func(t *testing.T, text []byte, bits uint8) {
		spec := Spec{
			Format:  []string{"csv", "tsv"}[bits&1],
			Missing: []string{"", "zero", "mean", "drop"}[bits>>1&3],
			Header:  []string{"", "yes", "no", ""}[bits>>3&3],
			Label:   []string{"", "1", "none", "class"}[bits>>5&3],
			Hash:    int(bits >> 7),
		}
		s := fuzzFormat(t, text, spec, true)
		if s == nil {
			return
		}
		in := s.Input()
		again := spec
		again.Known, again.Features, again.Header, again.Label = &in, s.Features().Frozen(), "", ""
		fuzzFormat(t, text, again, true)
		var out bytes.Buffer
		if err := ByName(spec.Format).Write(&out, s); err != nil {
			return
		}
		if _, none := s.Counts(); none > 0 {
			return
		}
		taken := map[string]bool{}
		for j := range s.Dim() {
			taken[s.Features().Name(j)] = true
		}
		label, _ := unused(taken, "class", "label", "target")
		back := fuzzFormat(t, out.Bytes(), Spec{Format: spec.Format, Header: "yes", Label: label}, true)
		if back == nil {
			t.Fatalf("%q is written as %q, which is not read", text, out.Bytes())
		}
		if show(back) != show(s) && spec.Hash == 0 {
			t.Fatalf("%q is written as %q\ngot  %s\nwant %s", text, out.Bytes(), show(back), show(s))
		}
	})
}
