package format

import (
	"bytes"
	"context"
	encoding "encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/halfspace-ml/halfspace/data"
)

// picture is a test image: what stands at [row][column], '.', 'r' or 'b'.
type picture []string

var colours = map[byte][3]byte{'.': {255, 255, 255}, 'r': {255, 0, 0}, 'b': {0, 0, 255}, 'g': {0, 255, 0}, 'k': {0, 0, 0}}

// paletteOrder is the colour of every palette index in test images.
const paletteOrder = ".rbgk"

// bmpSpec is one way of encoding a picture.
type bmpSpec struct {
	header      int
	bits        int
	compression uint32
	masks       []uint32 // red, green, blue, perhaps alpha
	used        uint32
	gap         int
	noOffset    bool
	topDown     bool
	cut         bool     // last row without padding
	palette     string   // paletteOrder unless given
	runs        [][]byte // run-length code instead of one that is made here
	planes      uint16   // 1 unless given
}

// encodeBMP writes a picture as the spec says.
func encodeBMP(p picture, s bmpSpec) []byte {
	le := encoding.LittleEndian
	if s.palette == "" {
		s.palette = paletteOrder[:min(len(paletteOrder), 1<<min(s.bits, 8))]
	}
	h := make([]byte, s.header)
	le.PutUint32(h, uint32(s.header))
	planes := max(s.planes, 1)
	if s.header == 12 {
		le.PutUint16(h[4:], uint16(len(p[0])))
		le.PutUint16(h[6:], uint16(len(p)))
		le.PutUint16(h[8:], planes)
		le.PutUint16(h[10:], uint16(s.bits))
	} else {
		height := int32(len(p))
		if s.topDown {
			height = -height
		}
		le.PutUint32(h[4:], uint32(len(p[0])))
		le.PutUint32(h[8:], uint32(height))
		le.PutUint16(h[12:], planes)
		le.PutUint16(h[14:], uint16(s.bits))
	}
	if s.header >= 40 {
		le.PutUint32(h[16:], s.compression)
		le.PutUint32(h[32:], s.used)
	}
	for c, m := range s.masks {
		if s.header >= 52 {
			le.PutUint32(h[40+4*c:], m)
		} else {
			h = le.AppendUint32(h, m)
		}
	}
	if s.bits <= 8 {
		n := int(s.used)
		if n == 0 {
			n = 1 << s.bits
		}
		for k := range n {
			c := [3]byte{9, 9, 9}
			if k < len(s.palette) {
				c = colours[s.palette[k]]
			}
			h = append(h, c[2], c[1], c[0])
			if s.header > 12 {
				h = append(h, 0)
			}
		}
	}
	h = append(h, make([]byte, s.gap)...)
	file := []byte("BM\x00\x00\x00\x00\x00\x00\x00\x00")
	offset := uint32(14 + len(h))
	if s.noOffset {
		offset = 0
	}
	file = le.AppendUint32(file, offset)
	file = append(file, h...)
	return append(file, encodePixels(p, s)...)
}

func encodePixels(p picture, s bmpSpec) []byte {
	if s.runs != nil {
		return bytes.Join(s.runs, nil)
	}
	var out []byte
	for k := range p {
		row := p[len(p)-1-k]
		if s.topDown {
			row = p[k]
		}
		switch {
		case s.compression == bmpRLE8 || s.compression == bmpRLE4:
			out = append(out, encodeRuns(row, s)...)
		case s.bits <= 8:
			out = append(out, packRow(row, s)...)
		default:
			out = append(out, directRow(row, s)...)
		}
		if s.compression != bmpRLE8 && s.compression != bmpRLE4 && !(s.cut && k == len(p)-1) {
			bytesInRow := (len(row)*s.bits + 7) / 8
			out = append(out, make([]byte, -bytesInRow&3)...)
		}
	}
	if s.compression == bmpRLE8 || s.compression == bmpRLE4 {
		out = append(out, 0, 1)
	}
	return out
}

func packRow(row string, s bmpSpec) []byte {
	out := make([]byte, (len(row)*s.bits+7)/8)
	for x := range row {
		index := strings.IndexByte(s.palette, row[x])
		at := x * s.bits
		out[at/8] |= byte(index << (8 - s.bits - at%8))
	}
	return out
}

func directRow(row string, s bmpSpec) []byte {
	masks := s.masks
	if masks == nil {
		masks = []uint32{0xFF0000, 0xFF00, 0xFF}
		if s.bits == 16 {
			masks = []uint32{0x7C00, 0x3E0, 0x1F}
		}
	}
	var out []byte
	for x := range row {
		v := uint32(0)
		for c, part := range colours[row[x]] {
			top := masks[c] >> bits.TrailingZeros32(masks[c])
			v |= uint32(uint64(part)*uint64(top)/255) << bits.TrailingZeros32(masks[c])
		}
		if len(masks) > 3 && x%2 == 0 {
			v |= masks[3] // alpha does not matter
		}
		out = append(out, encoding.LittleEndian.AppendUint32(nil, v)[:s.bits/8]...)
	}
	return out
}

// encodeRuns uses every construct: white is skipped by delta, runs of one
// colour are runs, and the rest is absolute.
func encodeRuns(row string, s bmpSpec) []byte {
	var out []byte
	same := func(x int) int {
		n := 1
		for x+n < len(row) && row[x+n] == row[x] && n < 200 {
			n++
		}
		return n
	}
	for x := 0; x < len(row); {
		n := same(x)
		index := byte(strings.IndexByte(s.palette, row[x]))
		switch {
		case row[x] == '.' && x+n == len(row):
			x += n // the end of the row skips it
			continue
		case row[x] == '.' && x%2 == 0:
			out = append(out, 0, 2, byte(n), 0)
		case n < 3 && x+5 <= len(row):
			n = min(7, len(row)-x) // absolute, odd as even
			packed := packRow(row[x:x+n], s)
			out = append(append(out, 0, byte(n)), packed...)
			if len(packed)%2 == 1 {
				out = append(out, 0)
			}
		case s.bits == 4:
			out = append(out, byte(n), index<<4|index)
		default:
			out = append(out, byte(n), index)
		}
		x += n
	}
	return append(out, 0, 0)
}

func (p picture) String() string {
	var b strings.Builder
	for y, row := range p {
		for x := range row {
			if row[x] == '.' {
				continue
			}
			b.WriteString(map[byte]string{'r': "red", 'b': "blue"}[row[x]])
			if x > 0 {
				fmt.Fprintf(&b, " 0:%d", x)
			}
			if y > 0 {
				fmt.Fprintf(&b, " 1:%d", y)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// bmpSpecs are all encodings, by name.
var bmpSpecs = map[string]bmpSpec{
	"core 2":                {header: 12, bits: 2},
	"core 4":                {header: 12, bits: 4},
	"core 8":                {header: 12, bits: 8},
	"core 24":               {header: 12, bits: 24},
	"os2 short 8":           {header: 16, bits: 8},
	"os2 long 8":            {header: 64, bits: 8},
	"os2 long rle8":         {header: 64, bits: 8, compression: bmpRLE8},
	"info 2":                {header: 40, bits: 2},
	"info 4":                {header: 40, bits: 4},
	"info 8":                {header: 40, bits: 8},
	"info 8 used 5":         {header: 40, bits: 8, used: 5},
	"info 8 used 300":       {header: 40, bits: 8, used: 300},
	"info 8 gap":            {header: 40, bits: 8, used: 5, gap: 77},
	"info 8 no offset":      {header: 40, bits: 8, used: 5, noOffset: true},
	"info 8 top-down":       {header: 40, bits: 8, topDown: true},
	"info 8 cut":            {header: 40, bits: 8, cut: true},
	"info 16":               {header: 40, bits: 16},
	"info 16 565":           {header: 40, bits: 16, compression: bmpMasks, masks: []uint32{0xF800, 0x7E0, 0x1F}},
	"info 16 odd":           {header: 40, bits: 16, compression: bmpMasks, masks: []uint32{0x3, 0x7FC, 0x800}},
	"info 16 alpha":         {header: 40, bits: 16, compression: bmpAlphaMasks, masks: []uint32{0xF00, 0xF0, 0xF, 0xF000}},
	"info 24":               {header: 40, bits: 24},
	"info 24 used":          {header: 40, bits: 24, used: 16, gap: 64},
	"info 24 top-down":      {header: 40, bits: 24, topDown: true},
	"info 32":               {header: 40, bits: 32},
	"info 32 masks":         {header: 40, bits: 32, compression: bmpMasks, masks: []uint32{0xFF, 0xFF00, 0xFF0000}},
	"info 32 ten bits":      {header: 40, bits: 32, compression: bmpMasks, masks: []uint32{0x3FF00000, 0xFFC00, 0x3FF}},
	"info rle8":             {header: 40, bits: 8, compression: bmpRLE8},
	"info rle8 top-down":    {header: 40, bits: 8, compression: bmpRLE8, topDown: true},
	"info rle4":             {header: 40, bits: 4, compression: bmpRLE4, used: 5},
	"v2 16":                 {header: 52, bits: 16, compression: bmpMasks, masks: []uint32{0xF800, 0x7E0, 0x1F}},
	"v3 32 alpha":           {header: 56, bits: 32, compression: bmpMasks, masks: []uint32{0xFF0000, 0xFF00, 0xFF, 0xFF000000}},
	"v3 32 alpha masks":     {header: 56, bits: 32, compression: bmpAlphaMasks, masks: []uint32{0xFF, 0xFF00, 0xFF0000, 0xFF000000}},
	"v4 24":                 {header: 108, bits: 24},
	"v4 8":                  {header: 108, bits: 8},
	"v5 32 masks":           {header: 124, bits: 32, compression: bmpMasks, masks: []uint32{0xFF000000, 0xFF0000, 0xFF00, 0xFF}},
	"v5 16 555":             {header: 124, bits: 16},
	"v5 rle4":               {header: 124, bits: 4, compression: bmpRLE4},
	"skipped is not drawn":  {header: 40, bits: 8, compression: bmpRLE8, palette: "k.rb"},
	"skipped is not colour": {header: 40, bits: 4, compression: bmpRLE4, palette: "r.bk"},
}

// testPictures have widths that need every padding.
func testPictures() map[string]picture {
	wide := strings.Repeat(".rrrb.", 50) + strings.Repeat("b", 260) + "r"
	return map[string]picture{
		"one pixel": {"r"},
		"small":     {"r..b", "....", ".bb.", "b..r"},
		"odd":       {"rb.r.br", ".......", "rrrrrrr", "b.b.b.b", "......r"},
		"nine":      {"bbbbbbbbb", "rbrbrbrbr", "........."},
		"wide":      {wide, strings.Repeat(".", len(wide)), wide},
	}
}

func TestBMPEncodings(t *testing.T) {
	for name, s := range bmpSpecs {
		for pictureName, p := range testPictures() {
			t.Run(name+"/"+pictureName, func(t *testing.T) {
				set, err := read("t.bmp", encodeBMP(p, s), Spec{})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := dump(set), p.String(); got != want {
					t.Errorf("got\n%swant\n%s", got, want)
				}
				if set.Dim() != 2 || set.Features().Name(0) != "column" || set.Features().Name(1) != "row" {
					t.Errorf("%d features %q", set.Dim(), set.Features().Names())
				}
				if got := strings.Join(set.Classes(), " "); got != "red blue" {
					t.Errorf("classes %s", got)
				}
			})
		}
	}
}

func TestBMPOneBit(t *testing.T) {
	p := picture{"r...r.r.r", "........r", "r........"}
	for _, header := range []int{12, 40, 124} {
		set, err := read("t.bmp", encodeBMP(p, bmpSpec{header: header, bits: 1}), Spec{})
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(set); got != p.String() {
			t.Errorf("header %d: got\n%s", header, got)
		}
	}
}

func TestBMPRuns(t *testing.T) {
	p := picture{"....", "....", "...."}
	tests := []struct {
		name string
		spec bmpSpec
		want string
	}{
		{"alternating nibbles", bmpSpec{header: 40, bits: 4, compression: bmpRLE4, runs: [][]byte{{4, 0x12}, {0, 1}}},
			"red 1:2\nblue 0:1 1:2\nred 0:2 1:2\nblue 0:3 1:2\n"},
		{"delta down", bmpSpec{header: 40, bits: 8, compression: bmpRLE8, runs: [][]byte{{1, 1}, {0, 2, 2, 1}, {1, 2}, {0, 1}}},
			"blue 0:3 1:1\nred 1:2\n"},
		{"no end", bmpSpec{header: 40, bits: 8, compression: bmpRLE8, runs: [][]byte{{4, 0}, {0, 0}, {4, 0}, {0, 0}, {4, 1}}},
			"red\nred 0:1\nred 0:2\nred 0:3\n"},
	}
	for _, test := range tests {
		set, err := read("t.bmp", encodeBMP(p, test.spec), Spec{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if got := dump(set); got != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.name, got, test.want)
		}
	}
}

func TestBMPBad(t *testing.T) {
	p := picture{"r..b", "...."}
	plain := bmpSpec{header: 40, bits: 24}
	whole := string(encodeBMP(p, plain))
	patched := func(at int, b ...byte) string {
		c := []byte(whole)
		copy(c[at:], b)
		return string(c)
	}
	encoded := func(s bmpSpec) string { return string(encodeBMP(p, s)) }
	runs := func(code ...byte) string {
		return encoded(bmpSpec{header: 40, bits: 8, compression: bmpRLE8, used: 5, runs: [][]byte{code}})
	}
	const again = "; export it again as an uncompressed bitmap of 8, 24 or 32 bits"
	frozen := Spec{Known: &data.Input{Format: "csv"}, Features: data.NewFeatures("x", "y").Frozen()}
	testBad(t, "bmp", "t.bmp", []badInput{
		{"colour", string(encodeBMP(picture{"....", "...g"}, plain)), Spec{}, "t.bmp: pixel (column 3, row 1) has the colour #00FF00; points are red #FF0000 or blue #0000FF on white"},
		{"palette colour", string(encodeBMP(picture{"...k", "...."}, bmpSpec{header: 40, bits: 8})), Spec{}, "t.bmp: pixel (column 3, row 0) has the colour #000000; points are red #FF0000 or blue #0000FF on white"},
		{"565 colour", string(encodeBMP(picture{"g", "."}, bmpSpec{header: 40, bits: 16, topDown: true})), Spec{}, "t.bmp: pixel (column 0, row 0) has the colour #00FF00; points are red #FF0000 or blue #0000FF on white"},
		{"palette index", string(encodeBMP(picture{"...k", "...."}, bmpSpec{header: 40, bits: 8, used: 3})), Spec{}, "t.bmp: pixel (column 3, row 0) has colour number 4 of a palette of 3; export it again"},
		{"not one", "P6 1 1 255 and more than a header of text", Spec{}, `t.bmp: not a Windows bitmap, found "P6"; bitmaps start with BM; name the format with --format`},
		{"cut header", whole[:30], Spec{}, "t.bmp: the bitmap ends too early, in the header; copy or export it again"},
		{"cut palette", encoded(bmpSpec{header: 40, bits: 8})[:100], Spec{}, "t.bmp: the bitmap ends too early, in the palette; copy or export it again"},
		{"cut masks", encoded(bmpSpec{header: 40, bits: 16, compression: bmpMasks, masks: []uint32{0xF800, 0x7E0, 0x1F}})[:60], Spec{}, "t.bmp: the bitmap ends too early, in the masks; copy or export it again"},
		{"cut gap", encoded(bmpSpec{header: 40, bits: 24, gap: 100})[:100], Spec{}, "t.bmp: the bitmap ends too early, in the gap before the pixels; copy or export it again"},
		{"cut row", whole[:len(whole)-1], Spec{}, "t.bmp: the bitmap ends too early, in row 0 of 2; copy or export it again"},
		{"cut runs", runs(4, 0, 0, 0, 2), Spec{}, "t.bmp: the bitmap ends too early, in row 0 of 2; copy or export it again"},
		{"no end of runs", runs(4, 0, 0, 0, 2, 0), Spec{}, "t.bmp: the bitmap ends too early, in row 0 of 2; copy or export it again"},
		{"long run", runs(5, 0), Spec{}, "t.bmp: a run of 5 pixels from (column 0, row 1) on goes beyond the row of 4; export it again"},
		{"run after all", runs(0, 0, 0, 0, 1, 1), Spec{}, "t.bmp: the bitmap has pixels after its last row; export it again"},
		{"far move", runs(0, 2, 5, 1), Spec{}, "t.bmp: the bitmap moves to column 5 of 4, row 1 of 2; export it again"},
		{"width 0", patched(18, 0), Spec{}, "t.bmp: a bitmap of 0 columns and 2 rows; give a bitmap of at least one pixel"},
		{"width negative", patched(18, 255, 255, 255, 255), Spec{}, "t.bmp: a bitmap of -1 columns and 2 rows; give a bitmap of at least one pixel"},
		{"absurd", patched(18, 255, 255, 255, 127, 255, 255, 255, 127), Spec{}, "t.bmp: a bitmap of 2147483647 × 2147483647 pixels, more than 268435456; cut or shrink the picture"},
		{"absurd height", patched(22, 0, 0, 0, 128), Spec{}, "t.bmp: a bitmap of 4 × 2147483648 pixels, more than 268435456; cut or shrink the picture"},
		{"claimed", patched(18, 255, 255, 255, 15, 1), Spec{}, "t.bmp: the bitmap ends too early, in row 0 of 1; copy or export it again"},
		{"header size", patched(14, 41), Spec{}, "t.bmp: a header of 41 bytes, which no version of bitmaps has" + again},
		{"planes", encoded(bmpSpec{header: 40, bits: 24, planes: 3}), Spec{}, "t.bmp: a bitmap of 3 planes, where one is possible" + again},
		{"bits", patched(28, 5), Spec{}, "t.bmp: 5 bits a pixel with compression 0, which do not go together" + again},
		{"rle of 24 bits", patched(30, 1), Spec{}, "t.bmp: 24 bits a pixel with compression 1, which do not go together" + again},
		{"jpeg", patched(30, 4), Spec{}, "t.bmp: the bitmap holds a JPEG" + again},
		{"png", patched(30, 5), Spec{}, "t.bmp: the bitmap holds a PNG" + again},
		{"compression", patched(30, 11), Spec{}, "t.bmp: unknown compression 11" + again},
		{"offset", patched(10, 20), Spec{}, "t.bmp: the bitmap says that its pixels start at byte 20, within its header; export it again"},
		{"mask with a hole", encoded(bmpSpec{header: 40, bits: 16, compression: bmpMasks, masks: []uint32{0xF800, 0x5E0, 0x1F}}), Spec{}, "t.bmp: the mask 0x5e0 of green is not a run of bits of its own" + again},
		{"mask too far", encoded(bmpSpec{header: 40, bits: 16, compression: bmpMasks, masks: []uint32{0xF0000, 0x7E0, 0x1F}}), Spec{}, "t.bmp: the mask 0xf0000 of red is not a run of bits of its own" + again},
		{"mask zero", encoded(bmpSpec{header: 52, bits: 16, compression: bmpMasks, masks: []uint32{0xF800, 0x7E0, 0}}), Spec{}, "t.bmp: the mask 0x0 of blue is not a run of bits of its own" + again},
		{"no points", string(encodeBMP(picture{"..", ".."}, plain)), Spec{}, "t.bmp: no examples in the file; give a file with at least one example"},
		{"other features", whole, frozen, "t.bmp: the model has no features column and row; model and data do not fit together"},
	})
}

func TestBMPRecognised(t *testing.T) {
	if recogniseBMP([]byte("BM is how this text of some length begins")) {
		t.Error("text taken for a bitmap")
	}
	if !recogniseBMP(encodeBMP(picture{"r"}, bmpSpec{header: 12, bits: 24})) {
		t.Error("bitmap not recognised")
	}
}

// The counts are those of the README of the public data sets.
func TestBMPPublic(t *testing.T) {
	counts := [][2]int{{2, 3}, {14, 11}, {15, 20}, {2417, 4039}, {26, 20}, {349, 977}, {1074, 1564}}
	for k, want := range counts {
		path := publicFile(t, fmt.Sprintf("perceptron_bmp/test%02d.bmp", k))
		set, err := ReadFile(context.Background(), path, &Spec{})
		if err != nil {
			t.Fatal(err)
		}
		got, unlabelled := set.Counts()
		if got[0] != want[0] || got[1] != want[1] || unlabelled != 0 || set.Classes()[0] != "red" {
			t.Errorf("test%02d: counts %v of %q, want %v", k, got, set.Classes(), want)
		}
		// The points as the laboratory prints them, (column, row).
		const first = "red 0:23 1:5\nred 0:15 1:11\nblue 0:14 1:21\nblue 0:27 1:23\nblue 0:20 1:27\n"
		if k == 0 && dump(set) != first {
			t.Errorf("test00 is\n%swant\n%s", dump(set), first)
		}
	}
}

func FuzzBMP(f *testing.F) {
	for _, s := range bmpSpecs {
		f.Add(encodeBMP(picture{"rb.r.br", ".......", "rrr.bbb"}, s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		fuzzFormat(t, content, Spec{Format: "bmp"}, false)
	})
}
