package format

import (
	"bufio"
	encoding "encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/halfspace-ml/halfspace/data"
	"github.com/halfspace-ml/halfspace/vec"
)

// IDX, the files of MNIST: an array of numbers with its dimensions, the first
// of which counts the examples. The labels lie in a second file, named as the
// first with "labels" for "images", or by Spec.Labels. Classes are the labels
// as decimal text. Numbers are big-endian.
var idxFormat = Format{
	Name:      "idx",
	Doc:       "images and labels in two binary files (MNIST)",
	Takes:     []string{"labels"},
	Binary:    true,
	Recognise: recogniseIDX,
	Open:      openIDX,
}

// idxType is a type of number in an IDX file.
type idxType struct {
	size  int
	value func(b []byte) float64
}

var idxTypes = map[byte]idxType{
	0x08: {1, func(b []byte) float64 { return float64(b[0]) }},
	0x09: {1, func(b []byte) float64 { return float64(int8(b[0])) }},
	0x0B: {2, func(b []byte) float64 { return float64(int16(encoding.BigEndian.Uint16(b))) }},
	0x0C: {4, func(b []byte) float64 { return float64(int32(encoding.BigEndian.Uint32(b))) }},
	0x0D: {4, func(b []byte) float64 { return float64(math.Float32frombits(encoding.BigEndian.Uint32(b))) }},
	0x0E: {8, func(b []byte) float64 { return math.Float64frombits(encoding.BigEndian.Uint64(b)) }},
}

func recogniseIDX(head []byte) bool {
	if len(head) < 8 || head[0] != 0 || head[1] != 0 || head[3] == 0 {
		return false
	}
	_, ok := idxTypes[head[2]]
	return ok
}

func openIDX(src *Source, spec *Spec) (Reader, error) {
	images, err := newIDXArray(src, "examples")
	if err != nil {
		return nil, err
	}
	if images.dims == 1 {
		return nil, src.fail(0, 0, "an IDX file of one dimension, as labels are", "", "name the file of images; the labels are found beside it or by --labels FILE")
	}
	if spec.Known != nil && spec.Known.Width > 0 && spec.Known.Width != images.width {
		return nil, src.misfit(0, 0, images.width, spec.Known.Width)
	}
	r := &idxReader{images: images, spec: spec}
	if r.labels, err = openIDXLabels(src, spec); err != nil {
		return nil, err
	}
	if r.labels != nil && r.labels.n != images.n {
		what := fmt.Sprintf("%d examples, but %s has %d labels", images.n, r.labels.src.Name, r.labels.n)
		return nil, src.fail(0, 0, what, "", "give the labels of these examples with --labels FILE")
	}
	spec.Found.Width = images.width
	return r, nil
}

// openIDXLabels is the labels that belong to src; nil if there are none and
// none are needed. They are closed with src.
func openIDXLabels(src *Source, spec *Spec) (*idxArray, error) {
	if spec.Label == "none" {
		return nil, nil
	}
	names := []string{spec.Labels}
	if spec.Labels == "" {
		names = idxLabelNames(src.path)
	}
	for _, name := range names {
		labels, err := OpenFile(name)
		if spec.Labels == "" && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		src.closers = append(src.closers, labels)
		a, err := newIDXArray(labels, "labels")
		if err != nil {
			return nil, err
		}
		if a.width != 1 {
			return nil, labels.fail(0, 0, fmt.Sprintf("%d numbers a label", a.width), "", "give a file of labels with one dimension")
		}
		return a, nil
	}
	if !spec.needsLabels() {
		return nil, nil
	}
	what := "the file of labels cannot be told from this name"
	if len(names) > 0 {
		what = "no labels beside the images (looked for " + strings.Join(names, ", ") + ")"
	}
	return nil, src.fail(0, 0, what, "", "name their file with --labels FILE")
}

// idxLabelNames are the names that the file of labels may have beside the images
// at path, however either is compressed; none if path does not tell.
func idxLabelNames(path string) []string {
	dir, base := filepath.Split(path)
	name := strings.ReplaceAll(base, "images", "labels")
	if name == base {
		return nil
	}
	for _, n := range []string{"idx2", "idx3", "idx4"} {
		name = strings.ReplaceAll(name, n, "idx1")
	}
	endings := []string{"", ".gz", ".bz2", ".zst"}
	names := []string{dir + name}
	for _, e := range endings[1:] {
		name = strings.TrimSuffix(name, e)
	}
	for _, e := range endings {
		if n := dir + name + e; n != names[0] {
			names = append(names, n)
		}
	}
	return names
}

// idxArray is an IDX file being read.
type idxArray struct {
	src   *Source
	in    *bufio.Reader
	what  string // it holds: examples or labels
	kind  idxType
	bytes bool // kind is the unsigned byte
	dims  int
	n     int // of examples
	width int // numbers an example
	done  int
}

// newIDXArray reads the header: two zeros, the type, the number of dimensions,
// and each of them.
func newIDXArray(src *Source, what string) (*idxArray, error) {
	a := &idxArray{src: src, in: src.Reader(), what: what, width: 1}
	var head [4]byte
	if _, err := io.ReadFull(a.in, head[:]); err != nil {
		return nil, a.ends(err, "in the header")
	}
	kind, ok := idxTypes[head[2]]
	switch {
	case head[0] != 0 || head[1] != 0:
		return nil, src.fail(0, 0, fmt.Sprintf("not an IDX file of %s", what), string(head[:]), "IDX files start with two zero bytes; check the name, or name the format with --format")
	case !ok:
		return nil, src.fail(0, 0, fmt.Sprintf("unknown type of numbers 0x%02X", head[2]), "", "IDX knows 0x08, 0x09 and 0x0B to 0x0E")
	case head[3] == 0:
		return nil, src.fail(0, 0, "an IDX file without dimensions", "", "the first dimension is the number of "+what)
	}
	a.kind, a.bytes, a.dims = kind, head[2] == 0x08, int(head[3])
	for d := range a.dims {
		if _, err := io.ReadFull(a.in, head[:]); err != nil {
			return nil, a.ends(err, "in the header")
		}
		size := int(encoding.BigEndian.Uint32(head[:]))
		if d == 0 {
			a.n = size
			continue
		}
		if size == 0 || size > data.MaxFeatures/a.width {
			return nil, src.fail(0, 0, fmt.Sprintf("dimension %d of %d is %d", d+1, a.dims, size), "", "an example has 1 to 2147483648 values")
		}
		a.width *= size
	}
	return a, nil
}

// next hands the numbers of the next example that are not zero to each; io.EOF
// after the last example. Nothing is allocated on the word of the header.
func (a *idxArray) next(each func(k uint32, v float64)) error {
	if a.done == a.n {
		return a.end()
	}
	a.done++
	for k := 0; k < a.width; {
		count := min(a.width-k, 4096)
		b, err := a.in.Peek(count * a.kind.size)
		if err != nil {
			return a.ends(err, fmt.Sprintf("in number %d of %d %s", a.done, a.n, a.what))
		}
		if a.bytes {
			for i, c := range b {
				if c != 0 {
					each(uint32(k+i), float64(c))
				}
			}
		} else {
			for i := range count {
				v := a.kind.value(b[i*a.kind.size:])
				if v-v != 0 {
					what := fmt.Sprintf("value %d in number %d of %d %s is %v", k+i+1, a.done, a.n, a.what, v)
					return a.src.fail(0, 0, what, "", "values must be finite")
				}
				if v != 0 {
					each(uint32(k+i), v)
				}
			}
		}
		a.in.Discard(len(b))
		k += count
	}
	return nil
}

// end is io.EOF if the file ends here, as it should; reading so far also lets
// a decompressor compare its checksum.
func (a *idxArray) end() error {
	_, err := a.in.Peek(1)
	if err == nil {
		return a.src.fail(0, 0, fmt.Sprintf("the file goes on after its %d %s", a.n, a.what), "", "fetch or copy the file again")
	}
	if err == io.EOF {
		return io.EOF
	}
	return a.src.locate(err)
}

// ends is the error that reading stopped at a place where it must not.
func (a *idxArray) ends(err error, where string) error {
	return a.src.endsEarly(err, "the file ends too early, "+where, "fetch or copy the file again")
}

type idxReader struct {
	images, labels *idxArray // labels nil: not known
	spec           *Spec
	buf            vec.Buffer
	label          []byte
}

func (r *idxReader) Read(ex *Example) error {
	*ex = Example{Weight: 1}
	r.buf.Reset()
	err := r.images.next(func(k uint32, v float64) {
		if j, ok := r.spec.Features.Numbered(k); ok {
			r.buf.Add(j, v)
		}
	})
	if err == io.EOF && r.labels != nil {
		return r.labels.end()
	}
	if err != nil {
		return err
	}
	if r.images.done == 1 && r.spec.Known == nil {
		r.spec.Features.Numbered(uint32(r.images.width - 1)) // last pixels of zeros count too
	}
	if r.labels != nil {
		label := 0.0
		if err := r.labels.next(func(_ uint32, v float64) { label = v }); err != nil {
			return err
		}
		r.label = strconv.AppendFloat(r.label[:0], label, 'f', -1, 64)
		ex.Label = r.label
	}
	ex.X = r.buf.Row()
	return nil
}
