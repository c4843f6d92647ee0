package format

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	encoding "encoding/binary"

	"github.com/halfspace-ml/halfspace/data"
)

// encodeIDX is an IDX file of that type and those dimensions.
func encodeIDX(kind byte, dims []uint32, values ...float64) []byte {
	be := encoding.BigEndian
	b := []byte{0, 0, kind, byte(len(dims))}
	for _, d := range dims {
		b = be.AppendUint32(b, d)
	}
	for _, v := range values {
		switch kind {
		case 0x08, 0x09:
			b = append(b, byte(int(v)))
		case 0x0B:
			b = be.AppendUint16(b, uint16(int(v)))
		case 0x0C:
			b = be.AppendUint32(b, uint32(int(v)))
		case 0x0D:
			b = be.AppendUint32(b, math.Float32bits(float32(v)))
		case 0x0E:
			b = be.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func zip(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// write puts files into a folder of the test and returns its path.
func writeFolder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestIDXTypes(t *testing.T) {
	labels := encodeIDX(0x08, []uint32{2}, 7, 3)
	tests := []struct {
		kind   byte
		values []float64
		want   string
	}{
		{0x08, []float64{0, 1, 255, 0, 0, 128, 0, 0}, "7 1:1 2:255\n3 1:128\n"},
		{0x09, []float64{0, -1, 127, 0, 0, -128, 0, 0}, "7 1:-1 2:127\n3 1:-128\n"},
		{0x0B, []float64{0, -1, 32767, 0, 0, -32768, 0, 0}, "7 1:-1 2:32767\n3 1:-32768\n"},
		{0x0C, []float64{0, -1, 1 << 30, 0, 0, -1 << 31, 0, 0}, "7 1:-1 2:1.073741824e+09\n3 1:-2.147483648e+09\n"},
		{0x0D, []float64{0, -1.5, 0.25, 0, 0, 1e10, 0, math.Copysign(0, -1)}, "7 1:-1.5 2:0.25\n3 1:1e+10\n"},
		{0x0E, []float64{0, -1.5, 0.1, 0, 0, 1e300, 0, 0}, "7 1:-1.5 2:0.1\n3 1:1e+300\n"},
	}
	for _, test := range tests {
		for _, dims := range [][]uint32{{2, 4}, {2, 2, 2}, {2, 1, 4, 1}} {
			dir := writeFolder(t, map[string][]byte{"x-images": encodeIDX(test.kind, dims, test.values...), "x-labels": labels})
			s, err := ReadFile(context.Background(), filepath.Join(dir, "x-images"), &Spec{})
			if err != nil {
				t.Fatal(err)
			}
			if got := dump(s); got != test.want {
				t.Errorf("type %#x: got\n%swant\n%s", test.kind, got, test.want)
			}
			if s.Dim() != 4 || s.Input().Width != 4 || s.Input().Format != "idx" {
				t.Errorf("type %#x: %d features, input %+v", test.kind, s.Dim(), s.Input())
			}
		}
	}
}

func TestIDXLabelTypes(t *testing.T) {
	images := encodeIDX(0x08, []uint32{2, 1}, 1, 2)
	for kind, want := range map[byte]string{0x08: "0 0:1\n10 0:2\n", 0x0C: "0 0:1\n10 0:2\n", 0x0E: "0 0:1\n10 0:2\n"} {
		dir := writeFolder(t, map[string][]byte{"i": images, "l": encodeIDX(kind, []uint32{2, 1}, 0, 10)})
		s, err := ReadFile(context.Background(), filepath.Join(dir, "i"), &Spec{Labels: filepath.Join(dir, "l")})
		if err != nil || dump(s) != want {
			t.Errorf("type %#x: %v", kind, err)
		}
	}
}

func TestIDXLabelsFound(t *testing.T) {
	images, labels := encodeIDX(0x08, []uint32{1, 2}, 1, 2), encodeIDX(0x08, []uint32{1}, 5)
	for _, pair := range [][2]string{
		{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"},
		{"train-images.idx3-ubyte.gz", "train-labels.idx1-ubyte.gz"},
		{"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte"},
		{"train-images-idx3-ubyte", "train-labels-idx1-ubyte.gz"},
		{"images-idx2", "labels-idx1.bz2"}, // found by name, read by content
	} {
		dir := writeFolder(t, map[string][]byte{pair[0]: zip(images), pair[1]: labels})
		s, err := ReadFile(context.Background(), filepath.Join(dir, pair[0]), &Spec{})
		if err != nil {
			t.Errorf("%s with %s: %v", pair[0], pair[1], err)
		} else if got := dump(s); got != "5 0:1 1:2\n" {
			t.Errorf("%s with %s: %s", pair[0], pair[1], got)
		}
	}
}

func TestIDXWithoutLabels(t *testing.T) {
	images := encodeIDX(0x08, []uint32{1, 2}, 1, 2)
	dir := writeFolder(t, map[string][]byte{"images": images, "pictures": images})
	read := func(name string, spec Spec) (*data.Set, error) {
		s, err := ReadFile(context.Background(), filepath.Join(dir, name), &spec)
		return s, err
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	_, err := read("images", Spec{})
	want := in("images") + ": no labels beside the images (looked for " + strings.Join([]string{in("labels"), in("labels.gz"), in("labels.bz2"), in("labels.zst")}, ", ") + "); name their file with --labels FILE"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = read("pictures", Spec{})
	if want := in("pictures") + ": the file of labels cannot be told from this name; name their file with --labels FILE"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	known := &data.Input{Format: "idx", Width: 2}
	if s, err := read("images", Spec{Known: known}); err != nil || dump(s) != "- 0:1 1:2\n" {
		t.Errorf("to predict: %v", err)
	}
	if s, err := read("pictures", Spec{Label: "none"}); err != nil || dump(s) != "- 0:1 1:2\n" {
		t.Errorf("without labels: %v", err)
	}
	_, err = read("images", Spec{Known: known, Labels: in("none")})
	if want := in("none") + ": no such file; check the name; built-in sets start with @ (see 'halfspace data')"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestIDXBad(t *testing.T) {
	dir := writeFolder(t, map[string][]byte{
		"two":   encodeIDX(0x08, []uint32{2}, 1, 2),
		"cut":   encodeIDX(0x08, []uint32{2}, 1),
		"long":  encodeIDX(0x08, []uint32{2}, 1, 2, 3),
		"pairs": encodeIDX(0x08, []uint32{2, 2}, 1, 2, 1, 2),
		"nan":   encodeIDX(0x0E, []uint32{2}, 1, math.NaN()),
		"text":  []byte("5\n3\n"),
	})
	in := func(name string) string { return filepath.Join(dir, name) }
	labels := func(name string) Spec { return Spec{Labels: in(name)} }
	good := encodeIDX(0x08, []uint32{2, 2}, 1, 2, 3, 4)
	known := Spec{Known: &data.Input{Format: "idx", Width: 784}}
	const again = "; fetch or copy the file again"
	testBad(t, "idx", "t", []badInput{
		{"text", "label,x\n", labels("two"), `t: not an IDX file of examples, found "labe"; IDX files start with two zero bytes; check the name, or name the format with --format`},
		{"type", "\x00\x00\x0a\x02\x00\x00\x00\x00", labels("two"), "t: unknown type of numbers 0x0A; IDX knows 0x08, 0x09 and 0x0B to 0x0E"},
		{"no dimensions", "\x00\x00\x08\x00\x00", labels("two"), "t: an IDX file without dimensions; the first dimension is the number of examples"},
		{"labels for images", string(encodeIDX(0x08, []uint32{2}, 1, 2)), labels("two"), "t: an IDX file of one dimension, as labels are; name the file of images; the labels are found beside it or by --labels FILE"},
		{"cut magic", "\x00\x00", labels("two"), "t: the file ends too early, in the header" + again},
		{"cut header", string(good[:10]), labels("two"), "t: the file ends too early, in the header" + again},
		{"cut", string(good[:len(good)-1]), labels("two"), "t: the file ends too early, in number 2 of 2 examples" + again},
		{"goes on", string(good) + "x", labels("two"), "t: the file goes on after its 2 examples" + again},
		{"claims much", string(encodeIDX(0x0E, []uint32{2, 1 << 15, 1 << 16})), labels("two"), "t: the file ends too early, in number 1 of 2 examples" + again},
		{"claims too much", string(encodeIDX(0x0E, []uint32{2, 1 << 16, 1 << 16})), labels("two"), "t: dimension 3 of 3 is 65536; an example has 1 to 2147483648 values"},
		{"dimension 0", string(encodeIDX(0x08, []uint32{2, 0})), labels("two"), "t: dimension 2 of 2 is 0; an example has 1 to 2147483648 values"},
		{"no examples", string(encodeIDX(0x08, []uint32{0, 2})), labels("two"), "t: 0 examples, but " + in("two") + " has 2 labels; give the labels of these examples with --labels FILE"},
		{"fewer", string(encodeIDX(0x08, []uint32{1, 2}, 1, 2)), labels("two"), "t: 1 examples, but " + in("two") + " has 2 labels; give the labels of these examples with --labels FILE"},
		{"NaN", string(encodeIDX(0x0D, []uint32{2, 2}, 1, 2, 3, math.NaN())), labels("two"), "t: value 2 in number 2 of 2 examples is NaN; values must be finite"},
		{"infinity", string(encodeIDX(0x0E, []uint32{2, 2}, math.Inf(-1))), labels("two"), "t: the file ends too early, in number 1 of 2 examples" + again},
		{"infinity, whole", string(encodeIDX(0x0E, []uint32{2, 2}, math.Inf(-1), 1, 1, 1)), labels("two"), "t: value 1 in number 1 of 2 examples is -Inf; values must be finite"},
		{"labels cut", string(good), labels("cut"), in("cut") + ": the file ends too early, in number 2 of 2 labels" + again},
		{"labels go on", string(good), labels("long"), in("long") + ": the file goes on after its 2 labels" + again},
		{"labels are pairs", string(good), labels("pairs"), in("pairs") + ": 2 numbers a label; give a file of labels with one dimension"},
		{"labels NaN", string(good), labels("nan"), in("nan") + ": value 1 in number 2 of 2 labels is NaN; values must be finite"},
		{"labels are text", string(good), labels("text"), in("text") + `: not an IDX file of labels, found "5\n3\n"; IDX files start with two zero bytes; check the name, or name the format with --format`},
		{"a stream", string(good), Spec{}, "t: the file of labels cannot be told from this name; name their file with --labels FILE"},
		{"other width", string(good), known, "t: 2 values where the model was trained on 784; model and data do not fit together"},
	})
}

// The counts are those of the README of the public data sets.
func TestIDXPublic(t *testing.T) {
	for name, want := range map[string][2]int{"t10k": {10000, 1511219}, "train": {60000, 8994156}} {
		path := publicFile(t, "mnist/"+name+"-images-idx3-ubyte.gz")
		if testing.Short() && name == "train" {
			continue
		}
		s, err := ReadFile(context.Background(), path, &Spec{})
		if err != nil {
			t.Fatal(err)
		}
		digits := strings.Fields("0 1 2 3 4 5 6 7 8 9")
		if s.Len() != want[0] || s.Nonzeros() != want[1] || s.Dim() != 784 || !slices.Equal(s.Classes(), digits) {
			t.Errorf("%s: %d examples, %d non-zeros, %d features, classes %q", name, s.Len(), s.Nonzeros(), s.Dim(), s.Classes())
		}
	}
}

func FuzzIDX(f *testing.F) {
	for kind := range idxTypes {
		f.Add(encodeIDX(kind, []uint32{2, 2}, 1, 2, 0, 4))
		f.Add(encodeIDX(kind, []uint32{1, 2, 2}, 1, 2, 0))
	}
	f.Add(encodeIDX(0x08, []uint32{1 << 31, 1 << 15, 1 << 15}, 1))
	f.Fuzz(func(t *testing.T, content []byte) {
		fuzzFormat(t, content, Spec{Format: "idx", Known: &data.Input{Format: "idx"}}, false)
	})
}
