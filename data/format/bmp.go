package format

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/halfspace-ml/halfspace/vec"
)

// Points in a Windows bitmap: a red pixel is an example of the class red, a
// blue one of the class blue, white is ground. The features are the column and
// the row, counted from 0 at the top left; examples come row by row from the
// top, each from the left.
//
// Every header and encoding that Windows writes is read, but no bitmap that
// wraps a JPEG or PNG. Alpha does not count. Pixels that a run-length encoding
// skips were never drawn: they are ground, whatever colour 0 is.
var bmpFormat = Format{
	Name:      "bmp",
	Doc:       "red and blue points on white in a Windows bitmap",
	Binary:    true,
	Recognise: recogniseBMP,
	Open:      openBMP,
}

// maxPixels bounds an image, so that a pixel number leaves four bits free.
const maxPixels = 1 << 28

func recogniseBMP(head []byte) bool {
	return len(head) >= 18 && bytes.HasPrefix(head, []byte("BM")) && head[16] == 0 && head[17] == 0
}

func openBMP(src *Source, spec *Spec) (Reader, error) {
	r := &bmpReader{}
	var ok [2]bool
	r.column, ok[0] = spec.Features.Named([]byte("column"))
	r.row, ok[1] = spec.Features.Named([]byte("row"))
	if !ok[0] || !ok[1] {
		return nil, src.fail(0, 0, "the model has no features column and row", "", "model and data do not fit together")
	}
	d := &bitmap{src: src, in: src.Reader()}
	err := d.decode()
	r.points, r.width = d.points, uint32(d.width)
	return r, err
}

type bmpReader struct {
	points      []point
	width       uint32
	column, row uint32 // the features
	buf         vec.Buffer
}

var bmpClasses = []string{"red", "blue"}

// Classes makes red the positive class.
func (r *bmpReader) Classes() []string { return bmpClasses }

var redLabel, blueLabel = []byte("red"), []byte("blue")

func (r *bmpReader) Read(ex *Example) error {
	if len(r.points) == 0 {
		return io.EOF
	}
	p := r.points[0]
	r.points = r.points[1:]
	*ex = Example{Weight: 1, Label: redLabel}
	if p&bluePoint != 0 {
		ex.Label = blueLabel
	}
	pixel := uint32(p &^ bluePoint)
	r.buf.Reset()
	r.buf.Add(r.column, float64(pixel%r.width))
	r.buf.Add(r.row, float64(pixel/r.width))
	ex.X = r.buf.Row()
	return nil
}

// point is the number of a pixel, row · width + column, with a mark if it is
// blue. Only points are kept, so memory follows what is drawn, not what the
// header says.
type point uint32

const bluePoint point = 1 << 31

// What a pixel can be.
const (
	ground byte = iota
	red
	blue
	foreign // of another colour
)

// bitmap decodes a file: header, palette or masks, pixels.
type bitmap struct {
	src *Source
	in  *bufio.Reader
	pos int64 // bytes read so far

	offset        int64 // where the file says that pixels start; 0: it does not
	header        int
	width, height int
	topDown       bool
	bits          int
	compression   uint32
	used          int64 // colours of the palette; 0: all

	palette [][3]byte // red, green, blue
	kinds   [256]byte // what the colours of the palette are
	masks   [3]uint32 // of red, green, blue, for pixels without a palette

	x, y   int // the next pixel, y from the first row in the file
	points []point
}

func (d *bitmap) decode() error {
	for _, step := range []func() error{d.readHeader, d.checkHeader, d.readMasks, d.readPalette, d.skipGap} {
		if err := step(); err != nil {
			return err
		}
	}
	var err error
	if d.compression == bmpRLE8 || d.compression == bmpRLE4 {
		err = d.readRuns()
	} else {
		err = d.readRows()
	}
	if err != nil {
		return err
	}
	// What follows is not ours, but a decompressor may still find damage.
	if _, err := io.Copy(io.Discard, d.in); err != nil {
		return d.src.locate(err)
	}
	if !d.topDown {
		d.turn()
	}
	return nil
}

// read fills b.
func (d *bitmap) read(b []byte, where string) error {
	n, err := io.ReadFull(d.in, b)
	d.pos += int64(n)
	return d.ends(err, where)
}

// ends is the error that reading stopped where it must not, nil if err is.
func (d *bitmap) ends(err error, where string) error {
	if err == nil {
		return nil
	}
	return d.src.endsEarly(err, "the bitmap ends too early, in "+where, "copy or export it again")
}

func (d *bitmap) fail(do, what string, args ...any) error {
	return d.src.fail(0, 0, fmt.Sprintf(what, args...), "", do)
}

// skipGap goes to where the pixels start.
func (d *bitmap) skipGap() error {
	if d.offset <= d.pos {
		return nil
	}
	n, err := io.CopyN(io.Discard, d.in, d.offset-d.pos)
	d.pos += n
	return d.ends(err, "the gap before the pixels")
}

// turn puts the points of a bitmap that lies on its head, as most do, into
// order from the top.
func (d *bitmap) turn() {
	w := point(d.width)
	for i, p := range d.points {
		mark, pixel := p&bluePoint, p&^bluePoint
		d.points[i] = mark | (point(d.height-1)-pixel/w)*w + pixel%w
	}
	slices.Reverse(d.points)
	for lo := 0; lo < len(d.points); {
		row := d.points[lo] &^ bluePoint / w
		hi := lo + 1
		for hi < len(d.points) && d.points[hi]&^bluePoint/w == row {
			hi++
		}
		slices.Reverse(d.points[lo:hi])
		lo = hi
	}
}

// add notes the next pixel if it is a point.
func (d *bitmap) add(kind byte) {
	if kind != ground {
		p := point(d.y*d.width + d.x)
		if kind == blue {
			p |= bluePoint
		}
		d.points = append(d.points, p)
	}
	d.x++
}

// addIndexed takes the next pixel of a bitmap with a palette.
func (d *bitmap) addIndexed(index byte) error {
	kind := d.kinds[index]
	if kind != foreign {
		d.add(kind)
		return nil
	}
	if int(index) < len(d.palette) {
		return d.wrongColour(d.palette[index])
	}
	return d.fail("export it again", "pixel %s has colour number %d of a palette of %d", d.place(), index, len(d.palette))
}

// addDirect takes the next pixel of a bitmap without a palette.
func (d *bitmap) addDirect(v uint32) error {
	switch v & (d.masks[0] | d.masks[1] | d.masks[2]) {
	case d.masks[0] | d.masks[1] | d.masks[2]:
		d.add(ground)
	case d.masks[0]:
		d.add(red)
	case d.masks[2]:
		d.add(blue)
	default:
		var colour [3]byte
		for c, m := range d.masks {
			shift := bits.TrailingZeros32(m)
			colour[c] = byte(uint64(v&m>>shift) * 255 / uint64(m>>shift))
		}
		return d.wrongColour(colour)
	}
	return nil
}

func (d *bitmap) wrongColour(c [3]byte) error {
	return d.fail("points are red #FF0000 or blue #0000FF on white", "pixel %s has the colour #%02X%02X%02X", d.place(), c[0], c[1], c[2])
}

// place names the next pixel as it is seen, from the top.
func (d *bitmap) place() string { return fmt.Sprintf("(column %d, row %d)", d.x, d.seenRow()) }

func (d *bitmap) seenRow() int {
	if d.topDown {
		return d.y
	}
	return d.height - 1 - d.y
}

// readRows reads pixels that are not compressed. Rows end at a multiple of
// four bytes. A row is read in pieces: its length is only claimed so far.
func (d *bitmap) readRows() error {
	var piece [3 << 10]byte // a multiple of every size of a pixel
	length := (d.width*d.bits + 7) / 8
	for d.y = 0; d.y < d.height; d.y++ {
		d.x = 0
		for left := length; left > 0; {
			b := piece[:min(left, len(piece))]
			if err := d.read(b, fmt.Sprintf("row %d of %d", d.seenRow(), d.height)); err != nil {
				return err
			}
			if err := d.addBytes(b); err != nil {
				return err
			}
			left -= len(b)
		}
		// Some programs leave the last row without its end.
		if _, err := d.in.Discard(-length & 3); err != nil && !(err == io.EOF && d.y == d.height-1) {
			return d.ends(err, fmt.Sprintf("row %d of %d", d.seenRow(), d.height))
		}
	}
	return nil
}

// addBytes takes the pixels in b, up to the end of the row.
func (d *bitmap) addBytes(b []byte) error {
	if d.bits <= 8 {
		for _, c := range b {
			for shift := 8 - d.bits; shift >= 0 && d.x < d.width; shift -= d.bits {
				if err := d.addIndexed(c >> shift & (1<<d.bits - 1)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for size := d.bits / 8; len(b) >= size; b = b[size:] {
		v := uint32(b[0]) | uint32(b[1])<<8
		if size > 2 {
			v |= uint32(b[2]) << 16
		}
		if size > 3 {
			v |= uint32(b[3]) << 24
		}
		if err := d.addDirect(v); err != nil {
			return err
		}
	}
	return nil
}
