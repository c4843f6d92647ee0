package format

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/halfspace-ml/halfspace/data"
)

// carefully is ReadSet of a LIBSVM source by the careful reader alone, line by
// line.
func carefully(src *Source, spec *Spec) (*data.Set, error) { return byLine(src, spec, true) }

func byLine(src *Source, spec *Spec, careful bool) (*data.Set, error) {
	r, err := open(src, spec)
	if err != nil {
		return nil, err
	}
	r.(*libsvm).careful = careful
	b := data.NewBuilder(spec.Features)
	if err := readRows(context.Background(), guard(r, src, spec), nil, b); err != nil {
		return nil, err
	}
	return finished(src, spec, b)
}

func inPieces(src *Source, spec *Spec, workers, size int) (*data.Set, error) {
	if _, err := open(src, spec); err != nil {
		return nil, err
	}
	b := data.NewBuilder(spec.Features)
	if err := readPieces(context.Background(), src, spec, b, workers, size); err != nil {
		return nil, err
	}
	return finished(src, spec, b)
}

func finished(src *Source, spec *Spec, b *data.Builder) (*data.Set, error) {
	if b.Len() == 0 {
		return nil, src.noExamples()
	}
	spec.Found.Rounded = src.rounded
	return b.Set(spec.Found), nil
}

// testAgree reads what content gives in both ways, the pieces of several sizes
// and by several workers; sets and errors must be the same.
func testAgree(t *testing.T, content func() io.Reader, spec Spec) {
	t.Helper()
	if _, err := NewSource("t", content()); err != nil {
		return // nothing to read in any way
	}
	spec.Format = "libsvm"
	fresh := func() (*Source, *Spec) {
		src, err := NewSource("t", content())
		if err != nil {
			t.Fatal(err)
		}
		s := spec
		return src, &s
	}
	want, wantErr := carefully(fresh())
	for _, c := range []struct{ workers, size int }{{1, 1}, {2, 7}, {3, 64}, {5, mostPiece}} {
		src, s := fresh()
		got, err := inPieces(src, s, c.workers, c.size)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatalf("%d workers, %d bytes: error %v, want %v", c.workers, c.size, err, wantErr)
		}
		if err == nil {
			same(t, got, want)
		}
	}
}

func same(t *testing.T, got, want *data.Set) {
	t.Helper()
	if got.Digest() != want.Digest() || got.Dim() != want.Dim() || got.Sparse() != want.Sparse() || got.Features().Len() != want.Features().Len() ||
		!reflect.DeepEqual(got.Classes(), want.Classes()) || !reflect.DeepEqual(got.Input(), want.Input()) {
		t.Fatalf("got %v %d %+v\n%swant %v %d %+v\n%s", got.Classes(), got.Dim(), got.Input(), dump(got), want.Classes(), want.Dim(), want.Input(), dump(want))
	}
}

// lines that are regular, odd and wrong.
var pieceLines = []string{
	"3 1:0.12345678901234567 2:12345678901234567", "1 3:0.12345678901234567 1:1", "1 1:0.12345678901234567 9:1",
	"1 1:0.5 3:-2", "-1 2:1", "+1 1:1 7:1", "2", "", "  ", "# said", "1 1:1 # said", "-1\t2:1 \t3:0\t", "1 3:3 1:1", "1.0 9:0",
	"3 1:0.1234567890123456789", "3 1:1e-320 2:2.4e-324", "1 01:00000000000000000001.5", "1 1:123456789012345 2:1234567890123456 3:.5 4:5. 5:-.25 6:+3",
	"1 1:1\r", "1 2147483648:1", "-1 4294967297:1", "1 2147483649:1", "1 00000000001:2", "1 1:1 1:2", "1 2:1 1:1 2:3", "qid:1 1:1", "1 qid:1 1:1", "1:1 2:2", "x 1:1", "nan 1:1",
	"1 1:nan", "1 1:-inf", "1 1:1e999", "1 1:", "1 1:-", "1 1:.", "1 :1", "1 0:1", "1 -1:1", "1 1:2:3", "1 1", "1 1:1\x00", "1 1:\xff", "1 1:1\r2:2", "\ufeff1 1:1", "1 1:0x1", "1 1:1_0",
}

func TestPiecesAgreeOnLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		good := len(pieceLines)
		if r.IntN(2) == 0 {
			good = 20 // without the wrong ones
		}
		var text strings.Builder
		for range r.IntN(12) {
			text.WriteString(pieceLines[r.IntN(good)])
			text.WriteByte('\n')
		}
		content := text.String()
		if r.IntN(3) == 0 {
			content = strings.TrimSuffix(content, "\n")
		}
		spec := Spec{Unlabelled: r.IntN(4) == 0}
		if r.IntN(4) == 0 {
			spec.Label = "none"
		}
		testAgree(t, func() io.Reader { return strings.NewReader(content) }, spec)
	}
	for _, line := range pieceLines {
		testAgree(t, func() io.Reader { return strings.NewReader(line) }, Spec{})
	}
}

func TestPiecesAgreeOnBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const alphabet = "0123456789::::....   \t\n\n\n-+e#\r\x00\xffq"
	for range 1000 {
		content := make([]byte, r.IntN(60))
		for i := range content {
			content[i] = alphabet[r.IntN(len(alphabet))]
		}
		testAgree(t, func() io.Reader { return bytes.NewReader(content) }, Spec{Unlabelled: true})
	}
}

// For a model, features are frozen or hashed, and unknown ones are counted.
func TestRegularLinesForModels(t *testing.T) {
	for _, line := range pieceLines {
		for name, features := range map[string]*data.Features{
			"frozen": data.RestoreFeatures(nil, 2, 0).Frozen(),
			"hashed": data.HashedFeatures(3),
		} {
			var outcomes [2]string
			for k := range outcomes {
				src, err := NewSource("t", strings.NewReader("1 1:1 2:2\n"+line+"\n"))
				if err != nil {
					t.Fatal(err)
				}
				f := features.Frozen()
				spec := Spec{Format: "libsvm", Known: &data.Input{Format: "libsvm"}, Features: f}
				s, err := byLine(src, &spec, k == 0)
				if err == nil {
					outcomes[k] = fmt.Sprint(s.Digest(), s.Input(), f.Unknown(), f.Len())
				} else {
					outcomes[k] = err.Error()
				}
			}
			if outcomes[0] != outcomes[1] {
				t.Errorf("%s: %q: %s, carefully %s", name, line, outcomes[1], outcomes[0])
			}
		}
	}
}

// sparseText is n lines as text makes them, of 75 values.
func sparseText(n int) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	var text []byte
	for i := range n {
		text = fmt.Appendf(text, "%+d", 1-i%2*2)
		for j, k := 0, 0; k < 75; k++ {
			j += 1 + r.IntN(2600)
			text = fmt.Appendf(text, " %d:%.6g", j, r.Float64())
		}
		text = append(text, '\n')
	}
	return text
}

// Files larger than a piece, streamed byte by byte, compressed, cut short and
// broken off.
func TestPiecesAgreeOnStreams(t *testing.T) {
	text := sparseText(300)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(text)
	w.Close()
	for name, content := range map[string]func() io.Reader{
		"plain":      func() io.Reader { return bytes.NewReader(text) },
		"by bytes":   func() io.Reader { return iotest.OneByteReader(bytes.NewReader(text)) },
		"compressed": func() io.Reader { return bytes.NewReader(packed.Bytes()) },
		"cut short":  func() io.Reader { return bytes.NewReader(packed.Bytes()[:packed.Len()/2]) },
		"broken off": func() io.Reader {
			return io.MultiReader(bytes.NewReader(text[:200_001]), iotest.ErrReader(errors.New("gone")))
		},
		"too early":   func() io.Reader { return io.MultiReader(bytes.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)) },
		"a bad value": func() io.Reader { return io.MultiReader(bytes.NewReader(text), strings.NewReader("1 1:x\n1 1:y\n")) },
	} {
		t.Run(name, func(t *testing.T) { testAgree(t, content, Spec{}) })
	}
}

func TestPiecesLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("reads lines of 64 MiB")
	}
	long := "1 1:1\n1 1:1" + strings.Repeat(" ", MaxLine) + "\n1 1:1\n"
	src, err := NewSource("t", strings.NewReader(long))
	if err != nil {
		t.Fatal(err)
	}
	_, err = ReadSet(context.Background(), src, &Spec{Format: "libsvm"})
	if want := "t:2:1: the line is longer than 64 MiB"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestPiecesEnd(t *testing.T) {
	ctx, end := context.WithCancel(context.Background())
	end()
	src, err := NewSource("t", bytes.NewReader(sparseText(100)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSet(ctx, src, &Spec{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
}

// Compare -cpu 1,2; the text is 20 times 10 MB.
func BenchmarkReadLibsvm(b *testing.B) {
	text := sparseText(10_000)
	const times = 20
	b.SetBytes(int64(times * len(text)))
	for b.Loop() {
		var all []io.Reader
		for range times {
			all = append(all, bytes.NewReader(text))
		}
		src, err := NewSource("t", io.MultiReader(all...))
		if err != nil {
			b.Fatal(err)
		}
		src.Size = int64(times * len(text))
		if _, err := ReadSet(context.Background(), src, &Spec{}); err != nil {
			b.Fatal(err)
		}
	}
}
