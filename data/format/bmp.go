package format

import (
	"bufio"
	"bytes"
	encoding "encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/halfspace-ml/halfspace/data"
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

// Compressions of bitmaps.
const (
	bmpPlain = iota
	bmpRLE8
	bmpRLE4
	bmpMasks
	bmpJPEG
	bmpPNG
	bmpAlphaMasks
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
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return d.src.locate(err)
	}
	return &data.InputError{File: d.src.Name, What: "the bitmap ends too early, in " + where, Do: "copy or export it again", Err: io.ErrUnexpectedEOF}
}

func (d *bitmap) fail(do, what string, args ...any) error {
	return d.src.fail(0, 0, fmt.Sprintf(what, args...), "", do)
}

const exportAgain = "export it again as an uncompressed bitmap of 8, 24 or 32 bits"

func (d *bitmap) readHeader() error {
	var b [124]byte
	if err := d.read(b[:18], "the header"); err != nil {
		return err
	}
	if b[0] != 'B' || b[1] != 'M' {
		return d.src.fail(0, 0, "not a Windows bitmap", string(b[:2]), "bitmaps start with BM; name the format with --format")
	}
	le := encoding.LittleEndian
	d.offset = int64(le.Uint32(b[10:]))
	d.header = int(le.Uint32(b[14:]))
	if !slices.Contains([]int{12, 16, 40, 52, 56, 64, 108, 124}, d.header) {
		return d.fail(exportAgain, "a header of %d bytes, which no version of bitmaps has", d.header)
	}
	h := b[:d.header]
	if err := d.read(h[4:], "the header"); err != nil { // its first four bytes told its length
		return err
	}
	if d.header == 12 {
		d.width, d.height = int(le.Uint16(h[4:])), int(le.Uint16(h[6:]))
		return d.readDepth(le.Uint16(h[8:]), le.Uint16(h[10:]))
	}
	d.width = int(int32(le.Uint32(h[4:])))
	d.height = int(int32(le.Uint32(h[8:])))
	if d.topDown = d.height < 0; d.topDown {
		d.height = -d.height
	}
	if d.header >= 40 {
		d.compression, d.used = le.Uint32(h[16:]), int64(le.Uint32(h[32:]))
	}
	if d.header >= 52 && d.header != 64 {
		d.masks = [3]uint32{le.Uint32(h[40:]), le.Uint32(h[44:]), le.Uint32(h[48:])}
	}
	return d.readDepth(le.Uint16(h[12:]), le.Uint16(h[14:]))
}

func (d *bitmap) readDepth(planes, depth uint16) error {
	d.bits = int(depth)
	if planes != 1 {
		return d.fail(exportAgain, "a bitmap of %d planes, where one is possible", planes)
	}
	return nil
}

// checkHeader refuses what cannot be read before anything is made for it.
func (d *bitmap) checkHeader() error {
	if d.width <= 0 || d.height == 0 {
		return d.fail("give a bitmap of at least one pixel", "a bitmap of %d columns and %d rows", d.width, d.height)
	}
	if d.width > maxPixels/d.height {
		return d.fail("cut or shrink the picture", "a bitmap of %d × %d pixels, more than %d", d.width, d.height, maxPixels)
	}
	depths := map[uint32][]int{
		bmpPlain: {1, 2, 4, 8, 16, 24, 32}, bmpRLE8: {8}, bmpRLE4: {4}, bmpMasks: {16, 32}, bmpAlphaMasks: {16, 32},
	}[d.compression]
	switch {
	case d.compression == bmpJPEG && d.header != 64:
		return d.fail(exportAgain, "the bitmap holds a JPEG")
	case d.compression == bmpPNG:
		return d.fail(exportAgain, "the bitmap holds a PNG")
	case depths == nil || d.header == 64 && d.compression > bmpRLE4:
		return d.fail(exportAgain, "unknown compression %d", d.compression)
	case !slices.Contains(depths, d.bits):
		return d.fail(exportAgain, "%d bits a pixel with compression %d, which do not go together", d.bits, d.compression)
	}
	return nil
}

// readMasks finds which bits of a pixel are red, green and blue.
func (d *bitmap) readMasks() error {
	if d.compression != bmpMasks && d.compression != bmpAlphaMasks {
		d.masks = [3]uint32{0xFF0000, 0xFF00, 0xFF}
		if d.bits == 16 {
			d.masks = [3]uint32{0x7C00, 0x3E0, 0x1F}
		}
		return nil
	}
	if d.header == 40 { // they follow the header
		b := make([]byte, 12)
		if d.compression == bmpAlphaMasks {
			b = make([]byte, 16)
		}
		if err := d.read(b, "the masks"); err != nil {
			return err
		}
		for c := range d.masks {
			d.masks[c] = encoding.LittleEndian.Uint32(b[4*c:])
		}
	}
	all := uint32(0)
	for c, m := range d.masks {
		run := m >> bits.TrailingZeros32(m)
		if m == 0 || run&(run+1) != 0 || m&all != 0 || uint64(m)>>d.bits != 0 {
			return d.fail(exportAgain, "the mask %#x of %s is not a run of bits of its own", m, []string{"red", "green", "blue"}[c])
		}
		all |= m
	}
	return nil
}

// readPalette reads the colours. They may be fewer than pixels can name: what
// was not there is refused where a pixel names it.
func (d *bitmap) readPalette() error {
	size := int64(4)
	if d.header == 12 {
		size = 3
	}
	n := d.used
	if n == 0 && d.bits <= 8 {
		n = 1 << d.bits
	}
	if d.offset > 0 {
		if d.offset < d.pos {
			return d.fail("export it again", "the bitmap says that its pixels start at byte %d, within its header", d.offset)
		}
		n = min(n, (d.offset-d.pos)/size)
	}
	var b [4]byte
	for k := range n {
		if err := d.read(b[:size], "the palette"); err != nil {
			return err
		}
		if d.bits > 8 || k >= 1<<d.bits {
			continue // a hint for screens of few colours
		}
		colour := [3]byte{b[2], b[1], b[0]}
		d.kinds[k] = kindOf(colour)
		d.palette = append(d.palette, colour)
	}
	for k := len(d.palette); k < len(d.kinds); k++ {
		d.kinds[k] = foreign
	}
	return nil
}

func kindOf(colour [3]byte) byte {
	switch colour {
	case [3]byte{255, 255, 255}:
		return ground
	case [3]byte{255, 0, 0}:
		return red
	case [3]byte{0, 0, 255}:
		return blue
	}
	return foreign
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

// readRuns reads run-length encoded pixels: pairs of a count and what to
// repeat, and after a zero an order: 0 ends the row, 1 the bitmap, 2 moves on,
// any other is a count of pixels that follow one by one.
func (d *bitmap) readRuns() error {
	var b [256]byte
	for {
		if n, err := io.ReadFull(d.in, b[:2]); err != nil {
			if drawn := d.y == d.height || d.y == d.height-1 && d.x == d.width; n == 0 && err == io.EOF && drawn {
				return nil // some programs leave out the end
			}
			return d.ends(err, d.rowName())
		}
		var err error
		switch count, order := int(b[0]), int(b[1]); {
		case count > 0:
			err = d.run(count, b[1:2])
		case order == 0:
			err = d.move(-d.x, 1)
		case order == 1:
			return nil
		case order == 2:
			if err = d.read(b[:2], d.rowName()); err == nil {
				err = d.move(int(b[0]), int(b[1]))
			}
		default:
			size := order
			if d.bits == 4 {
				size = (order + 1) / 2
			}
			if err = d.read(b[:size+size&1], d.rowName()); err == nil {
				err = d.run(order, b[:size])
			}
		}
		if err != nil {
			return err
		}
	}
}

// rowName names the row being drawn; after the last, the end is still missing.
func (d *bitmap) rowName() string {
	if d.y == d.height {
		return "the end of the pixels"
	}
	return fmt.Sprintf("row %d of %d", d.seenRow(), d.height)
}

// run takes count pixels from b, starting over where b ends.
func (d *bitmap) run(count int, b []byte) error {
	if d.y == d.height {
		return d.fail("export it again", "the bitmap has pixels after its last row")
	}
	if count > d.width-d.x {
		return d.fail("export it again", "a run of %d pixels from %s on goes beyond the row of %d", count, d.place(), d.width)
	}
	perByte := 8 / d.bits
	for k := range count {
		index := b[k/perByte%len(b)]
		if d.bits == 4 {
			index = index >> (4 - 4*(k&1)) & 15
		}
		if err := d.addIndexed(index); err != nil {
			return err
		}
	}
	return nil
}

// move goes on from a pixel that lies dx columns and dy rows further.
func (d *bitmap) move(dx, dy int) error {
	d.x, d.y = d.x+dx, d.y+dy
	if d.x > d.width || d.y > d.height {
		return d.fail("export it again", "the bitmap moves to column %d of %d, row %d of %d", d.x, d.width, d.y, d.height)
	}
	return nil
}
