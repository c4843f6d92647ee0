package format

import (
	encoding "encoding/binary"
	"math/bits"
	"slices"
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
